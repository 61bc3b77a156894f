"""A server that speaks raw lines, as each revision of the protocol wants, or as it should not."""

import json
import os
import sys
import time

revision = sys.argv[1]
mode = sys.argv[2] if len(sys.argv) > 2 else "plain"
state = sys.argv[3] if len(sys.argv) > 3 else None
NEW = revision >= "2026-07-28"


def send(message):
    sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")) + "\n")
    sys.stdout.flush()


def answer(request, result):
    if NEW:
        result = dict(result, resultType="complete")
    send({"id": request["id"], "result": result})
    if mode == "twice":
        send({"id": request["id"], "result": result})
        send({"id": request["id"], "error": {"code": -32603, "message": "no, it failed"}})
        send({"id": "never asked", "result": result})
        send({"id": None, "error": {"code": -32700, "message": "nobody's"}})


def refuse(request, code, message):
    send({"id": request["id"], "error": {"code": code, "message": message}})


def tool(name, **more):
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return dict({"name": name, "description": "Does " + name + ".", "inputSchema": schema}, **more)


def tools():
    if mode == "many":
        return [tool("tool%05d" % n) for n in range(12000)]
    if mode == "empty":
        return []
    if mode == "names":
        return [tool("a b"), tool("a_b"), tool("x" * 90), tool("café"), tool("secret_one")]
    if mode == "asking":
        return [tool(name) for name in ("name", "visit", "model", "roots", "abandon", "many",
                                        "capabilities", "wait", "polled")]
    if mode == "control":
        names = ["a\x1b[31mb\n", "a\x1b[31mb\n", "\x00", "x" * 300_000, "\u202egnp.exe", ""]
        return [tool(name) for name in names]
    if mode == "badschema":
        wrong = {"type": "object", "properties": {"x": {"type": "nonsense"}}}
        return [tool("good"), dict(tool("bad"), inputSchema=wrong),
                dict(tool("badout"), outputSchema=wrong)]
    if mode == "noschema":
        return [tool("good"), {"name": "bare", "description": "Has no schema."}]
    if mode == "hiding":
        hidden = "pl\u202eain\u200b\x1b\x07\U000e0041\u0085\r\n\ttext"
        inner = {"type": "string", "title": hidden, "description": hidden, "enum": [hidden]}
        schema = {"type": "object", "properties": {"description": inner}}
        return [dict(tool("t", title=hidden, description=hidden), inputSchema=schema)]
    listed = [tool("echo"), tool("fail"), tool("slow"), tool("die"), tool("ask"), tool("media"),
              tool("structured"), tool("progress"), tool("change"), tool("refuse"),
              tool("env"), tool("wait")]
    if mode == "changing" and os.path.exists(state):
        listed[0]["description"] = "Does something else."
        listed.append(tool("added"))
    return listed


def listing(request):
    cursor = (request.get("params") or {}).get("cursor")
    lists.append(cursor)
    everything = tools()
    if mode == "circle":
        return answer(request, {"tools": everything[:1], "nextCursor": "again"})
    if mode == "endless":
        number = int(cursor or 0)
        return answer(request, {"tools": [tool("t%d" % number)], "nextCursor": str(number + 1)})
    size = 5000 if mode == "many" else 4
    start = int(cursor or 0)
    page = {"tools": everything[start:start + size]}
    if start + size < len(everything):
        page["nextCursor"] = str(start + size)
    if NEW:
        page.update(ttlMs=0, cacheScope="private")
    answer(request, page)


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def ask(method, params):
    """Asks the client something and returns its whole answer."""
    send({"id": "question", "method": method, "params": params})
    while True:
        message = json.loads(sys.stdin.readline())
        if message.get("id") == "question":
            return message.get("result") or message.get("error")


lists = []
waiting = {}
capabilities = {}
NAME = {"message": "Who?", "mode": "form", "requestedSchema": {
    "type": "object", "properties": {"name": {"type": "string", "minLength": 2}},
    "required": ["name"]}}
