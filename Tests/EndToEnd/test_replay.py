"""An exported journal that is replayed: `postern ctl replay` finds no difference, unless there is one."""

import concurrent.futures
import json
import os
import subprocess
import time
import types

import pytest

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from clients import Client, Refused, control, request
from gateway import Gateway, token
from vendors.wires import Sendbird, Sinch, Stream, Streem

SETTINGS = {"refresh-timeout": "90s", "refresh-lead": "10s"}


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def journal(host, tmp_path_factory):
    """A journal file with everything that may happen to clients of one space."""
    made = control(host, "POST", "/spaces", {"settings": SETTINGS}).json
    address = f"{host.control_url}/spaces/{made['name']}"
    space = types.SimpleNamespace(url=made["url"], control_url=address, secret=made["secret"])
    play(space, lambda order: control(host, "POST", f"/spaces/{made['name']}/clock/advance", order))
    control(space, "POST", "/journal/await", {"kind": "closed", "count": 5, "within_ms": 60_000})
    file = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    exported = control(space, "GET", "/journal/export?payloads=true").body
    assert b"eyJ" not in exported
    file.write_bytes(exported)
    return file


def play(space, advance):
    def mint(user, **more):
        return token(user, **{"secret": space.secret, **more})

    with Client(space, token=mint("ann")) as ann:
        ann.receive("connected")
        control(space, "POST", "/users/ann/expire", {})
        ann.receive("refresh_required")
        assert ann.ask("refresh", token=mint("ann", life=-3600))["error"]["name"] == "token_expired"
        assert ann.ask("refresh", token=mint("bob"))["error"]["name"] == "user_mismatch"
        assert ann.ask("refresh", token=mint("ann", secret="another secret, long enough for a hash of 256"))["type"] == "error"
        assert ann.ask("refresh", token=mint("ann"))["type"] == "refreshed"
        ann.socket.send('{"type":"refrsh"}')
        ann.receive("error")
        assert ann.ask("join", cid="default:standup")["type"] == "joined"
        control(space, "POST", "/users/ann/say", {"text": '{"type":"notice"}'})
        assert ann.socket.recv(timeout=60) == '{"type":"notice"}'
        assert ann.is_alive()
    with pytest.raises(Refused):
        Client(space, token=mint("cleo", life=-3600))
    bob, dora = Client(space), Client(space, query_token=mint("dora"))
    bob.send("connect", token=mint("bob", life=1000))
    bob.receive("connected")
    dora.receive("connected")
    control(space, "POST", "/revocations", {"user_id": "dora", "issued_before": 9e9})
    dora.receive("refresh_required")
    control(space, "POST", "/users/dora/disconnect", {"code": 4321, "reason": "enough"})
    assert dora.until_closed()[0] == 4321
    # One client forgets to answer. The one that sends nothing at all is disconnected as well.
    silent = Client(space)
    advance({"by_s": 2000, "patience_ms": 10})
    assert bob.until_closed()[0] == 4000 and silent.until_closed()[0] == 4001
    with Client(space) as eve:
        assert eve.ask("connect", token="no token")["type"] == "error"
    for client in (bob, dora, silent):
        client.stack.close()


def replay(host, file, **settings):
    words = ["ctl", "replay", str(file), "--url", host.control_url]
    changed = {name.replace("_", "-"): value for name, value in settings.items()}
    for name, value in {**SETTINGS, **changed}.items():
        words += ["--set", f"{name}={value}"]
    outcome = subprocess.run([os.environ["POSTERN"], *words], capture_output=True, text=True, timeout=60)
    return outcome.returncode, outcome.stdout + outcome.stderr


def test_the_same_gateway_does_the_same(host, journal):
    status, said = replay(host, journal)
    assert status == 0 and "0 connections different" in said, said
    alike = int(said.split("played: ")[1].split(" ")[0])
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert alike == len([line for line in lines if not line["kind"].startswith(("http_", "provider_"))])
    # Nothing is left of it.
    assert len(control(host, "GET", "/spaces").json["spaces"]) == 1


