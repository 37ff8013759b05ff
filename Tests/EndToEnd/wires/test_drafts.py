"""`postern wire draft`: a wire is recorded by `postern proxy`, drafted, checked, tried and served; the same clients log in and renew there.

The servers are `postern serve` with each shipped wire, and three that nobody here wrote. The clients are those of a storm, and
centrifuge-python and python-socketio, which nobody here wrote. HAR files are written by Playwright and by Chromium's own
developer tools.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import time

import browser_har
import centrifuge
import json5
import pytest
import servers
import socketio
import storms
from described import TIMES, WIRES, secrets, serving
from gateway import Gateway, token
from orders import counts_of, get, lines

CLIENTS = 3
RENEWED = ["centrifugo", "centrifuge-v1", "ably", "ably-msgpack", "supabase-realtime", "postern-plain"]
RETURNING = ["close-4401", "graphql-transport-ws", "nats", "phoenix", "signalr-json", "socketio", "wamp-ticket"]
SERVERS = {"socketio": servers.socket_io, "graphql-transport-ws": servers.graphql, "close-4401": servers.close_4401}


class Proxied:
    """A proxy before a gateway, until the `with` block ends."""

    def __init__(self, to, *flags):
        self.command = [os.environ["POSTERN"], "proxy", "--to", to, "--port", "0", "--control-port", "0", *map(str, flags)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        said = ""
        while not (addresses := re.search(r"(ws://\S+)[\s\S]*^control.*?(http://[^;\s]+)", said, re.MULTILINE)):
            line = self.process.stdout.readline()
            assert line, said
            said += line
        self.url, self.control_url = addresses.groups()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0


def postern(*arguments, status=0):
    done = subprocess.run([os.environ["POSTERN"], *map(str, arguments)], capture_output=True, text=True, timeout=90)
    assert done.returncode == status, f"{arguments}: {done.stdout}{done.stderr}"
    return done


def draft(recording, folder):
    """The draft's file, once `wire check` has passed it. No token and no name of a secret is in it."""
    text = postern("wire", "draft", recording).stdout
    path = folder / "draft.json"
    path.write_text(text)
    done = subprocess.run([os.environ["POSTERN"], "wire", "check", str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr + text
    assert "eyJ" not in text and not re.search(r"\b(token|key|cookie|id|text)-\d+\b", text), text
    return path


def storm(name, url, folder, *more):
    flags = ["--wire", str(WIRES / f"{name}.json"), *secrets(folder), "--url", url, *more]
    times = ["--clients", str(CLIENTS), "--rate", "100", "--hold", "4s", "--timeout", "60s", "--threshold", "connects.failed == 0"]
    return storms.run(*flags, *times, expected=(0, 1))["result"]


def users_of(proxy, kind):
    return sorted({line["user"] for line in lines(proxy) if line["kind"] == kind})


def check_renewed(name, result, counts, text):
    logins = CLIENTS if name in RENEWED else 2 * CLIENTS
    assert result["connects"]["accepted"] == logins == counts["logged_in"], (result, counts, text)
    if name in RENEWED:
        assert result["refreshes"]["accepted"] == CLIENTS == counts["refreshed"], (result, counts, text)


@pytest.mark.parametrize("name", RENEWED + RETURNING)
def test_a_draft_is_tried_read_and_served_and_its_clients_log_in_and_renew(name, tmp_path):
    flags = TIMES if name == "postern-plain" else serving(name, tmp_path)
    with Gateway(*flags, loops=1) as gateway:
        with Proxied(gateway.url, "--record", tmp_path / "run.jsonl") as proxy:
            storm(name, proxy.url, tmp_path)
        path = draft(tmp_path / "run.jsonl", tmp_path)
        text = path.read_text()
        # One client by the draft against the recorded gateway. Status 0: a rule takes each message.
        trial = ["wire", "try", "--wire", path, "--url", gateway.url, "--life", "4s", "--timeout", "40s"]
        said = postern(*trial).stdout
        assert "renewed 1 times" in said and "eyJ" not in said, said + text
        # The draft reads what the clients of the original say.
        with Proxied(gateway.url, "--wire", path) as proxy:
            result = storm(name, proxy.url, tmp_path)
            check_renewed(name, result, counts_of(proxy), text)
            assert len(users_of(proxy, "logged_in")) == CLIENTS, text
            if name in RENEWED:
                assert users_of(proxy, "refreshed") == users_of(proxy, "logged_in"), text
    if name != "postern-plain":  # Its path is the plain dialect's.
        with Gateway("--wire", str(path), *TIMES, loops=1) as gateway:
            result = storm(name, gateway.url, tmp_path)
            check_renewed(name, result, counts_of(gateway), text)


def test_the_draft_of_a_wire_without_a_renewal_logs_in_and_names_what_is_missing(tmp_path):
    with Gateway(*serving("pusher", tmp_path), loops=1) as gateway:
        with Proxied(gateway.url, "--record", tmp_path / "run.jsonl") as proxy:
            storm("pusher", proxy.url, tmp_path)
        assert "not in the recording: a renewal" in postern("wire", "draft", tmp_path / "run.jsonl").stderr
        path = draft(tmp_path / "run.jsonl", tmp_path)
        said = postern("wire", "try", "--wire", path, "--url", gateway.url, "--life", "6s", "--timeout", "60s").stdout
    assert "logged in 1 times" in said and "private-{{user}}" in path.read_text(), said + path.read_text()


@pytest.mark.parametrize("name", SERVERS)
def test_a_draft_of_a_server_of_others_logs_in_and_comes_back_there(name, tmp_path, secret_file):
    mint = ["--mint", "--secret-file", secret_file]
    with servers.Server(SERVERS[name]) as server:
        with Proxied(server.url, "--record", tmp_path / "run.jsonl") as proxy:
            storm(name, proxy.url, tmp_path, *mint)
        path = draft(tmp_path / "run.jsonl", tmp_path)
        before = server.log["accepted"]
        said = postern("wire", "try", "--wire", path, "--url", server.url, *mint, "--life", "6s", "--timeout", "60s").stdout
        assert "logged in 2 times, renewed 1 times" in said and "eyJ" not in said, said + path.read_text()
        assert server.log["accepted"] == before + 2
        with Proxied(server.url, "--wire", path) as proxy:
            storm(name, proxy.url, tmp_path, *mint)
            counts, users = counts_of(proxy), users_of(proxy, "logged_in")
        assert counts["logged_in"] == 2 * CLIENTS and len(users) == CLIENTS, (counts, path.read_text())


def centrifuge_renews(url):
    async def main():
        asked = []

        async def get_token(*_):
            asked.append(time.monotonic())
            return token("ann", 4)

        client = centrifuge.Client(url + "/connection/websocket", token=token("ann", 4), get_token=get_token)
        await client.connect()
        await client.ready(timeout=60)
        # It asks for the third one after the gateway has answered the second.
        while len(asked) < 3:
            await asyncio.sleep(0.05)
        await client.disconnect()

    asyncio.run(asyncio.wait_for(main(), 90))


def socketio_returns(url):
    async def main():
        ends = []
        for _ in range(2):
            client = socketio.AsyncClient(reconnection=False)
            gone = asyncio.Event()
            client.on("disconnect", lambda *_: (ends.append(1), gone.set()))
            await client.connect(url.replace("ws", "http", 1), transports=["websocket"], auth={"token": token("ann", 6)})
            await gone.wait()
            await client.disconnect()
        return ends

    assert len(asyncio.run(asyncio.wait_for(main(), 90))) == 2


@pytest.mark.parametrize(("name", "client"), [("centrifugo", centrifuge_renews), ("socketio", socketio_returns)])
def test_a_client_of_others_logs_in_and_renews_at_its_draft(name, client, tmp_path):
    recording = tmp_path / "run.jsonl"
    with Gateway(*serving(name, tmp_path), loops=1) as gateway, Proxied(gateway.url, "--record", recording) as proxy:
        client(proxy.url)
    path = draft(recording, tmp_path)
    with Gateway("--wire", str(path), *TIMES, loops=1) as gateway:
        client(gateway.url)
        counts = get(gateway, "/journal/counts?user=ann")["counts"]
    if name == "centrifugo":
        assert counts["logged_in"] == 1 and counts["refreshed"] >= 2, (counts, path.read_text())
    else:
        assert counts["logged_in"] == 2, (counts, path.read_text())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"), ('{"postern_recording":1}\n', "it shows no token"), ("x\n", "line 1 is no JSON object"),
        ('{"postern_recording":1}\n{"kind":"clo', "line 2 is no JSON object"),
        ('{"postern_recording":1}\n' + "[" * 1_000_000, "line 2 is no JSON object"),
        ('{"n":1,"kind":"closed","at_ms":0}\n', "does not begin a recording"),
    ],
)
def test_a_file_without_a_login_is_refused_with_its_reason(text, reason, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    done = postern("wire", "draft", path, status=2)
    assert reason in done.stderr and not done.stdout, done.stderr


def test_a_har_file_gives_the_draft_of_the_recording_but_for_pings_and_ends(tmp_path):
    first, second = token("ann", 3600), token("ann", 7200)
    now = time.time()
    messages = [
        ("send", {"type": "auth", "token": first}), ("receive", {"type": "welcome", "expires_in": 3600}),
        ("receive", {"type": "renew_please"}), ("send", {"type": "renew", "token": second}), ("receive", {"type": "renewed", "expires_in": 7200}),
    ]
    entry = {
        "startedDateTime": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now)), "_resourceType": "websocket",
        "request": {"method": "GET", "url": "wss://realtime.example/socket?v=2", "headers": [], "queryString": []},
        "response": {"status": 101, "headers": [], "content": {}},
        "_webSocketMessages": [
            {"type": kind, "time": now + index / 10, "opcode": 1, "data": json.dumps(data)}
            for index, (kind, data) in enumerate(messages)
        ],
    }
    path = tmp_path / "page.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}))
    drafted = draft(path, tmp_path).read_text()
    assert "A HAR file has no close codes" in drafted and '"how": "asked"' in drafted and '"/type": "renew_please"' in drafted
    assert '"path": "/socket", "query": { "v": "2" }' in drafted and '"life_s": "/expires_in"' in drafted


