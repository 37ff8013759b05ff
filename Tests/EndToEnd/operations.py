"""The tables of Deploy/dialects: which of a vendor's operations are answered, and what tests them.

`operations/VENDOR.txt` lists what the vendor's clients and servers call. Each is asked of a gateway that runs, and looked
for in the tests, so that a table says nothing but what is. `operations.py path/to/postern` writes the tables anew.
"""

import os
import re
import sys
import time
from pathlib import Path

import jwt

from clients import request
from gateway import SECRET, Gateway

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "Deploy" / "dialects"


class Operation:
    """One line of a catalogue."""

    def __init__(self, line, section):
        fields = re.split(r"\s*\|\s*", line) + [""] * 6
        self.name, self.method, self.path, self.asker, self.body, self.sdk = fields[:6]
        self.is_shown = self.name != "+"
        self.section = section
        # The path as it is written, and the one that is asked for.
        self.pattern = re.sub(r"\{(\w+)=[^}]*\}", r"{\1}", self.path.split("?")[0])

    def target(self, names):
        target = re.sub(r"\{\w+=([^}]*)\}", r"\1", self.path)
        return re.sub(r"\{(\w+)\}", lambda match: names[match[1]], target)


def catalogue(name):
    """The operations of a vendor, and what stands for the parts of their paths."""
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


class Stream:
    """Asks as Stream's clients and servers do."""

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


VENDORS = [Stream()]


def state(vendor, answer):
    """What a table says of an answer."""
    if 200 <= answer.status < 300:
        return "answered"
    text = answer.body.decode()
    if answer.status == 404 and vendor.missing in text or answer.status == 405:
        return "not there"
    match = re.search(r'"code":(-?\d+)', text)
    return f"refused, {match[1] if match else answer.status}"


def states(vendor, postern):
    """Each operation that is shown, and its state."""
    os.environ["POSTERN"] = str(postern)
    operations, names = catalogue(vendor.name)
    found = []
    with Gateway(*vendor.flags) as gateway:
        for operation in operations:
            answer = vendor.ask(gateway, operation.method, operation.target(names), operation.asker, operation.body)
            if operation.is_shown:
                found.append((operation, state(vendor, answer)))
            else:
                assert 200 <= answer.status < 300, (operation.path, answer.status, answer.body)
    return found


# Where the parts of a path end that all operations of a kind have.
COMMON = re.compile(
    r"^/(?:api/v2/video|api/v2|video|v3)?/?(?:call/\{type\}/\{id\}|\{kind\}/\{channel_url\}|group_channels/\{channel_url\}"
    r"|open_channels/\{channel_url\}|users/\{user_id\})?")


# What stands for a part of a path that is filled in, as Swift and Python write it too.
PART = r"(?:[^/\s\"'?]|\\\([^)]*\))+"


class Tests:
    """The texts of a vendor's tests."""

    def __init__(self, vendor):
        files = []
        for folder in vendor.tests:
            files += (ROOT / "Tests" / "Vendors" / folder).rglob("*.swift")
        for pattern in vendor.suites:
            for path in HERE.glob(pattern):
                files += [path] if path.is_file() else path.glob("*.py")
        self.files = {path: path.read_text() for path in sorted(files) if path.suffix in (".swift", ".py")}

    def of(self, operation):
        """The files that ask for the operation, by its path or by the client's method."""
        tail = COMMON.sub("", operation.pattern, count=1) or operation.pattern
        parts = [PART if part.startswith("{") else re.escape(part) for part in tail.strip("/").split("/")]
        # The method, and in its line or the next the path: from its beginning or behind a part that the test fills in.
        asked = re.compile(
            rf"[\"']{operation.method}[\"'],?[^\n]*\n?[^\n]*?[\"'](?:[^\"'\s]*/)?{'/'.join(parts)}(?:\?[^\"'\n]*)?[\"']")
        called = re.compile(rf"\.{operation.sdk}\(") if operation.sdk else None
        names = []
        for path, text in self.files.items():
            if asked.search(text) or called and path.suffix == ".py" and called.search(text):
                names.append(path.name if path.suffix == ".swift" else str(path.relative_to(HERE)))
        return names


def table(vendor, postern):
    """The text of the vendor's page."""
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
