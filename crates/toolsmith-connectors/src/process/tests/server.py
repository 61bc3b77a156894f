# A tool that is a process: answers what it is told to.
import argparse
import http.server
import json
import os
import signal
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--stubborn", action="store_true")
arguments = parser.parse_args()
if arguments.stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
hung = threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if hung.is_set():
            time.sleep(600)
        self.answer(200, {"path": self.path})

    def do_POST(self):
        params = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        match params.get("do"):
            case "crash":
                print("about to crash", file=sys.stderr, flush=True)
                os._exit(3)
            case "refuse":
                problem = {"loc": ["body", "x"], "msg": "must be positive"}
                self.answer(422, {"detail": [problem]})
            case "fail":
                self.answer(500, {"error": {"message": "the database is down"}})
            case "text":
                self.answer(200, "plain words")
            case "hang":
                hung.set()
                time.sleep(600)
            case "run":
                scope = {}
                try:
                    exec(params["code"], scope)
                    self.answer(200, {"result": scope.get("result")})
                except BaseException as error:
                    self.answer(200, {"raised": type(error).__name__})
            case "redirect":
                self.send_response(302)
                self.send_header("Location", params["to"])
                self.send_header("Content-Length", "0")
                self.end_headers()
            case _:
                self.answer(200, {"pid": os.getpid(), "got": params, "port": os.environ["PORT"]})

    def answer(self, status, body):
        is_text = isinstance(body, str)
        body = (body if is_text else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if is_text else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


Server(("127.0.0.1", arguments.port), Handler).serve_forever()
