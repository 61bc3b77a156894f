"""A server of streamable HTTP on a free port of this machine; writes the port and serves."""

import json
import queue
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

mode = sys.argv[1]
sessions = set()
answers = {}
counts = {"initialize": 0, "calls": 0, "tokens": 0}
TOOLS = [
    {"name": name, "description": "Does it.", "inputSchema": {"type": "object"}}
    for name in ("echo", "expire", "count", "ask", "endless_body", "endless_line")
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def reply(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if mode == "old":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write(b"event: endpoint\ndata: /messages?session=1\n\n")
            self.wfile.flush()
            return
        self.reply(405)

    def do_DELETE(self):
        self.reply(200)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
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
            return self.reply(202)
        if "result" in message:
            answers[message["id"]].put(message["result"])
            return self.reply(202)
        if method == "tools/list":
            return self.answer(message, {"tools": TOOLS})
        name = message["params"]["name"]
        counts["calls"] += 1
        said = json.dumps(counts) if name == "count" else json.dumps(message["params"].get("arguments"))
        if name == "ask":
            return self.ask(message)
        if name.startswith("endless"):
            return self.flood(name)
        if name == "expire":
            sessions.clear()
            counts["tokens"] += 1 if mode == "token" else 0
        self.answer(message, {"content": [{"type": "text", "text": said}]})

    def stream(self, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()

    def event(self, message):
        self.wfile.write(("data: %s\n\n" % json.dumps(dict(message, jsonrpc="2.0"))).encode())
        self.wfile.flush()

    def ask(self, message):
        """Asks on the stream of the call itself, and answers with what came back."""
        question = "question-%s" % message["id"]
        answers[question] = queue.Queue()
        self.stream("text/event-stream")
        self.event({"id": question, "method": "elicitation/create", "params": {
            "message": "Who?", "requestedSchema": {"type": "object", "properties": {
                "name": {"type": "string"}}}}})
        said = json.dumps(answers[question].get(timeout=30))
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