def test_no_secret_of_a_har_file_is_in_its_draft(tmp_path):
    first, second = token("ann", 3600), token("ann", 7200)
    marked = [f"s3cr{index}tMARK{index:02}Zq9vX7" for index in range(12)]
    key, cookie, basic, password, session, other, name, refresh, ticket, part, set_cookie, word = marked
    say = [
        ("send", json.dumps({"type": "auth", "token": first, "password": password, "device": {"push": other}, "note": f"key {word}"})),
        ("receive", json.dumps({"type": "welcome", "expires_in": 3600, "session_key": session, name: 1, "urls": [f"wss://h/{part}?sig={ticket}"]})),
        ("send", f"resume {refresh}"), ("send", json.dumps({"type": "renew", "token": second})),
        ("receive", json.dumps({"type": "renewed", "expires_in": 7200, "refresh_token": refresh})),
    ]
    now = time.time()
    day = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now))
    headers = {"Authorization": f"Bearer {basic}", "Cookie": f"sid={cookie}", "X-Api-Key": key, "Sec-WebSocket-Protocol": f"v1, {ticket}"}
    request = {
        "method": "GET", "url": f"wss://realtime.example/rooms/{part}?api_key={key}&ticket={ticket}&v=2",
        "headers": [{"name": field, "value": value} for field, value in headers.items()], "queryString": [],
    }
    posted = {
        "startedDateTime": day, "response": {"status": 200, "headers": [], "content": {"text": json.dumps({"ticket": ticket, "token": first})}},
        "request": {
            "method": "POST", "url": f"https://realtime.example/login?code={other}", "headers": request["headers"],
            "postData": {"text": json.dumps({"password": password})},
        },
    }
    entry = {
        "startedDateTime": day, "_resourceType": "websocket", "request": request,
        "response": {"status": 101, "headers": [{"name": "Set-Cookie", "value": f"sid={set_cookie}"}], "content": {}},
        "_webSocketMessages": [{"type": kind, "time": now + at / 10, "opcode": 1, "data": data} for at, (kind, data) in enumerate(say)],
    }
    path = tmp_path / "page.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [posted, entry]}}))
    text = postern("wire", "draft", path).stdout
    assert "eyJ" not in text and not [mark for mark in marked if mark in text], text
    assert '"how": "timer"' in text and '"/type": "renewed"' in text, text


