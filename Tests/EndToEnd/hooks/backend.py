"""The application's backend as Centrifugo's documentation describes it, by Flask or aiohttp in a process of its own on loopback. It
verifies each question with `standardwebhooks`, and answers as the file of orders says.

    python backend.py flask|aiohttp PORT_FILE ORDERS QUESTIONS
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BEARER = "the bearer of the gateway"


def answer(order, path, headers, body):
    """The status, the type and the text of the answer, by the documentation of Centrifugo's proxy."""
    from standardwebhooks import Webhook

    Webhook(SECRET).verify(body, headers)
    question = json.loads(body)
    time.sleep(order.get("delay", 0))
    status, kind = order.get("status", 200), order.get("kind", "json")
    if kind == "html":
        return status, "text/html", "<html>an error</html>"
    if kind == "half":
        return status, "application/json", '{"result": {"us'
    said = order.get(path)
    if said is None:
        said = {"result": {"user": question["user"]}} if path == "connect" else {"result": {}}
    return status, "application/json", json.dumps(said)


def note(file, orders, path, headers, body):
    """Writes the question and the status of its answer down. Returns the order for the answer."""
    order = json.loads(orders.read_text())
    names = ("webhook-id", "authorization", "cookie", "traceparent", "tracestate")
    known = {name: headers[name] for name in names if name in headers}
    line = json.dumps({"path": path, "at": time.time(), "headers": known, "body": json.loads(body), "status": order.get("status", 200)})
    with file.open("a") as log:
        log.write(line + "\n")
    return order


def with_flask(port_file, orders, questions):
    import logging

    from flask import Flask, Response, request
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = Flask(__name__)

    @app.post("/<path>")
    def said(path):
        headers = {name.lower(): value for name, value in request.headers.items()}
        order = note(questions, orders, path, headers, request.data)
        status, kind, text = answer(order, path, headers, request.data)
        return Response(text, status, content_type=kind)

    # One worker, as the backend has.
    server = make_server("127.0.0.1", 0 if not port_file.exists() else int(port_file.read_text()), app)
    port_file.write_text(str(server.server_port))
    print("ready", flush=True)
    server.serve_forever()


def with_aiohttp(port_file, orders, questions):
    import asyncio

    from aiohttp import web

    async def said(request):
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        path = request.match_info["path"]
        order = note(questions, orders, path, headers, body)
        status, kind, text = await asyncio.to_thread(answer, order, path, headers, body)
        return web.Response(text=text, status=status, content_type=kind)

    async def serve():
        app = web.Application()
        app.router.add_post("/{path}", said)
        runner = web.AppRunner(app)
        await runner.setup()
        port = 0 if not port_file.exists() else int(port_file.read_text())
        site = web.TCPSite(runner, "127.0.0.1", port, reuse_address=True)
        await site.start()
        port_file.write_text(str(site._server.sockets[0].getsockname()[1]))
        print("ready", flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


class Backend:
    """The process, until the `with` block ends."""

    def __init__(self, kind):
        self.kind = kind
        self.folder = tempfile.TemporaryDirectory(prefix="backend-")
        self.port_file, self.orders, self.questions = (Path(self.folder.name, name) for name in ("port", "orders", "questions"))
        self.questions.touch()
        self.say()

    def say(self, **orders):
        """Has it answer so from now on: by path, or `status`, `kind`, `delay` for all."""
        new = self.orders.with_suffix(".new")
        new.write_text(json.dumps(orders))
        new.rename(self.orders)

    def begin(self):
        words = [sys.executable, __file__, self.kind, str(self.port_file), str(self.orders), str(self.questions)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        assert self.process.stdout.readline() == b"ready\n"
        self.url = f"http://127.0.0.1:{self.port_file.read_text()}"

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def asked(self, path=None):
        """The questions so far, of that path."""
        lines = [json.loads(line) for line in self.questions.read_text().splitlines()]
        return [line for line in lines if path in (None, line["path"])]

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()


if __name__ == "__main__":
    {"flask": with_flask, "aiohttp": with_aiohttp}[sys.argv[1]](*(Path(word) for word in sys.argv[2:]))
