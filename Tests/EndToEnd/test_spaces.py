"""Spaces of a process, one gateway for each test: created, moved in time and ended over the control port."""

import concurrent.futures
import json
import os
import socket
import subprocess
import threading
import time
import uuid

import pytest

import documents
import sendbird
import stream
from clients import Client, Refused, api, control, request
from gateway import Gateway, token
from spaces import Space


@pytest.fixture(scope="module")
def host():
    with Gateway("--spaces", "--spaces-max", "250", "--refresh-lead", "30s", loops=1) as gateway:
        yield gateway


def is_refused(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def test_two_spaces_with_the_same_user_do_not_see_each_other(host):
    with Space(host) as one, Space(host) as other:
        assert one.made["secret"] != other.made["secret"] and one.port != other.port
        with Client(one, token=one.token()) as ann, Client(other, token=other.token()) as double:
            ann.receive("connected")
            double.receive("connected")
            for space in (one, other):
                sessions = control(space, "GET", "/sessions").json["sessions"]
                assert [session["user_id"] for session in sessions] == ["ann"]
            assert control(host, "GET", "/sessions").json == {"sessions": []}
            assert control(one, "POST", "/users/ann/expire").json == {"sessions": 1}
            assert ann.receive("refresh_required")["cause"] == "expiry"
            assert double.is_alive() and double.passed == []
            with pytest.raises(Refused) as refusal:
                Client(other, token=one.token())
            assert refusal.value.error["number"] == 401004


def test_a_day_later_a_client_refreshes_on_the_same_connection(host):
    with Space(host) as space, Client(space, token=space.token()) as ann:
        connection = ann.receive("connected")["connection_id"]
        asked = []

        def answer():
            asked.append(ann.receive("refresh_required"))
            ann.send("refresh", id="1", token=space.token(life=10 * 86_400))

        client = threading.Thread(target=answer)
        client.start()
        before = space.clock()
        moved = space.advance(86_400, patience_ms=20_000)
        client.join()
        assert moved["answered"] and moved["owing"] == [] and moved["moved_s"] == 86_400 and moved["steps"] >= 1
        assert ann.receive("refreshed") and asked[0]["cause"] == "expiry"
        session = control(space, "GET", f"/sessions/{connection}").json
        assert session["phase"] == "active" and 8 * 86_400_000 < session["expires_in_ms"] < 10 * 86_400_000
        after = space.clock()
        assert 86_400 <= after["session_s"] - before["session_s"] < 86_460 and after["moved_s"] == 86_400
        assert 86_400 <= after["wall"] - before["wall"] < 86_460 and not after["frozen"]


def test_who_does_not_answer_is_owing_and_then_out(host):
    with Space(host) as space, Client(space, token=space.token()) as ann:
        ann.receive("connected")
        moved = space.advance(3_600, patience_ms=0, stop_at="refresh_required")
        # Asked thirty seconds before expiry, as the process was configured.
        assert not moved["answered"] and 3_560 < moved["moved_s"] <= 3_570
        assert [(one["user_id"], one["phase"]) for one in moved["owing"]] == [("ann", "refreshing")]
        # The closing handshake takes longer than the move.
        moved = space.advance(61, patience_ms=0)
        assert moved["owing"] == [] and moved["cut_off"] == 1 and not moved["answered"]
        assert ann.until_closed() == (4000, "refresh_timeout")


def test_the_time_of_day_may_stay(host):
    with Space(host) as space:
        space.advance(86_400, wall="stays")
        assert space.clock()["moved_s"] == 86_400 and abs(space.clock()["wall"] - time.time()) < 60


def test_frozen_time_changes_only_by_moves(host):
    with Space(host, frozen=True) as space:
        first = space.clock()
        time.sleep(0.05)
        then = space.clock()
        # Only the age of its journal is real time.
        assert then.pop("real_ms") > first.pop("real_ms")
        assert then == first and first["frozen"]
        space.advance(60)
        assert space.clock()["session_s"] == first["session_s"] + 60
        assert space.clock()["wall"] == pytest.approx(first["wall"] + 60, abs=1e-3)


def test_the_end_closes_with_1001_and_frees_the_port_and_the_name(host):
    name = f"t-{uuid.uuid4().hex}"
    with Space(host, name=name) as space, Client(space, token=space.token()) as ann:
        ann.receive("connected")
        ended = []
        ends = [threading.Thread(target=lambda: ended.append(space.end())) for _ in range(2)]
        for end in ends:
            end.start()
        assert ann.until_closed()[0] == 1001
        for end in ends:
            end.join()
        assert sorted(answer.status for answer in ended) in ([200, 200], [200, 404])
        assert {"name": name, "connections": 1} in [answer.json for answer in ended]
        assert is_refused(space.port)
        for path in ("/clock", "/sessions", ""):
            assert request(host.control_url, "GET", f"/spaces/{name}{path}", document=None).status == 404
        with Space(host, name=name, port=space.port) as again:
            assert again.port == space.port and control(again, "GET", "/sessions").json == {"sessions": []}


def test_the_end_during_a_move_ends_the_move(host):
    space = Space(host)
    with Client(space, token=space.token(life=60)) as ann, concurrent.futures.ThreadPoolExecutor() as pool:
        ann.receive("connected")
        path = f"/spaces/{space.name}/clock/advance"
        moving = pool.submit(control, host, "POST", path, {"by_s": 3600, "patience_ms": 60_000})
        ann.receive("refresh_required")
        second = control(host, "POST", path, {"by_s": 1})
        assert second.status == 409 and "one move at a time" in second.error["message"]
        assert space.end().status == 200
        assert moving.result().status == 404 and ann.until_closed()[0] == 1001


def test_forgotten_spaces_end_by_themselves(host):
    space = Space(host, idle_s=1)
    assert space.made["idle_s"] == 1
    limit = time.monotonic() + 60
    while control(host, "GET", f"/spaces/{space.name}").status == 200:
        assert time.monotonic() < limit
        time.sleep(0.02)
    assert is_refused(space.port)


def test_spaces_are_found_by_path_and_by_host(host):
    with Space(host) as space:
        with Client(host, url=f"{host.url}/s/{space.name}", token=space.token()) as ann:
            ann.receive("connected")
            assert [one["user_id"] for one in control(space, "GET", "/sessions").json["sessions"]] == ["ann"]
        path = f"/s/{space.name}/v1/tokens"
        assert request(host.http_url, "POST", path, {"user_id": "ann"}, document=None).status == 200
        headers = {"Host": f"{space.name}.localhost:{host.port}"}
        made = request(host.http_url, "POST", "/v1/tokens", {"user_id": "ann"}, headers=headers)
        with Client(space, token=made.json["token"]) as ann:
            ann.receive("connected")
        for place, named in (("/s/nobody/v1/tokens", {}), ("/v1/tokens", {"Host": "nobody.localhost"})):
            answer = request(host.http_url, "POST", place, {"user_id": "ann"}, headers=named, document=None)
            assert answer.status == 404 and "no such space" in answer.error["message"]


def test_two_spaces_are_told_apart_by_the_application_that_a_vendors_client_names(host):
    with Space(host, name="blue") as blue, Space(host, name="green") as green:
        for space, other in ((blue, green), (green, blue)):
            user = stream.mint("ann", secret=space.made["secret"])
            with stream.Socket(host, "/video/connect", {"stream-auth-type": "jwt"}, key=space.name) as ann:
                ann.say({"token": user, "user_details": {"id": "ann"}})
                ann.hear("connection.ok")
                assert [one["user_id"] for one in control(space, "GET", "/sessions").json["sessions"]] == ["ann"]
                assert control(other, "GET", "/sessions").json["sessions"] == []
            made = request(
                host.http_url, "POST", "/v3/users", {"user_id": "bob", "nickname": "", "profile_url": ""},
                headers={"Api-Token": space.made["secret"], "Host": f"api-{space.name}.localhost"}, document=None,
            )
            assert made.status == 200, made.body
            query = {"ai": space.name, "user_id": "bob", "p": "JS", "sv": "4.9.8"}
            with sendbird.SendbirdClient(host, query) as bob:
                bob.receive("LOGI")
                assert {one["dialect"] for one in control(space, "GET", "/sessions?user=bob").json["sessions"]} == {"sendbird"}
                assert control(other, "GET", "/sessions?user=bob").json["sessions"] == []


def test_spaces_are_listed_page_by_page(host):
    names = [f"page-{index}" for index in range(5)]
    spaces = [Space(host, name=name) for name in names]
    first = control(host, "GET", "/spaces?limit=2&after=page-").json
    assert [space["name"] for space in first["spaces"]] == names[:2]
    rest = control(host, "GET", f"/spaces?limit=3&after={first['next']}").json
    assert [space["name"] for space in rest["spaces"]] == names[2:] and "secret" not in rest["spaces"][0]
    for space in spaces:
        space.end()
    assert control(host, "GET", "/spaces?limit=0").status == control(host, "GET", "/spaces?name=x").status == 400


def test_spaces_have_the_settings_of_serve(host):
    settings = {
        "token-life": "2m", "refresh-timeout": "1s", "any-refresh-timeout": True, "origin": ["https://app.example"],
        "connections-max": 1, "secret": "a secret of a test's own, of forty letters",
    }
    with Space(host, settings=settings) as space:
        assert "secret" not in space.made
        told = control(space, "GET", "/settings").json
        plain = next(dialect for dialect in told["dialects"] if dialect["name"] == "plain")
        assert plain["refresh_timeout_s"] == 1 and told["provider"]["token_life_s"] == 120
        assert plain["refresh_lead_s"] == 30 and told["limits"]["connections_max"] == 1
        with Client(space, token=token("ann", secret=settings["secret"]), origin="https://app.example") as ann:
            ann.receive("connected")
    with Space(host, settings={"key-id": "k7", "algorithm": "HS512"}) as space:
        with Client(space, token=token("ann", secret=space.made["secret"], algorithm="HS512")) as ann:
            ann.receive("connected")


def test_two_hundred_spaces_leave_nothing_behind(host):
    def life(_):
        with Space(host) as space, Client(space, token=space.token()) as ann:
            ann.receive("connected")
            assert control(space, "POST", "/users/ann/disconnect").json == {"sessions": 1}
            ann.until_closed()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(life, range(200)))
        before, bytes_before = host.descriptors(), host.resident_bytes()
        list(pool.map(life, range(200)))
    limit = time.monotonic() + 60
    while host.descriptors() > before and time.monotonic() < limit:
        time.sleep(0.1)
    assert host.descriptors() <= before
    # The total of all vendors for a space is forty times this.
    assert host.resident_bytes() - bytes_before < 200 * 10_000
    assert control(host, "GET", "/spaces").json == {"spaces": []}