# A client that renews on its connection, and one that comes back after the gateway has closed it.
PAGES = {
    "centrifugo": """async ([url, first, second]) => {
      const socket = new WebSocket(url + "/connection/websocket");
      const event = name => new Promise(done => socket.addEventListener(name, done, { once: true }));
      await event("open");
      for (const command of [{ connect: { token: first, name: "js" } }, { refresh: { token: second } }]) {
        const answer = event("message");
        socket.send(JSON.stringify({ id: "connect" in command ? 1 : 2, ...command }));
        await answer;
      }
      const closed = event("close");
      socket.close();
      await closed;
    }""",
    "close-4401": """async ([url, first, second]) => {
      for (const token of [first, second]) {
        const socket = new WebSocket(url + "/ws/feed/?token=" + token);
        const event = name => new Promise(done => socket.addEventListener(name, done, { once: true }));
        await event("open");
        const [answer, closed] = [event("message"), event("close")];
        socket.send(JSON.stringify({ type: "ping" }));
        await answer;
        if (token === second) socket.close();
        await closed;
      }
    }""",
}


@pytest.mark.parametrize("name", PAGES)
def test_the_har_files_of_playwright_and_of_chromiums_own_tools_give_the_draft_of_the_recording_but_for_ends(name, tmp_path):
    lives, sockets = ([60, 120], 1) if name == "centrifugo" else ([12, 120], 2)
    of_tools, of_playwright, recording = (tmp_path / file for file in ("tools.har", "page.har", "run.jsonl"))
    with Gateway(*serving(name, tmp_path), loops=1) as gateway, Proxied(gateway.url, "--record", recording) as proxy:
        browser_har.record(PAGES[name], lambda: [proxy.url, *(token("ann", life) for life in lives)], sockets, of_playwright, of_tools)
    assert "eyJ" in of_playwright.read_text() and "eyJ" in of_tools.read_text()
    assert json.loads(of_tools.read_text())["log"]["creator"]["name"] == "WebInspector"
    texts = [draft(path, tmp_path).read_text() for path in (recording, of_playwright, of_tools)]
    assert all("A HAR file has no close codes" in text for text in texts[1:])
    drafts = [json5.loads(text) for text in texts]
    for drafted in drafts:
        drafted.pop("ends", None)
        drafted.setdefault("serve", {}).pop("closes", None)
    assert drafts[0] == drafts[1] == drafts[2], texts
    assert drafts[0]["refresh"]["how"] == ("timer" if name == "centrifugo" else "reconnect"), texts