def test_a_recording_of_a_space_is_replayed_as_its_journal_is(host, tmp_path):
    made = control(host, "POST", "/spaces", {"settings": SETTINGS}).json
    address = f"{host.control_url}/spaces/{made['name']}"
    space = types.SimpleNamespace(url=made["url"], control_url=address, secret=made["secret"])
    file = tmp_path / "run.jsonl"
    command = [os.environ["POSTERN"], "ctl", "record", str(file), "--space", made["name"], "--url", host.control_url]
    recording = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_text()):
        assert recording.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    play(space, lambda order: control(host, "POST", f"/spaces/{made['name']}/clock/advance", order))
    control(space, "POST", "/journal/await", {"kind": "closed", "count": 5, "within_ms": 60_000})
    # The space ends its recordings.
    control(host, "DELETE", f"/spaces/{made['name']}")
    assert recording.wait(60) == 0
    text = file.read_text()
    assert "eyJ" not in text and '"recording_ended":"stopped"' in text and "token-1" in text
    status, said = replay(host, file)
    assert status == 0 and "0 connections different" in said, said


def test_another_gateway_is_told_from_it(host, journal):
    status, said = replay(host, journal, refresh_timeout="1h", any_refresh_timeout="true")
    assert status == 1 and "recorded cut_off user=bob reason=refresh_timeout code=4000" in said, said
    status, said = replay(host, journal, revocation="close")
    assert status == 1 and "replayed cut_off user=dora reason=token_revoked code=4004" in said, said


def test_a_file_that_says_otherwise_is_told_from_it(host, journal, tmp_path):
    changed = tmp_path / "changed.jsonl"
    changed.write_text(journal.read_text().replace('"code":4000', '"code":4042'))
    status, said = replay(host, changed)
    assert status == 1 and "code=4042" in said and "code=4000" in said, said
    # A message without a payload gets none.
    control_lines = [json.loads(line) for line in journal.read_text().splitlines()]
    changed.write_text("".join(json.dumps({**line, "payload": None}) + "\n" for line in control_lines))
    status, said = replay(host, changed)
    assert status == 1 and "not played, its message is not in the file" in said, said


def test_a_deadline_that_falls_two_milliseconds_later_is_waited_for(host, tmp_path):
    """Lines and tokens have times in whole milliseconds. The deadlines that follow from them do not."""
    made = control(host, "POST", "/spaces", {"settings": SETTINGS, "frozen": True}).json
    address = f"{host.control_url}/spaces/{made['name']}"
    space = types.SimpleNamespace(url=made["url"], control_url=address)

    def mint():
        order = {"user_id": "ann", "life_s": 100}
        return request(made["http_url"], "POST", "/v1/tokens", order, document=None).json["token"]

    with Client(space, token=mint()) as ann:
        ann.receive("connected")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            order = {"by_s": 300, "patience_ms": 20000}
            moved = pool.submit(control, host, "POST", f"/spaces/{made['name']}/clock/advance", order)
            for _ in range(3):
                ann.receive("refresh_required")
                assert ann.ask("refresh", token=mint())["type"] == "refreshed"
            assert moved.result().json["answered"]
    control(space, "POST", "/journal/await", {"kind": "closed", "within_ms": 60_000})
    exported = control(space, "GET", "/journal/export?payloads=true").body.decode()
    control(host, "DELETE", f"/spaces/{made['name']}")
    later = [json.loads(line) for line in exported.splitlines()]
    for line in later:
        if "expires_in_ms" in line:
            line["expires_in_ms"] += 2
    file = tmp_path / "later.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in later))
    status, said = replay(host, file)
    assert status == 0 and "0 connections different" in said, said


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[1]\n", '{"n": 2, "at_ms": 1, "kind": "closed"}\n',
        '{"n": 1, "at_ms": -9223372036854775808, "kind": "closed"}\n{"n": 2, "at_ms": 1, "kind": "closed"}\n',
        '{"n": 1, "at_ms": 0, "kind": "closed"}\n{"n": 2, "at_ms": 9223372036854775807, "kind": "closed"}\n',
    ],
)
def test_a_file_that_is_no_journal_is_refused(host, tmp_path, text):
    file = tmp_path / "file"
    file.write_text(text)
    status, said = replay(host, file)
    assert status == 2 and "FILE" in said, said


