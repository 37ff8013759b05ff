"""Secrets in every member of every message, in and out: none appears in any output of the gateway or a storm."""

import base64
import http.client
import json
import os
import subprocess
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

import documents
import sendbird
import sinch
import stream
from clients import Client, api, request
from gateway import SECRET, Gateway, token

MARK = "marked-secret-that-nobody-sees"
# Secrets that can be recognised by their form, in every member.
SHAPES = [
    f"eyJhbGciOiJIUzI1NiJ9.{MARK}.x", f"https://h.example/a?access_token={MARK}&b=1", f"Bearer {MARK}", f"Basic {MARK}",
    json.dumps({"token": MARK}), json.dumps({"data": json.dumps({"password": MARK})}),
]
# Members that hold a secret of any form.
NAMES = ["token", "access_token", "accessToken", "jwt", "password", "secret", "client_secret", "sessionKey", "authorization"]
# Values that are no secrets and may be shown.
WORD = "a-word-that-everybody-sees"
PATIENCE = 30


def filled(schema, components, text, depth=0):
    """A value that matches the schema, with `text` wherever text is allowed."""
    schema = components["schemas"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            schema = schema | filled_schema(schema[several], components)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" and depth < 4:
        members = schema.get("properties", {})
        return {name: filled(member, components, text, depth + 1) for name, member in members.items()}
    if kind == "array":
        return [filled(schema.get("items", {}), components, text, depth + 1)]
    return {"integer": 1, "number": 1, "boolean": True, "null": None, "object": {}}.get(kind, text)


def filled_schema(schemas, components):
    whole = {}
    for schema in schemas:
        schema = components["schemas"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
        whole = whole | schema | {"properties": whole.get("properties", {}) | schema.get("properties", {})}
    return whole


def documented(name, text):
    """Every message that a document lets clients send."""
    document = documents.ALL.get(name)
    if document is None:
        # Another suite checks its own traffic against this document.
        document = documents.SocketDocument(name)
        del documents.ALL[name]
    components = document.document["components"]
    for kind in sorted(document.from_client):
        message = filled(components["schemas"][kind], components, text)
        yield kind, {**message, "type": message.get("type", kind)}


def texts(dialect, text):
    """The messages of a client of the dialect, with `text` in every member."""
    if dialect in ("plain", "sinch", "streem"):
        name = {"plain": "asyncapi.yaml", "sinch": "sinch-asyncapi.yaml", "streem": "streem-asyncapi.yaml"}[dialect]
        messages = [message for _, message in documented(name, text)]
    elif dialect == "stream-video":
        user = {"id": text, "name": text, "image": text, "custom": {"a": text}}
        messages = [{"token": text, "user_details": user, "products": [text]}, {"type": "health.check", "client_id": text}]
    else:
        members = {name: text for name in ("req_id", "channel_url", "message", "data", "custom_type", "token", "key")}
        return [f"{command}{json.dumps(members)}\n" for command in ("LOGI", "PING", "MESG", "READ", "TPST", "ENTR", "FILE")]
    extra = [{"type": "unknown", **{name: text for name in NAMES}, "b": {"c": [{"d": text}]}}]
    return [json.dumps(message) for message in messages + extra]


def say(gateway, path, lines, first=(), subprotocols=None, headers=None):
    """Sends all of it, over a new connection if the gateway has ended one."""
    rest = list(lines)
    for _ in range(len(rest) + 1):
        if not rest:
            return
        try:
            with connect(
                gateway.url + path, proxy=None, open_timeout=PATIENCE, subprotocols=subprotocols,
                additional_headers=headers or {}
            ) as socket:
                for line in first:
                    socket.send(line)
                    socket.recv(timeout=PATIENCE)
                while rest:
                    line = rest.pop(0)
                    socket.send(line)
                    try:
                        while True:
                            socket.recv(timeout=0.005)
                    except TimeoutError:
                        pass
        except ConnectionClosed:
            continue
    assert not rest, "the gateway ends connections before anything is said"


def everything(gateway, control_secret, cookie):
    """All outputs of the gateway, by name."""
    shown = {"log": gateway.log()}

    def get(path, **headers):
        return request(gateway.control_url, "GET", path, token=None if headers else control_secret, headers=headers, document=None)

    after, pages = 0, []
    while True:
        page = get(f"/journal?after={after}&limit=1000&payloads=true")
        pages.append(page.body.decode())
        if not page.json["lines"]:
            break
        after = page.json["next"]
    shown["journal"] = "\n".join(pages)
    shown["journal's export"] = get("/journal/export?payloads=true").body.decode()
    for path in ("/settings", "/sessions", "/metrics", "/horizon", "/faults"):
        shown[path] = get(path).body.decode()
    shown["dashboard"] = get("/dashboard", Cookie=cookie).body.decode()
    parts = urllib.parse.urlsplit(gateway.control_url)
    for name, path in (("dashboard's feed", "/dashboard/feed"), ("journal's feed", "/journal/stream?after=0&payloads=true")):
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
        headers = {"Cookie": cookie} if "dashboard" in path else {"Authorization": f"Bearer {control_secret}"}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        assert response.status == 200, path
        shown[name] = "".join(response.readline().decode() for _ in range(60 if "journal" in path else 9))
        connection.close()
    ctl = [os.environ["POSTERN"], "ctl", "--url", gateway.control_url, "--control-secret-file", gateway.control_file]
    for action in (["sessions"], ["journal", "--payloads"]):
        shown["ctl " + action[0]] = subprocess.run([*ctl, *action], capture_output=True, text=True, timeout=60).stdout
    return shown


def storm_report(folder, gateway, *flags, expected=(0, 1)):
    """Every form of a storm's report."""
    command = [os.environ["POSTERN"], "storm", *flags, "--clients", "10", "--rate", "100", "--expire-after", "2s"]
    command += ["--hold", "0s", "--refresh-timeout", "2s", "--fetch-timeout", "2s", "--connect-timeout", "2s", "--timeout", "15s"]
    command += ["--report", str(folder), "--csv", str(folder / "csv"), "--junit", str(folder / "junit"), "--hdr", str(folder / "hdr")]
    folder.mkdir()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode in expected, done.stderr
    files = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
    assert {"storm.html", "storm.json"} <= set(files)
    return {f"storm's {name}": text for name, text in {**files, "table": done.stdout, "errors": done.stderr}.items()}


def secret_free(shown, secrets):
    """None of the secrets appears anywhere, neither as it is nor encoded for JSON or a query."""
    for secret in secrets:
        forms = {secret, urllib.parse.quote(secret, safe=""), json.dumps(secret)[1:-1]}
        for name, text in shown.items():
            for form in forms:
                place = text.find(form)
                assert place < 0, f"{name} shows {form}: ...{text[max(0, place - 200):place + 100]}"


def learnt(value, found):
    """Adds the secrets among the members of an answer to `found`."""
    if isinstance(value, dict):
        for name, member in value.items():
            plain = name.replace("_", "").lower()
            if isinstance(member, str) and len(member) >= 8 and plain.endswith(
                ("token", "secret", "key", "password", "invitationcode", "authorization", "code")
            ) and not plain.endswith(("applicationkey", "apikey", "errorcode", "locationcode")):
                found.add(member)
            learnt(member, found)
    elif isinstance(value, list):
        for member in value:
            learnt(member, found)


@pytest.mark.parametrize("log", [("debug", "text"), ("debug", "json")], ids="-".join)
def test_marked_secrets_in_every_message_of_every_dialect_stand_nowhere(tmp_path, log):
    control_file, provider_file = tmp_path / "control", tmp_path / "provider"
    control_secret, provider_secret = f"control-{MARK}", f"provider-{MARK}"
    control_file.write_text(control_secret)
    provider_file.write_text(provider_secret)
    flags = ["--journal-payloads", "--log-level", log[0], "--log-format", log[1]]
    flags += ["--control-secret-file", str(control_file), "--provider-secret-file", str(provider_file)]
    secrets = {MARK}
    with Gateway(*flags, loops=1) as gateway:
        gateway.control_file = str(control_file)
        login = request(gateway.control_url, "POST", "/dashboard/login", {"secret": control_secret}, document=None)
        cookie = login.headers["set-cookie"].split(";")[0]
        secrets.add(cookie.partition("=")[2])
        good = token("ann")
        secrets.add(good)
        for text in SHAPES:
            quoted = urllib.parse.quote(text)
            # Before a login: in headers, queries, subprotocols and messages.
            say(gateway, "/v1/connect", texts("plain", text))
            for path in (f"/v1/connect?access_token={quoted}", f"/?ai=A&user_id={quoted}&key={quoted}&access_token={quoted}",
                         f"/video/connect?api_key=k&authorization={quoted}", f"/connect?json={quoted}&authorization={quoted}"):
                for headers in ({}, {"Authorization": text}, {"Cookie": f"a={text}"}, {"Access-Token": text}):
                    try:
                        with connect(gateway.url + path, proxy=None, open_timeout=PATIENCE, additional_headers=headers) as one:
                            one.recv(timeout=0.2)
                    except (InvalidHandshake, ConnectionClosed, TimeoutError):
                        pass
            say(gateway, "/sinch/v1/connect", texts("sinch", text))
            say(gateway, "/streem/v1/connect", texts("streem", text))
            say(gateway, "/video/connect?api_key=k", texts("stream-video", text))
            # After a login.
            say(gateway, f"/v1/connect?access_token={good}", texts("plain", text))
            user = {"token": stream.mint("ann"), "user_details": {"id": "ann", "custom": {"a": text}}}
            secrets.add(user["token"])
            say(gateway, "/video/connect?api_key=k&stream-auth-type=jwt", texts("stream-video", text)[1:], [json.dumps(user)])
            bird = sendbird.session_token("ann")
            secrets.add(bird)
            query = urllib.parse.urlencode({"p": "JS", "ai": sendbird.APPLICATION, "user_id": "ann", "access_token": bird})
            say(gateway, f"/?{query}", texts("sendbird", text))
            # Over HTTP, with members and headers that hold secrets.
            body = {name: text for name in NAMES} | {"user_id": text}
            for path in ("/v1/tokens", "/v1/calls", "/v3/users", "/video/guest?api_key=k", "/v1/webhooks", "/V2/Instance"):
                for headers in ({"Authorization": text}, {"Api-Token": text}, {"Session-Key": text}):
                    request(gateway.http_url, "POST", path, body, headers=headers, document=None)
            for path in ("/revocations", "/faults", "/dashboard/login", "/journal/expect"):
                request(gateway.control_url, "POST", path, {**body, "fault": text, "expect": text}, token=control_secret, document=None)
                request(gateway.control_url, "POST", path, body, token=text, document=None)
        # What the gateway itself hands out: tokens, keys, secrets of instances, invitations.
        minted = api(gateway, "POST", "/v1/tokens", {"user_id": "cleo"}, token=provider_secret)
        learnt(minted.json, secrets)
        request(gateway.control_url, "POST", "/revocations", {"token": minted.json["token"]}, token=control_secret, document=None)
        with Client(gateway, token=good) as ann:
            ann.receive("connected")
            fresh = token("ann")
            secrets.add(fresh)
            assert ann.ask("refresh", token=fresh)["type"] == "refreshed"
            ann.send("ping", id=WORD)
            assert ann.receive("pong")["id"] == WORD
        with sendbird.SendbirdClient(gateway, query) as socket:
            learnt(socket.receive("LOGI"), secrets)
        with sinch.SinchClient(gateway) as socket:
            socket.start("alice", key="postern")
            socket.receive("credentialsRequired")
            order = {"user_id": "alice", "scheme": "sinch"}
            jwt = api(gateway, "POST", "/v1/tokens", order, token=provider_secret).json["token"]
            secrets.add(jwt)
            socket.send("register", jwt=jwt)
            learnt(socket.receive("userRegistered"), secrets)
        key = request(gateway.control_url, "POST", "/streem/api-keys", {}, token=control_secret, document=None).json
        secrets.add(key["secret"])
        credentials = "Basic " + base64.b64encode(f"{key['id']}:{key['secret']}".encode()).decode()
        secrets.add(credentials)
        for path in ("/v1/webhooks", "/v1/companies/postern/invitations"):
            answer = request(
                gateway.http_url, "POST", path, {"url": "https://a.example/hook", "label": "one", "name": "Bob"},
                headers={"Authorization": credentials}, document=None)
            if answer.status < 300:
                learnt(answer.json, secrets)
        report = storm_report(
            tmp_path / "report", gateway, "--url", gateway.url, "--control-url", gateway.control_url,
            "--control-secret-file", str(control_file), "--provider-secret-file", str(provider_file))
        shown = everything(gateway, control_secret, cookie)
        assert shown["journal"].count('"message_in"') > 100, "the journal has too little to prove anything"
        for name in ("journal", "journal's export"):
            assert WORD in shown[name], f"{name} does not show what messages say"
        assert shown["log"].count("login") > 10
        secret_free({**shown, **report}, secrets)
        # The gateway's own check at its end is for another secret.
        assert SECRET not in "".join(shown.values())


class Echo(BaseHTTPRequestHandler):
    """A server that repeats the request in every answer."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length).decode(errors="replace")
        said = f"{self.headers.get('Authorization')} {sent} {self.path}"
        body = json.dumps({"error": {"message": f"refused: {said}", "token": said}, "message": said}).encode()
        self.send_response(self.server.status, "no " + said.replace("\r", " ").replace("\n", " ")[:200])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


@pytest.mark.parametrize("status", [401, 503])
def test_a_server_that_says_clients_tokens_back_has_them_in_no_report(tmp_path, status):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    provider = tmp_path / "provider"
    provider.write_text(f"provider-{MARK}")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.status = status
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"127.0.0.1:{server.server_port}"
    try:
        shown = {}
        for dialect in ("plain", "stream-video", "sendbird", "sinch"):
            for way in ("mint", "provider") if dialect == "plain" else ("mint",):
                flags = ["--mint", "--secret-file", str(secret)] if way == "mint" else ["--provider-secret-file", str(provider)]
                report = storm_report(
                    tmp_path / f"{dialect}-{way}", None, "--url", f"ws://{url}", "--dialect", dialect, *flags)
                shown |= {f"{dialect}, {way}: {name}": text for name, text in report.items()}
        secret_free(shown, {MARK, SECRET, "eyJ"})
    finally:
        server.shutdown()
        server.server_close()
