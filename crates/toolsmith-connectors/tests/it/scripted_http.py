"""A server of streamable HTTP on a free port of this machine; writes the port and serves."""

import base64
import hashlib
import json
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

mode = sys.argv[1]
sessions = set()
answers = {}
# What was agreed to: the challenge of each code. Only the last token is good.
challenges = {}
good = {"access": None, "refresh": None}
OAUTH = mode.startswith("oauth")
counts = {"initialize": 0, "calls": 0, "tokens": 0, "cancelled": 0, "waiting": 0}
cancelled = threading.Event()
TOOLS = [
    {"name": name, "description": "Does it.", "inputSchema": {"type": "object"}}
    for name in ("echo", "expire", "count", "ask", "endless_body", "endless_line", "wait", "steps",
                 "torn", "torn_off", "elsewhere", "refuse")
]
# What goes on the stream of a session that belongs to no request.
common = queue.Queue()
# How calls of `refuse` are answered: status, kind, body, headers.
REFUSALS = {
    "error": (400, "application/json", b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32602,"message":"not so"}}', {}),
    "unauthorized": (401, "application/json", b"{}", {"www_authenticate": "Bearer"}),
    "forbidden": (403, "text/plain", b"no", {"www_authenticate": 'Bearer error="insufficient_scope"'}),
    "missing": (405, "text/plain", b"no", {}),
    "patience": (429, "text/plain", b"later", {"retry_after": "3"}),
    "busy": (503, "text/plain", b"later", {"retry_after": "3"}),
    "prose": (200, "text/html", b"<p>Hello</p>", {}),
    "other": (200, "application/json", b'{"jsonrpc":"2.0","id":"nobody","result":{}}', {}),
    "nothing": (204, "text/plain", b"", {}),
    "garbled": (200, "application/json", b'{"jsonrpc":', {}),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def reply(self, status, body=b"", kind="Application/JSON; charset=UTF-8", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def base(self):
        return "http://127.0.0.1:%d" % server.server_address[1]

    def about_logins(self):
        """Answers what a client asks before it logs in; tells whether it did."""
        place, base = urlparse(self.path), self.base()
        if place.path.startswith("/.well-known/oauth-protected-resource"):
            said = {"resource": base + "/mcp", "authorization_servers": [base]}
        elif place.path == "/.well-known/oauth-authorization-server":
            said = {"issuer": base, "authorization_endpoint": base + "/authorize",
                    "token_endpoint": base + "/token", "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"]}
            if mode != "oauth_unregistered":
                said["registration_endpoint"] = base + "/register"
        elif place.path == "/authorize":
            asked = {key: values[0] for key, values in parse_qs(place.query).items()}
            back = {"state": asked["state"], "error": "access_denied"}
            if mode != "oauth_denied":
                code = "the-code-%d" % len(challenges)
                challenges[code] = asked["code_challenge"]
                back = {"state": asked["state"], "code": code}
            self.reply(302, location=asked["redirect_uri"] + "?" + urlencode(back))
            return True
        else:
            return False
        self.reply(200, json.dumps(said).encode())
        return True

    def token(self, body):
        """Gives a token for a code that was proven, or for the last token to renew one."""
        asked = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        if asked["grant_type"] == "authorization_code":
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            is_right = challenges.pop(asked["code"], None) == proof
        else:
            is_right = asked["refresh_token"] == good["refresh"] and mode != "oauth_refused"
        if not is_right:
            return self.reply(400, b'{"error":"invalid_grant"}')
        counts["tokens"] += 1
        good["access"] = "access-token-%d" % counts["tokens"]
        good["refresh"] = "refresh-token-%d" % counts["tokens"]
        lasts = 10 if mode in ("oauth_short", "oauth_refused") else 3600
        said = {"access_token": good["access"], "refresh_token": good["refresh"],
                "token_type": "Bearer", "expires_in": lasts}
        self.reply(200, json.dumps(said).encode())

    def do_GET(self):
        if OAUTH and self.about_logins():
            return
        if mode == "old":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"event: endpoint\ndata: /messages?session=1\n\n")
            self.wfile.flush()
            return
        if self.headers.get("last-event-id", "").startswith("torn-"):
            return self.mend(int(self.headers["last-event-id"].split("-")[1]))
        if mode == "common":
            self.stream("text/event-stream")
            self.event(common.get(timeout=30))
            self.close_connection = True
            return
        self.reply(405)

    def do_DELETE(self):
        self.reply(200)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if OAUTH and self.path == "/register":
            said = dict(json.loads(body), client_id="client-1")
            return self.reply(201, json.dumps(said).encode())
        if OAUTH and self.path == "/token":
            return self.token(body)
        if OAUTH and self.headers.get("authorization") != "Bearer %s" % good["access"]:
            where = self.base() + "/.well-known/oauth-protected-resource"
            return self.reply(401, www_authenticate='Bearer resource_metadata="%s"' % where)
        if self.path == "/token":
            counts["tokens"] += 1
            token = {"access_token": "token-number-%d" % counts["tokens"], "expires_in": 3600}
            return self.reply(200, json.dumps(token).encode())
        if mode == "old":
            return self.reply(404)
        if mode == "key" and self.headers.get("x-key") != "s3cret-token":
            return self.reply(401, b"{}", www_authenticate="Bearer")
        if mode == "token":
            wanted = "Bearer token-number-%d" % max(counts["tokens"], 1)
            if self.headers.get("authorization") != wanted:
                return self.reply(401, b"{}", www_authenticate="Bearer")
        message = json.loads(body)
        method, session = message.get("method"), self.headers.get("mcp-session-id")
        if method == "server/discover":
            return self.reply(400, b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no session"}}')
        if method == "initialize":
            counts["initialize"] += 1
            session = "session-%d" % counts["initialize"]
            sessions.add(session)
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                      "serverInfo": {"name": "scripted", "version": "1"}}
            return self.answer(message, result, mcp_session_id=session)
        if session not in sessions:
            return self.reply(404)
        if "id" not in message:
            if method == "notifications/cancelled":
                counts["cancelled"] += 1
                cancelled.set()
            return self.reply(202)
        if "result" in message:
            answers[message["id"]].put(message["result"])
            return self.reply(202)
        if method == "tools/list":
            about = "Does it anew." if mode == "changing" and counts["initialize"] > 1 else "Does it."
            return self.answer(message, {"tools": [dict(it, description=about) for it in TOOLS]})
        name = message["params"]["name"]
        counts["calls"] += 1
        if name == "echo" and OAUTH:
            message["params"]["arguments"]["seen"] = self.headers.get("authorization")
        said = json.dumps(counts) if name == "count" else json.dumps(message["params"].get("arguments"))
        if name == "ask":
            return self.ask(message)
        if name == "wait":
            counts["waiting"] += 1
            self.stream("text/event-stream")
            cancelled.wait(timeout=30)
            self.close_connection = True
            return
        if name == "steps":
            return self.ask(message, steps=True)
        if name.startswith("torn"):
            return self.tear(message, is_kept=name == "torn")
        if name == "elsewhere":
            common.put({"id": message["id"], "result": {"content": [{"type": "text", "text": said}]}})
            return self.reply(202)
        if name == "refuse":
            status, kind, body, headers = REFUSALS[message["params"]["arguments"]["how"]]
            return self.reply(status, body, kind=kind, **headers)
        if name.startswith("endless"):
            return self.flood(name)
        if name == "expire":
            sessions.clear()
            counts["tokens"] += 1 if mode == "token" else 0
            good["access"] = None
        self.answer(message, {"content": [{"type": "text", "text": said}]})

    def stream(self, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()

    def event(self, message):
        self.wfile.write(("data: %s\n\n" % json.dumps(dict(message, jsonrpc="2.0"))).encode())
        self.wfile.flush()

    def step(self, message, done):
        token = message["params"]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": done, "total": 2}
        self.event({"method": "notifications/progress", "params": params})

    def tear(self, message, is_kept):
        """Ends the stream of a call before its answer; the rest may be asked for."""
        self.stream("text/event-stream")
        if is_kept:
            self.wfile.write(("id: torn-%s\nretry: 10\ndata:\n\n" % message["id"]).encode())
        self.step(message, 1)
        self.close_connection = True

    def mend(self, number):
        """Goes on with the stream of a call."""
        self.stream("text/event-stream")
        self.step({"params": {"_meta": {"progressToken": number}}}, 2)
        said = self.headers.get("mcp-session-id")
        self.event({"id": number, "result": {"content": [{"type": "text", "text": said}]}})
        self.close_connection = True

    def ask(self, message, steps=False):
        """Asks on the stream of the call itself, and answers with what came back."""
        question = "question-%s" % message["id"]
        answers[question] = queue.Queue()
        self.stream("text/event-stream")
        if steps:
            self.wfile.write(b": nothing\n\nevent: other\ndata: not a message\n\ndata: nor this\n\n")
            self.step(message, 1)
        self.event({"id": question, "method": "elicitation/create", "params": {
            "message": "Who?", "requestedSchema": {"type": "object", "properties": {
                "name": {"type": "string"}}}}})
        said = json.dumps(answers[question].get(timeout=30))
        if steps:
            TOOLS.append(dict(TOOLS[0], name="added"))
            self.event({"method": "notifications/tools/list_changed"})
            self.step(message, 2)
        self.event({"id": message["id"], "result": {"content": [{"type": "text", "text": said}]}})
        self.close_connection = True

    def flood(self, name):
        """Sends a body, or one line of a stream, that does not end."""
        is_body = name == "endless_body"
        self.stream("application/json" if is_body else "text/event-stream")
        try:
            self.wfile.write(b'{"jsonrpc":"2.0","id":"' if is_body else b"data: ")
            while True:
                self.wfile.write(b"x" * 1_000_000)
        except OSError:
            self.close_connection = True

    def answer(self, message, result, **headers):
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        if mode == "sse":
            body = "event: message\ndata: %s\n\n" % body
            return self.reply(200, body.encode(), kind="text/event-stream", **headers)
        self.reply(200, body.encode(), **headers)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