def test_the_number_of_spaces_is_bounded():
    with Gateway("--spaces", "--spaces-max", "2", loops=1) as host:
        with Space(host), Space(host):
            answer = control(host, "POST", "/spaces")
            assert answer.status == 503 and "--spaces-max" in answer.error["message"]
        with Space(host):
            pass


def test_the_drain_of_the_gateway_ends_its_spaces():
    with Gateway("--spaces", "--drain-window", "1s", loops=1) as host:
        spaces = [Space(host) for _ in range(3)]
        clients = [Client(space, token=space.token()) for space in spaces]
        for client in clients:
            client.receive("connected")
        assert control(host, "POST", "/drain").status == 202
        for client in clients:
            assert client.until_closed()[0] == 1001
            client.stack.close()
        assert host.process.wait(timeout=60) == 0


def test_without_the_flag_the_answer_names_it(gateway):
    for method, path in (("GET", "/spaces"), ("POST", "/spaces"), ("GET", "/spaces/t17"), ("DELETE", "/spaces/t17")):
        answer = control(gateway, method, path)
        assert answer.status == 404 and "--spaces" in answer.error["message"]
    answer = request(gateway.control_url, "GET", "/spaces/t17/sessions", document=None)
    assert answer.status == 404 and "--spaces" in answer.error["message"]