VISIT = {"message": "Sign in.", "mode": "url", "url": "https://a.example/in", "elicitationId": "1"}
MODEL = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 9}
QUESTIONS = {"name": ("elicitation/create", NAME), "visit": ("elicitation/create", VISIT),
             "model": ("sampling/createMessage", MODEL), "roots": ("roots/list", {})}


def asking(request, name, params):
    """Asks what the name of the tool says, and answers with what came back."""
    method, question = QUESTIONS.get(name, QUESTIONS["name"])
    if name == "abandon":
        send({"id": "question", "method": method, "params": question})
        if "text" not in (params.get("arguments") or {}):
            answer(request, text("gone on"))
    elif name == "many":
        said = [ask(method, question)["action"] for _ in range(30)]
        answer(request, text(json.dumps(said)))
    elif name == "capabilities":
        answer(request, text(json.dumps(capabilities)))
    elif name == "polled":
        round = int(params.get("requestState") or 0)
        if round == 2:
            return answer(request, text("at last"))
        send({"id": request["id"], "result": {
            "resultType": "input_required", "requestState": str(round + 1)}})
    elif name == "wait":
        waiting[request["id"]] = request
    elif NEW and "inputResponses" not in params:
        send({"id": request["id"], "result": {
            "resultType": "input_required", "requestState": "opaque",
            "inputRequests": {"it": {"method": method, "params": question}}}})
    elif NEW:
        answer(request, text(json.dumps(params["inputResponses"]["it"])))
    else:
        answer(request, text(json.dumps(ask(method, question))))


def call(request):
    params = request["params"]
    name, arguments = params["name"], params.get("arguments") or {}
    if mode == "asking":
        asking(request, name, params)
    elif name == "echo":
        if mode == "wrongid":
            send({"id": 987654, "result": text("for nobody")})
            return
        if mode == "silent":
            return
        if mode == "storm":
            for _ in range(20_000):
                send({"method": "notifications/tools/list_changed"})
            return answer(request, text(str(len(lists))))
        if mode == "garbage":
            sys.stdout.write("\x00 no message {{{\n[1,2]\n{\"x\":1}\n")
        if mode == "long":
            sys.stdout.write("x" * 100_000_000 + "\n")
            sys.stdout.flush()
            return
        answer(request, text(arguments.get("text", "")))
    elif name == "fail" and mode == "huge":
        answer(request, dict(text("x" * 5_000_000), isError=True))
    elif name == "refuse" and mode == "huge":
        send({"id": request["id"], "error": {
            "code": -32000, "message": "x" * 5_000_000, "data": ["y" * 5_000_000]}})
    elif name == "fail":
        answer(request, dict(text("no such file"), isError=True))
    elif name == "refuse":
        refuse(request, -32602, "that is no argument")
    elif name == "slow":
        time.sleep(600)
    elif name == "die":
        sys.stderr.write("about to\nfall over\n")
        sys.stderr.flush()
        os._exit(3)
    elif name == "ask":
        if NEW:
            if "inputResponses" not in params:
                asked = {"method": "elicitation/create", "params": {
                    "mode": "form", "message": "Who?",
                    "requestedSchema": {"type": "object", "properties": {}}}}
                send({"id": request["id"], "result": {
                    "resultType": "input_required", "inputRequests": {"who": asked},
                    "requestState": "opaque"}})
                return
            answer(request, text(json.dumps([params["inputResponses"], params["requestState"]])))
            return
        said = [ask("elicitation/create", {"message": "Who?", "requestedSchema": {
                    "type": "object", "properties": {}}}),
                ask("sampling/createMessage", {"messages": [], "maxTokens": 1}),
                ask("roots/list", {})]
        answer(request, text(json.dumps(said)))
    elif name == "media":
        answer(request, {"content": [
            {"type": "text", "text": "look"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
            {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}}]})
    elif name == "structured":
        value = {"answer": 42}
        answer(request, dict(text(json.dumps(value)), structuredContent=value))
    elif name == "progress":
        token = params["_meta"]["progressToken"]
        for done in (1, 2, 3):
            send({"method": "notifications/progress", "params": {
                "progressToken": token, "progress": done, "total": 3, "message": "step"}})
        send({"method": "notifications/message", "params": {"level": "error", "data": "a log"}})
        answer(request, text("done"))
    elif name == "change":
        open(state, "w").close()
        if listening:
            send({"method": "notifications/tools/list_changed",
                  "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": listening[0]}}})
        elif not NEW:
            send({"method": "notifications/tools/list_changed"})
        answer(request, text("changed"))
    elif name == "env":
        answer(request, text(json.dumps(dict(os.environ))))
    elif name == "wait":
        waiting[request["id"]] = request
    else:
        answer(request, text("called " + name))


