"""The tables of Docs/dialects: which of a vendor's operations are answered, and which tests cover them.

`operations/VENDOR.txt` lists what the vendor's clients and servers call. Each is asked of a gateway that runs, and looked
for in the tests, so that a table says nothing but what is. `operations.py path/to/postern` writes the tables anew.
"""

import base64
import contextlib
import json
import os
import re
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

import jwt
from websockets.sync.client import connect

import sinch
from clients import control, request
from gateway import SECRET, Gateway

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "Docs" / "dialects"


class Operation:
    """One line of a catalogue."""

    def __init__(self, line, section):
        fields = re.split(r"\s*\|\s*", line) + [""] * 6
        self.name, self.method, self.path, self.asker, self.body, self.sdk = fields[:6]
        self.is_shown = self.name != "+"
        self.section = section
        # The path as it is written, and the path of the request.
        self.pattern = re.sub(r"\{(\w+)=[^}]*\}", r"{\1}", self.path.split("?")[0])

    def target(self, names):
        target = re.sub(r"\{\w+=([^}]*)\}", r"\1", self.path)
        return re.sub(r"\{(\w+)\}", lambda match: names[match[1]], target)


def catalogue(name):
    """The operations of a vendor, and the values for the parts of their paths."""
    names, operations, section = {}, [], ""
    for line in (HERE / "operations" / f"{name}.txt").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line and not line.startswith("#"):
            if "|" in line:
                operations.append(Operation(line, section))
            else:
                key, value = line.split(" = ")
                names[key] = value
    return operations, names


class Vendor:
    """Defaults of all operations."""

    flags = []
    # The body of a 404 for an unknown path, if it is not the gateway's own.
    missing = "nothing is here"

    @contextlib.contextmanager
    def ready(self, gateway):
        """Values for further parts of paths, while they are valid."""
        yield {}


class Stream(Vendor):
    """Sends requests as Stream's clients and servers do."""

    name, title, tests = "stream", "Stream: operations", ["StreamTests"]
    suites = ["stream*", "test_stream*", "getstream-*", "stream-chat"]
    missing = "no such path"
    page = "stream-video.md"
    flags = ["--stream-api-key", "stream"]

    def ask(self, gateway, method, target, asker, body):
        headers = {"stream-auth-type": "jwt"}
        if asker != "open":
            claims = {"server": True} if asker == "server" else {"user_id": asker}
            headers["Authorization"] = jwt.encode(claims, SECRET, algorithm="HS256")
        mark = "&" if "?" in target else "?"
        path = f"{target}{mark}api_key=stream"
        return request(gateway.http_url, method, path, headers=headers, document=None, raw=body.encode() or None)


class Streem(Vendor):
    """Sends requests as an identified expert, as a company's server, or without credentials."""

    name, title, tests = "streem", "Streem: operations", ["StreemTests"]
    suites = ["test_streem*", "Streem"]

    @contextlib.contextmanager
    def ready(self, gateway):
        key = control(gateway, "POST", "/streem/api-keys", {}).json
        self.basic = base64.b64encode(f"{key['id']}:{key['secret']}".encode()).decode()
        order = {"scheme": "streem", "user_id": "ann", "life_s": 600}
        self.token = request(gateway.http_url, "POST", "/v1/tokens", order, document=None).json["token"]
        address = gateway.url + "/streem/v1/connect"
        with connect(address, proxy=None, open_timeout=60) as expert, connect(address, proxy=None, open_timeout=60) as customer:
            expert.send(json.dumps({"type": "identify", "token": self.token, "isExpert": True}))
            ann = json.loads(expert.recv(timeout=60))["user"]["streemUserId"]
            token = request(gateway.http_url, "POST", "/v1/tokens", order | {"user_id": "carl"}, document=None).json["token"]
            customer.send(json.dumps({"type": "identify", "token": token}))
            assert json.loads(customer.recv(timeout=60))["type"] == "identified"
            customer.send(json.dumps({"type": "startRemoteStream", "remoteUserId": ann, "role": "LOCAL_CUSTOMER"}))
            ringing = json.loads(customer.recv(timeout=60))
            invited = self.ask(gateway, "POST", "/streem/v1/invitations", "expert", '{"toUserName":"Carol"}')
            path = "/v1/companies/postern/groups/support/reservations"
            reserved = self.ask(gateway, "POST", path, "server", '{"externalUserId":"carol"}')
            hook = self.ask(gateway, "POST", "/v1/webhooks", "server", '{"url":"https://a.example/","label":"b"}')
            sid = ringing["room"]["roomSid"]
            shared = self.ask(gateway, "POST", f"/v1/rooms/{sid}/share-tokens", "server", "{}")
            authorization = {
                "client_id": "streem-sdk", "redirect_uri": "pro.streem.sdk.StreemNow:/oauth-callback",
                "response_type": "code", "scope": "openid", "code_challenge_method": "S256",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            }
            yield {
                "invitation": invited.json["invitationCode"].replace("-", ""),
                "reservation": reserved.json["group_reservation"]["reservation_sid"],
                "webhook": hook.json["webhook"]["sid"],
                "room": sid,
                "share": shared.json["share_token"]["share_url"].split("/")[4],
                "authorization": urllib.parse.urlencode(authorization),
            }

    def ask(self, gateway, method, target, asker, body):
        headers = {"expert": {"Authorization": f"Bearer {self.token}"}, "server": {"Authorization": f"Basic {self.basic}"}}
        headers = dict(headers.get(asker, {}))
        kind = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
        if body:
            headers["Content-Type"] = kind
        raw = body.replace("TOKEN", self.token).encode() or None
        return request(gateway.http_url, method, target, headers=headers, document=None, raw=raw)