def test_with_two_loops_spaces_have_their_ports_only():
    with Gateway("--spaces", loops=2) as host, Space(host) as space:
        with Client(space, token=space.token()) as ann:
            ann.receive("connected")
            assert len(control(space, "GET", "/sessions").json["sessions"]) == 1
        answer = request(host.http_url, "POST", f"/s/{space.name}/v1/tokens", {"user_id": "ann"}, document=None)
        assert answer.status == 404 and "--loops 1" in answer.error["message"]


def test_the_control_secret_guards_spaces_too(tmp_path):
    secret = tmp_path / "control-secret"
    secret.write_text("open sesame, and be quick about it")
    with Gateway("--spaces", "--control-secret-file", str(secret), loops=1) as host:
        assert control(host, "POST", "/spaces").status == control(host, "GET", "/spaces").status == 401
        name = control(host, "POST", "/spaces", token=secret.read_text()).json["name"]
        assert request(f"{host.control_url}/spaces/{name}", "GET", "/sessions", document=documents.CONTROL).status == 401
        assert control(host, "DELETE", f"/spaces/{name}").status == 401
        assert control(host, "DELETE", f"/spaces/{name}", token=secret.read_text()).status == 200


def test_the_same_from_a_shell(host):
    def ctl(*words):
        command = [os.environ["POSTERN"], "ctl", *words, "--url", host.control_url]
        return subprocess.run(command, capture_output=True, text=True, timeout=30)

    def facts(text):
        return dict(line.split(maxsplit=1) for line in text.splitlines())

    made = ctl("space", "create", "--name", "shell", "--frozen", "--set", "token-life=2m", "--set", "origin=null")
    assert made.returncode == 0, made.stderr
    shown = facts(made.stdout)
    assert shown["name"] == "shell" and shown["frozen"] == "yes" and shown["urls.plain"].endswith("/v1/connect"), shown
    lines = ctl("spaces").stdout.splitlines()
    assert lines[0].split()[0] == "CONNECTIONS" and any("shell" in line.split() for line in lines[1:]), lines
    assert facts(ctl("space", "show", "--space", "shell").stdout)["port"] == shown["port"]
    assert json.loads(ctl("space", "show", "--space", "shell", "--json").stdout)["port"] == int(shown["port"])
    assert facts(ctl("advance", "--space", "shell", "--by", "1d").stdout)["moved_s"] == "86400"
    assert facts(ctl("clock", "--space", "shell").stdout)["session_s"] == "86400"
    assert '"token_life_s":120' in ctl("settings", "--space", "shell").stdout
    assert "SESSION" in ctl("sessions", "--space", "shell").stdout
    assert "'ann' has no session" in ctl("expire", "--user", "ann", "--space", "shell").stderr
    assert ctl("space", "end", "--space", "shell").returncode == 0
    assert ctl("clock", "--space", "shell").returncode == 1
    for words in (("advance", "--by", "1d"), ("space", "end"), ("space", "x"), ("space", "create", "--set", "x")):
        assert ctl(*words).returncode == 2
