//! The beginnings of tools that are services of their own.

/// Path and text of each file.
type Files<const N: usize> = [(&'static str, &'static str); N];

pub(super) const PROCESS: Files<3> =
    [("NAME.yaml", PROCESS_YAML), ("NAME/main.py", SERVER), ("NAME/pyproject.toml", PROJECT)];

pub(super) const PYTHON: Files<2> = [("NAME.yaml", PYTHON_YAML), ("NAME/NAME.py", FUNCTION)];

pub(super) const CONTAINER: Files<3> =
    [("NAME.yaml", CONTAINER_YAML), ("NAME/Dockerfile", DOCKERFILE), ("NAME/main.py", SERVER)];

pub(super) const REMOTE: Files<1> = [("NAME.yaml", REMOTE_YAML)];

const PROCESS_YAML: &str = r#"# A tool that is a process of its own: a project of uv that serves HTTP.
COUNTING
category: data

OF_A_TEXT

entry:
  type: process
  dir: ./NAME
  # This is what is started unless said otherwise; any other program will do.
  # command: [uv, run, python, main.py, --port, "{port}"]
  health:
    path: /health
  # Stopped after so many seconds without a call; the next call starts it again.
  idle: 300

annotations:
  read_only: true
"#;

const SERVER: &str = r#"# Serves calls: the params arrive as JSON by POST, the answer is JSON.
import argparse
import http.server
import json
import os


def count(text):
    return {"words": len(text.split())}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave together: in two pieces the second would wait for the first.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        self.answer(200, {"status": "well"})

    def do_POST(self):
        params = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self.answer(200, count(**params))
        except (TypeError, ValueError) as error:
            # What the caller can put right is a 4xx with a message.
            self.answer(422, {"error": str(error)})

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    # How many connections may wait to be taken; with the usual 5 a burst of calls is held up.
    request_queue_size = 128


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
    arguments = parser.parse_args()
    Server((arguments.host, arguments.port), Handler).serve_forever()
"#;

const PROJECT: &str = r#"[project]
name = "tool"
version = "0.1.0"
requires-python = ">=3.9"
dependencies = []
"#;

const PYTHON_YAML: &str = "# A tool that is a plain function of Python, run through uv.
COUNTING
category: data

OF_A_TEXT

entry:
  type: python
  dir: ./NAME
  file: NAME.py
  function: count
  # Packages that the function imports.
  dependencies: []

annotations:
  read_only: true
";

const FUNCTION: &str = r#"def count(text: str) -> dict:
    """Returns how many words a text has. May be async; may raise: the caller is told."""
    return {"words": len(text.split())}
"#;

const CONTAINER_YAML: &str =
    "# A tool that is a container of its own; it needs a container engine (Docker).
COUNTING
category: data

OF_A_TEXT

entry:
  type: container
  # A folder with a Dockerfile; or `image: registry/name:tag`.
  build: ./NAME
  internal_port: 8000
  memory: 256m
  cpus: 1
  health:
    path: /health

annotations:
  read_only: true
";

const DOCKERFILE: &str = r#"FROM python:3.13-slim
COPY main.py /main.py
CMD ["python", "/main.py", "--host", "0.0.0.0", "--port", "8000"]
"#;

const REMOTE_YAML: &str =
    "# A tool that is a service elsewhere: the params are sent as JSON by POST.
COUNTING
category: network

OF_A_TEXT

entry:
  type: remote
  # ${VAR} is taken from the environment, ${VAR:default} has a value when it is not set there.
  url: ${SERVICE_URL:http://127.0.0.1:8000}
  endpoint_path: /
  # Sent as `Authorization: Bearer …`:
  # token: ${SERVICE_TOKEN}

annotations:
  read_only: true
  open_world: true
";