class Sinch(Vendor):
    """Sends requests as an application, its server, a user with a ticket, or a registered instance."""

    name, title, tests = "sinch", "Sinch: operations", ["SinchTests"]
    suites = ["test_sinch*"]

    def __init__(self):
        self.files = tempfile.TemporaryDirectory()
        for file in ("secret", "password"):
            Path(self.files.name, file).write_text(sinch.SECRET + "\n")
        self.flags = ["--sinch-application", f"{sinch.KEY}={self.files.name}/secret"]
        self.flags += ["--sinch-user", f"carol={self.files.name}/password"]

    @contextlib.contextmanager
    def ready(self, gateway):
        self.instance = self.ask(gateway, "POST", "/instance", "ticket", "{}").json
        yield {"application": sinch.KEY, "instance": self.instance["id"]}

    def ask(self, gateway, method, target, asker, body):
        stamp = sinch.now()
        mobile = {
            "ApplicationKey": sinch.KEY, "Capabilities": ["p2p"], "DeviceId": "m1", "DeviceType": 2, "SdkVersion": "3.17.6",
            "Seed": "1", "Signature": sinch.mobile_signature("mike", 1), "UserId": "mike",
        }
        raw = body.replace("TOKEN", sinch.token()).replace("MOBILE", json.dumps(mobile)).encode()
        headers = {"Content-Type": "application/json"}
        if asker == "application":
            headers["Authorization"] = f"application {sinch.KEY}"
        if asker == "ticket":
            headers |= {"Authorization": f"user {sinch.ticket('webby')}", "X-Timestamp": stamp}
        if asker in ("server", "instance"):
            name, secret = (sinch.KEY, sinch.SECRET) if asker == "server" else (self.instance["id"], self.instance["secret"])
            scheme = "application" if asker == "server" else "instance"
            code = sinch.signature(secret, method, target, stamp, raw, headers["Content-Type"])
            headers |= {"Authorization": f"{scheme} {name}:{code}", "X-Timestamp": stamp}
        return request(gateway.http_url, method, target, headers=headers, document=None, raw=raw or None)


class Sendbird(Vendor):
    """Sends requests as Sendbird's clients and servers do."""

    name, title, tests = "sendbird", "Sendbird: operations", ["SendbirdTests"]
    suites = ["test_sendbird*", "sendbird-platform"]
    missing = '"code":400930'
    page = "sendbird.md"
    flags = []

    def __init__(self):
        self.keys = {}

    def ask(self, gateway, method, target, asker, body):
        headers = {}
        if asker == "server":
            headers["Api-Token"] = SECRET
        elif asker != "open":
            headers["Session-Key"] = self.key(gateway, asker)
        raw = body.encode() or None
        if body.startswith("form "):
            headers["Content-Type"] = "multipart/form-data; boundary=b"
            part = f'Content-Disposition: form-data; name="{body[5:]}"; filename="x.png"\r\nContent-Type: image/png'
            raw = f"--b\r\n{part}\r\n\r\nbytes\r\n--b--\r\n".encode()
        return request(gateway.http_url, method, target, headers=headers, document=None, raw=raw)

    def key(self, gateway, user):
        """The user's session key, from a login without a socket."""
        place = gateway.http_url, user
        if place not in self.keys:
            path = f"/v3/sdk/users/{user}/authentication"
            self.keys[place] = request(gateway.http_url, "POST", path, {}, document=None).json["key"]
        return self.keys[place]


VENDORS = [Stream(), Sendbird(), Streem(), Sinch()]


def state(vendor, answer):
    """The table's word for an answer."""
    if 200 <= answer.status < 300:
        return "answered"
    text = answer.body.decode()
    if answer.status in (400, 404) and vendor.missing in text or answer.status == 405:
        return "not there"
    match = re.search(r'"(?:code|errorCode)":(-?\d+)|"error":"(\w+)"', text)
    return f"refused, {match[1] or match[2] if match else answer.status}"