WIRES = [Stream(), Sendbird(), Sinch(), Streem()]


def heard(socket, patience=5):
    try:
        return socket.recv(timeout=patience)
    except (TimeoutError, ConnectionClosed):
        return None


def play_vendor(space, wire):
    """A client that logs in, is asked for a token, answers with an expired one and with a good one, sends a message, and is
    disconnected; and one that is refused."""

    def mint(user="martin", **more):
        order = {"user_id": user, "life_s": 3600, "scheme": wire.scheme, **more}
        return request(space.http_url, "POST", "/v1/tokens", order, document=None).json["token"]

    def bad():
        number = control(space, "POST", "/faults", {"fault": "mint_expired", "times": 1}).json["number"]
        minted = mint()
        control(space, "DELETE", f"/faults/{number}")
        return minted

    def client(minted, user="martin"):
        query = wire.query(minted, user)
        socket = connect(
            f"{space.url}{wire.path}{'?' if query else ''}{query}", proxy=None, ping_interval=None, close_timeout=1, open_timeout=60,
            **wire.options(minted, user))
        if (first := wire.login(space, minted, user)) is not None:
            socket.send(first)
        return socket

    with client(mint()) as martin:
        assert heard(martin, 60)
        martin.send(wire.ping())
        control(space, "POST", "/journal/await", {"kind": "message_in", "within_ms": 60_000})
        control(space, "POST", "/users/martin/expire", {})
        if wire.renews_in_place:
            control(space, "POST", "/journal/await", {"kind": "refresh_requested", "within_ms": 60_000})
            for minted in (bad(), mint()):
                martin.send(wire.renewal(minted))
                mark = control(space, "GET", "/journal?limit=1").json["last"]
                control(space, "POST", "/journal/await", {"kind": "message_out", "after": mark - 1, "within_ms": 2000})
            control(space, "POST", "/journal/await", {"kind": "refreshed", "within_ms": 60_000})
            mark = control(space, "GET", "/journal?limit=1").json["last"]
            martin.send(wire.command())
            control(space, "POST", "/journal/await", {"kind": "message_in", "after": mark, "within_ms": 60_000})
            control(space, "POST", "/users/martin/disconnect", {"code": 4321, "reason": "enough"})
        control(space, "POST", "/journal/await", {"kind": "closed", "within_ms": 60_000})
    with client(bad()) as again:
        control(space, "POST", "/journal/await", {"kind": "login_refused", "within_ms": 60_000})
        while heard(again):
            pass
    control(space, "POST", "/journal/await", {"kind": "closed", "count": 2, "within_ms": 60_000})


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_a_vendors_client_is_played_with_tokens_of_its_vendors(host, tmp_path, wire):
    made = control(host, "POST", "/spaces", {"settings": SETTINGS}).json
    address = f"{host.control_url}/spaces/{made['name']}"
    space = types.SimpleNamespace(
        url=made["url"], http_url=made["http_url"], control_url=address, secret=made["secret"], made=made)
    play_vendor(space, wire)
    file = tmp_path / "journal.jsonl"
    file.write_bytes(control(space, "GET", "/journal/export?payloads=true").body)
    control(host, "DELETE", f"/spaces/{made['name']}")
    kinds = [json.loads(line)["kind"] for line in file.read_text().splitlines()]
    assert "login_refused" in kinds and "eyJ" not in file.read_text()
    assert ("refreshed" in kinds and "refresh_refused" in kinds) or not wire.renews_in_place
    status, said = replay(host, file)
    assert status == 0 and "0 connections different" in said, said
    status, said = replay(host, file, revocation="close", refresh_timeout="61s")
    assert status == 0, "what did not happen is no difference: " + said
    changed = tmp_path / "changed.jsonl"
    changed.write_text(file.read_text().replace('"kind":"login_refused"', '"kind":"logged_in"'))
    status, said = replay(host, changed)
    assert status == 1 and "connections different" in said, said
