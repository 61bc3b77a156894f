# Runs one function for many calls: a line of JSON in, a line of JSON out.
import asyncio
import concurrent.futures
import dataclasses
import importlib
import importlib.util
import inspect
import json
import os
import sys
import threading
import traceback

# What the function prints or reads must not meet the protocol, whichever way it does so.
answers = os.fdopen(os.dup(1), "wb")
questions = os.fdopen(os.dup(0), "rb")
os.dup2(2, 1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.stdout = sys.stderr

lock = threading.Lock()
running = set()
abandoned = set()


def send(message):
    # Written as it is, half a character is refused here; as an escape it would be sent.
    text = json.dumps(message, default=plain, allow_nan=False, ensure_ascii=False)
    line = text.encode() + b"\n"
    with lock:
        answers.write(line)
        answers.flush()


def plain(value):
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not JSON")


def failure(kind, error):
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    where = f"{os.path.basename(last.filename)}, line {last.lineno}, in {last.name}" if last else ""
    name = type(error).__name__
    return {"kind": kind, "type": told(name), "message": told(error), "where": told(where)}


def told(what):
    try:
        return str(what).encode(errors="replace").decode()
    except Exception:
        return "it has no words for itself"


def load(kind, target, name):
    sys.path.insert(0, os.getcwd())
    if kind == "module":
        module = importlib.import_module(target)
    else:
        stem = os.path.splitext(os.path.basename(target))[0]
        spec = importlib.util.spec_from_file_location(stem, target)
        if spec is None or not os.path.isfile(target):
            raise ImportError(f"there is no Python file {target}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        sys.path.insert(0, os.path.dirname(os.path.abspath(target)))
        spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        raise ImportError(f"{target} has no function {name}")
    return function


class Server:
    def __init__(self, function):
        self.function = function
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=64)
        self.tasks = {}
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None

    async def answer(self, number, params):
        try:
            if self.signature is not None:
                self.signature.bind(**params)
        except TypeError as error:
            send({"id": number, "error": failure("input", error)})
            return
        try:
            if inspect.iscoroutinefunction(self.function):
                value = await self.function(**params)
            else:
                loop = asyncio.get_running_loop()
                value = await loop.run_in_executor(self.pool, self.run, number, params)
                if inspect.isawaitable(value):
                    value = await value
        except asyncio.CancelledError:
            return
        except BaseException as error:
            # First of all: the function may have closed what the rest is printed to.
            send({"id": number, "error": failure("raised", error)})
            traceback.print_exc()
            return
        try:
            send({"id": number, "ok": value})
        except Exception as error:
            # What is returned may raise anything while it is written, and somebody waits.
            send({"id": number, "error": failure("output", error)})

    def run(self, number, params):
        running.add(number)
        try:
            return self.function(**params)
        finally:
            running.discard(number)
            abandoned.discard(number)

    def take(self, message):
        if "ping" in message:
            send({"id": message["ping"], "ok": len(abandoned)})
        elif "cancel" in message:
            number = message["cancel"]
            if number in running:
                abandoned.add(number)
            task = self.tasks.get(number)
            if task is not None:
                task.cancel()
        else:
            number = message["id"]
            task = asyncio.ensure_future(self.answer(number, message["input"]))
            self.tasks[number] = task
            task.add_done_callback(lambda _: self.tasks.pop(number, None))


def listen(loop, server):
    for line in questions:
        loop.call_soon_threadsafe(server.take, json.loads(line))
    # Whoever asked has gone; threads that hang must not keep us.
    os._exit(0)


async def serve(function):
    loop = asyncio.get_running_loop()
    reader = threading.Thread(target=listen, args=(loop, Server(function)), daemon=True)
    reader.start()
    send({"ready": True})
    await asyncio.Event().wait()


try:
    function = load(*sys.argv[1:4])
except BaseException as error:
    traceback.print_exc()
    send({"failed": failure("load", error)})
    sys.exit(1)
try:
    asyncio.run(serve(function))
except KeyboardInterrupt:
    os._exit(130)
