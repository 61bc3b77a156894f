"""Receives webhooks, and prints the port and then each request as a line of JSON.

    receiver.py SECRET STATUS[,STATUS...] [DELAY]

Answers with the statuses in turn and then with the last of them; 0 closes the connection. Signatures
are verified by what the Standard Webhooks specification says, with nothing but the standard library.
"""

import base64
import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

secret, statuses, *delay = sys.argv[1:]
statuses = [int(status) for status in statuses.split(",")]
delay = float(delay[0]) if delay else 0
key = base64.b64decode(secret.removeprefix("whsec_")) if secret.startswith("whsec_") else secret.encode()


def is_signed(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    is_fresh = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    signatures = headers["webhook-signature"].split(" ")
    return is_fresh and any(hmac.compare_digest(one, f"v1,{expected}") for one in signatures)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        time.sleep(delay)
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        told = {
            "signed": is_signed(self.headers, body),
            "id": self.headers["webhook-id"],
            "status": status,
            "event": json.loads(body),
        }
        print(json.dumps(told), flush=True)
        if status == 0:
            self.close_connection = True
            return
        self.send_response(status)
        if status in (301, 307):
            self.send_header("location", "/elsewhere")
        if status == 429:
            self.send_header("retry-after", "1")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