listening = []

HIDDEN = "pl\u202eain\u200b\x1b text"
RESOURCES = [{"uri": "trap://one", "name": HIDDEN, "description": HIDDEN},
             {"uri": "trap://two\u200b", "name": "two"}, {"uri": "toolsmith://tools/echo", "name": "x"},
             {"uri": 7, "name": "seven"}, {"name": "nowhere"}, "nothing",
             {"uri": "trap://big", "name": "big", "description": "x" * 100_000}]
PROMPTS = [{"name": "good", "description": HIDDEN}, {"name": "ba\u202ed"}, {"description": "none"}]


def besides():
    return {"resources": {}, "prompts": {}} if mode in ("mute", "traps") else {}


def handle(message):
    method = message.get("method")
    if method == "server/discover":
        if not NEW:
            if mode == "dies_at_discover":
                os._exit(1)
            if mode == "ignores_discover":
                return
            return refuse(message, -32601, "Method not found")
        answer(message, {"supportedVersions": [revision], "capabilities": {
            "tools": {"listChanged": True}, **besides()}, "serverInfo": {"name": "scripted", "version": "1"},
            "ttlMs": 0, "cacheScope": "private"})
    elif method == "initialize":
        if NEW:
            return refuse(message, -32601, "Method not found")
        if mode == "hangs":
            return
        capabilities.update(message["params"]["capabilities"])
        answer(message, {"protocolVersion": revision, "capabilities": {
            "tools": {"listChanged": True}, "logging": {}, **besides()},
            "serverInfo": {"name": "scripted", "version": "1"}})
    elif method == "tools/list":
        listing(message)
    elif method == "tools/call":
        call(message)
    elif method in ("resources/list", "prompts/list") and mode == "mute":
        return
    elif method == "resources/list" and mode == "traps":
        cursor = message["params"].get("cursor")
        answer(message, {"resources": RESOURCES if cursor is None else [], "nextCursor": "a",
                         "ttlMs": 0, "cacheScope": "private"})
    elif method == "prompts/list" and mode == "traps":
        answer(message, {"prompts": PROMPTS, "ttlMs": 0, "cacheScope": "private"})
    elif method == "resources/read" and mode == "traps":
        answer(message, {"contents": [{"uri": message["params"]["uri"], "text": "s3cret-token"}],
                         "ttlMs": 0, "cacheScope": "private"})
    elif method == "prompts/get" and mode == "traps":
        refuse(message, -32603, "x" * 100_000)
    elif method == "ping":
        if mode != "silent":
            answer(message, {})
    elif method == "subscriptions/listen":
        listening.append(message["id"])
        send({"method": "notifications/subscriptions/acknowledged", "params": {
            "notifications": message["params"]["notifications"],
            "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}}})
    elif method == "notifications/cancelled" and state and mode == "plain":
        with open(state, "a") as file:
            file.write(json.dumps(message["params"]) + "\n")
    elif "id" in message and method:
        refuse(message, -32601, "Method not found")


if mode == "noisy":
    print("Starting up, please wait...", flush=True)
if mode == "fails":
    sys.stderr.write("cannot find the thing\n")
    sys.exit(7)
if state and mode == "counted":
    with open(state, "a") as file:
        file.write("%d\n" % os.getpid())
for line in sys.stdin:
    handle(json.loads(line))
if mode == "late":
    for n in range(1000):
        send({"id": "late %d" % n, "method": "elicitation/create", "params": NAME})
        send({"method": "notifications/tools/list_changed"})
