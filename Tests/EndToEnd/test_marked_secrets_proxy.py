"""Secrets in every member of every message that a proxy reads by a built-in dialect: none appears in any output of the proxy."""

import json
import threading
import urllib.parse

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect
from websockets.sync.server import serve

import sendbird
import sinch
import stream
from clients import request
from gateway import Gateway, token
from proxy_process import Proxy
from test_marked_secrets import MARK, NAMES, PATIENCE, SHAPES, learnt, say, secret_free, texts

# The proxy has no dialect of Sinch: it relays those messages unread.
DIALECTS = ["plain", "stream-video", "sendbird", "streem", "sinch"]
PATHS = {
    "plain": "/v1/connect", "stream-video": "/video/connect?api_key=k", "sendbird": "/?p=JS&ai=A&user_id=ann&access_token=none",
    "streem": "/streem/v1/connect", "sinch": "/sinch/v1/connect",
}


# Values as vendors make them, whose form tells nothing.
MARKS = ["9f3Kq7Zt21vLx0Wb", "3f9c0a17be55d2486a1100ffcd34e7b9", "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ=", "sk_live_51Hx9Zr2eKq7Wm4T"]


class Echo:
    """A server of another maker that says each message back, so that the proxy reads it as the gateway's too."""

    def __enter__(self):
        self.server = serve(self.answer, "127.0.0.1", 0, compression=None)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"ws://127.0.0.1:{self.server.socket.getsockname()[1]}"
        return self

    def answer(self, socket):
        for message in socket:
            socket.send(message)

    def __exit__(self, *_):
        self.server.shutdown()


def logged_in(dialect, secrets):
    """The path and the first messages of a client with a good token."""
    if dialect == "plain":
        secrets.add(good := token("ann"))
        return f"/v1/connect?access_token={good}", []
    if dialect == "stream-video":
        secrets.add(good := stream.mint("ann"))
        return "/video/connect?api_key=k&stream-auth-type=jwt", [json.dumps({"token": good, "user_details": {"id": "ann", "custom": {}}})]
    if dialect == "sendbird":
        secrets.add(good := sendbird.session_token("ann"))
        return "/?" + urllib.parse.urlencode({"p": "JS", "ai": sendbird.APPLICATION, "user_id": "ann", "access_token": good}), []
    return PATHS[dialect], []


def shown(proxy, recording):
    """All outputs of the proxy, by name."""
    pages, after = [], 0
    while True:
        page = proxy.ask("GET", f"/journal?after={after}&limit=1000&payloads=true")[1]
        pages.append(json.dumps(page, ensure_ascii=False))
        if not page["lines"]:
            break
        after = page["next"]
    outputs = {"journal": "\n".join(pages)}
    outputs["export"] = request(proxy.control_url, "GET", "/journal/export?payloads=true", document=None).body.decode()
    for path in ("/metrics", "/sessions", "/faults"):
        outputs[path] = request(proxy.control_url, "GET", path, document=None).body.decode()
    outputs["ctl"] = proxy.ctl("journal", "--payloads") + proxy.ctl("sessions")
    outputs["log"], outputs["recording"] = proxy.said(), recording.read_text()
    return outputs


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_secret_in_a_message_of_a_built_in_dialect_stands_in_an_output_of_the_proxy(tmp_path, dialect):
    recording, secrets = tmp_path / "run.jsonl", {MARK, *MARKS}
    flags = ["--control-port", "0", "--journal-payloads", "--record", str(recording)]
    flags += [] if dialect == "sinch" else ["--dialect", dialect]
    with Gateway(loops=1) as gateway, Proxy(gateway.url, *flags) as proxy:
        for text in [*SHAPES, *MARKS]:
            path, first = logged_in(dialect, secrets)
            say(proxy, path, texts(dialect, text)[len(first) :], first)
            quoted = urllib.parse.quote(text)
            joint = "&" if "?" in PATHS[dialect] else "?"
            # A login that fails, with the secret wherever an upgrade can have it.
            for fields in ({}, {"Authorization": text}, {"Cookie": f"a={text}"}, {"Access-Token": text}):
                try:
                    url = f"{proxy.url}{PATHS[dialect]}{joint}token={quoted}&authorization={quoted}&key={quoted}"
                    with connect(url, proxy=None, open_timeout=PATIENCE, additional_headers=fields) as socket:
                        socket.send(texts(dialect, text)[0])
                        socket.recv(timeout=0.1)
                except (ConnectionClosed, InvalidHandshake, TimeoutError):
                    pass
            body = {name: text for name in NAMES} | {"user_id": text}
            for path in ("/v1/tokens", "/v3/users", "/video/guest?api_key=k", "/streem/v1/tokens"):
                request(proxy.http_url, "POST", path, body, headers={"Authorization": text, "Session-Key": text}, document=None)
        if dialect == "sendbird":
            with sendbird.SendbirdClient(proxy, logged_in(dialect, secrets)[0][2:]) as socket:
                learnt(socket.receive("LOGI"), secrets)
        if dialect == "sinch":
            with sinch.SinchClient(proxy) as socket:
                socket.start("alice", key="postern")
                socket.receive("credentialsRequired")
        outputs = shown(proxy, recording)
        assert outputs["journal"].count('"message_in"') > 30, outputs["journal"][:2000]
        if dialect in ("plain", "stream-video", "sendbird"):
            assert '"logged_in"' in outputs["journal"]
        secret_free(outputs, secrets)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_secret_that_a_gateway_says_stands_in_an_output_of_the_proxy(tmp_path, dialect):
    recording = tmp_path / "run.jsonl"
    flags = ["--control-port", "0", "--journal-payloads", "--record", str(recording)]
    flags += [] if dialect == "sinch" else ["--dialect", dialect]
    with Echo() as echo, Proxy(echo.url, *flags) as proxy:
        count = 0
        for text in [*SHAPES, *MARKS]:
            with connect(proxy.url + PATHS[dialect], proxy=None, open_timeout=PATIENCE, compression=None) as socket:
                for line in texts(dialect, text):
                    socket.send(line)
                    assert socket.recv(timeout=PATIENCE) == line
                    count += 1
        outputs = shown(proxy, recording)
        assert outputs["journal"].count('"message_out"') == outputs["journal"].count('"message_in"') == count
        secret_free(outputs, {MARK, *MARKS})
