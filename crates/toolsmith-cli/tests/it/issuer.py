"""An authorization server: clients register, people agree at once, tokens are signed JWTs.

Prints its port. The tokens are for the resource that was asked for, and for `toolsmith`.
"""

import base64
import hashlib
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

KEY = ec.generate_private_key(ec.SECP256R1())
codes = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def reply(self, status, said=None, **headers):
        body = b"" if said is None else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        place, base = urlparse(self.path), BASE
        if place.path == "/.well-known/oauth-authorization-server":
            return self.reply(200, {
                "issuer": base, "authorization_endpoint": base + "/authorize",
                "token_endpoint": base + "/token", "registration_endpoint": base + "/register",
                "jwks_uri": base + "/keys", "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code"],
                "token_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"],
            })
        if place.path == "/keys":
            key = jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key(), as_dict=True)
            return self.reply(200, {"keys": [dict(key, kid="one", use="sig", alg="ES256")]})
        if place.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(place.query).items()}
            code = "code-%d" % len(codes)
            codes[code] = asked
            back = urlencode({"code": code, "state": asked.get("state", "")})
            return self.reply(302, location=asked["redirect_uri"] + "?" + back)
        self.reply(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/register":
            return self.reply(201, dict(json.loads(body), client_id="client"))
        asked = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        begun = codes.pop(asked.get("code"), None)
        digest = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if begun is None or begun["code_challenge"] != proof:
            return self.reply(400, {"error": "invalid_grant"})
        scope = begun.get("scope", "")
        audience = [begun.get("resource", ""), "toolsmith"]
        claims = {"iss": BASE, "aud": audience, "sub": "ann", "exp": time.time() + 600,
                  "scope": scope}
        token = jwt.encode(claims, KEY, algorithm="ES256", headers={"kid": "one"})
        self.reply(200, {"access_token": token, "token_type": "Bearer", "expires_in": 600,
                         "scope": scope})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
BASE = "http://127.0.0.1:%d" % server.server_address[1]
print(server.server_address[1], flush=True)
server.serve_forever()