def states(vendor, postern):
    """Each operation of the table, and its state."""
    os.environ["POSTERN"] = str(postern)
    operations, names = catalogue(vendor.name)
    found = []
    with Gateway(*vendor.flags) as gateway, vendor.ready(gateway) as further:
        names |= further
        for operation in operations:
            answer = vendor.ask(gateway, operation.method, operation.target(names), operation.asker, operation.body)
            if operation.is_shown:
                found.append((operation, state(vendor, answer)))
            else:
                assert 200 <= answer.status < 300, (operation.path, answer.status, answer.body)
    return found


# The length of the path prefix that all operations of a kind share.
COMMON = re.compile(
    r"^/(?:api/v2/video|api/v2|video|v3)?/?(?:call/\{type\}/\{id\}|\{kind\}/\{channel_url\}|group_channels/\{channel_url\}"
    r"|open_channels/\{channel_url\}|users/\{user_id\})?")


# The ways in which Swift and Python write a parameter of a path.
PART = r"(?:[^/\s\"'?]|\\\([^)]*\))+"


def end(operation):
    """The path without the prefix that all of its kind share: `members` of `/video/call/{type}/{id}/members`."""
    return (COMMON.sub("", operation.pattern, count=1) or operation.pattern).strip("/")


class Tests:
    """The sources of a vendor's tests."""

    def __init__(self, vendor):
        # The ends of fully written paths, by method: `stats/daily_digest` must not count as `stats/{session}`.
        ends = {(operation.method, end(operation)) for operation in catalogue(vendor.name)[0]}
        self.written_out = {(method, text) for method, text in ends if "{" not in text}
        files = []
        for folder in vendor.tests:
            files += (ROOT / "Tests" / "Vendors" / folder).rglob("*.swift")
        for pattern in vendor.suites:
            for path in HERE.glob(pattern):
                files += [path] if path.is_file() else path.glob("*.py")
        self.files = {path: path.read_text() for path in sorted(files) if path.suffix in (".swift", ".py")}

    def of(self, operation):
        """The files that send the operation's request, by its path or by the client's method."""
        parts = [PART if part.startswith("{") else re.escape(part) for part in end(operation).split("/")]
        # The method, and on its line or the next one the path: at its beginning or behind a part that the test fills in.
        asked = re.compile(
            rf"[\"']{operation.method}[\"'],?[^\n]*\n?[^\n]*?[\"'](?:[^\"'\s]*/)?({'/'.join(parts)})(?:\?[^\"'\n]*)?[\"']")
        written = operation.sdk.removeprefix("=") if operation.sdk.startswith("=") else None
        called = re.compile(rf"\.{operation.sdk}\(") if operation.sdk and not written else None
        names = []
        for path, text in self.files.items():
            is_called = called and path.suffix == ".py" and called.search(text)
            ends = {found[1] for found in asked.finditer(text)}
            is_asked = any(text == end(operation) or (operation.method, text) not in self.written_out for text in ends)
            if is_asked or written and written in text or is_called:
                names.append(path.name if path.suffix == ".swift" else str(path.relative_to(HERE)))
        return names


def table(vendor, postern):
    """Returns the text of the vendor's page."""
    tests, lines, section = Tests(vendor), [], None
    found = states(vendor, postern)
    answered = sum(1 for _, said in found if said == "answered")
    lines += [
        f"# {vendor.title}", "",
        "Written by `Tests/EndToEnd/operations.py path/to/postern`, which asks a gateway for each operation and looks for it in",
        "the tests; a test holds this page to both. *Answered* is a success; *refused* is the vendor's error of that code, to a",
        "request that could not be granted; *not there* is an unknown path.", "",
        f"{answered} of {len(found)} are answered.",
    ]
    for operation, said in found:
        if operation.section != section:
            section = operation.section
            lines += ["", f"## {section}", "", "| Operation | Request | State | Tested by |", "|---|---|---|---|"]
        names = ", ".join(f"`{name}`" for name in tests.of(operation)[:3]) or "–"
        lines.append(f"| {operation.name} | `{operation.method} {operation.pattern}` | {said} | {names} |")
    return "\n".join(lines) + "\n"


def path(vendor):
    return FOLDER / f"{vendor.name}-operations.md"


if __name__ == "__main__":
    for vendor in VENDORS:
        began = time.monotonic()
        path(vendor).write_text(table(vendor, Path(sys.argv[1]).resolve()))
        print(f"{path(vendor).relative_to(ROOT)}: {time.monotonic() - began:.1f} s")
