"""Faults of a gateway, ordered over the control port and seen by a real client."""

import json
import os
import signal
import socket
import subprocess
import time
import uuid

import pytest
from websockets.exceptions import ConnectionClosed

import storms
from clients import Client, Refused, api, control, request
from gateway import SECRET, Gateway, token
from orders import until
from raw import RawSocket, connected


@pytest.fixture(scope="module")
def faulty():
    with Gateway("--faults", loops=1) as gateway:
        yield gateway


@pytest.fixture(autouse=True)
def mended(faulty):
    yield
    control(faulty, "DELETE", "/faults")


def fail(gateway, fault, **members):
    answer = control(gateway, "POST", "/faults", {"fault": fault, **members})
    assert answer.status == 201, answer.body
    return answer.json["number"]


def standing(gateway, number):
    return next(one for one in control(gateway, "GET", "/faults").json["faults"] if one["number"] == number)


def refresh(gateway, client, user):
    control(gateway, "POST", f"/users/{user}/expire", {})
    client.receive("refresh_required")
    client.send("refresh", token=token(user))


def test_a_fault_is_ordered_befalls_is_told_and_is_taken_back(faulty):
    user = uuid.uuid4().hex
    number = fail(faulty, "drop", what="reply:refresh", who={"users": [user]}, times=1)
    with Client(faulty, token=token(user)) as client:
        client.receive("connected")
        refresh(faulty, client, user)
        client.send("ping")
        client.receive("pong")
        refresh(faulty, client, user)
        client.receive("refreshed")
    fault = standing(faulty, number)
    assert (fault["fault"], fault["befell"], fault["over"]) == ("drop", 1, True)
    assert fault["order"]["who"] == {"users": [user]}
    told = control(faulty, "GET", f"/journal?user={user}&kind=faulted,refreshed").json["lines"]
    assert sorted(line["kind"] for line in told) == ["faulted", "refreshed", "refreshed"]
    assert next(line for line in told if line["kind"] == "faulted")["number"] == number
    assert control(faulty, "DELETE", f"/faults/{number}").json["number"] == number
    assert control(faulty, "DELETE", f"/faults/{number}").status == 404
    assert control(faulty, "DELETE", "/faults").json == {"faults": 0}


def test_every_known_fault_takes_its_own_example(faulty):
    known = control(faulty, "GET", "/faults/known").json["faults"]
    assert len(known) > 10
    # A fault that only a proxy can have says so.
    elsewhere = [fault for fault in known if fault["summary"].startswith("in a proxy: ")]
    assert [fault["fault"] for fault in elsewhere] == ["shorten"]
    # This gateway asks nobody.
    asking = {"hook_": "--hook-", "jwks_": "--jwks", "discovery_": "--oidc", "introspect_": "--introspection",
              "logout_": "--logout", "event_": "--events-from"}
    flags = {fault["fault"]: flag for fault in known for word, flag in asking.items() if fault["fault"].startswith(word)}
    assert len(flags) == 20
    for fault in known:
        answer = control(faulty, "POST", "/faults", fault["example"])
        if fault in elsewhere:
            assert answer.status == 400 and "postern proxy" in answer.json["error"]["message"]
        elif fault["fault"] in flags:
            message = answer.json["error"]["message"]
            assert answer.status == 400 and "postern serve with" in message and flags[fault["fault"]] in message, message
        else:
            assert answer.status == 201, (fault, answer.body)
    assert control(faulty, "DELETE", "/faults").json == {"faults": len(known) - len(elsewhere) - len(flags)}


def test_an_unknown_fault_is_answered_with_the_known_ones(faulty):
    answer = control(faulty, "POST", "/faults", {"fault": "a_fault"})
    assert answer.status == 400 and "drop, delay" in answer.json["error"]["message"]
    answer = control(faulty, "POST", "/faults", {"fault": "drop", "what": "tea"})
    assert answer.status == 400 and "reply:refresh" in answer.json["error"]["message"]


def test_an_upgrade_is_refused_with_a_time_to_come_back(faulty):
    fail(faulty, "refuse_upgrade", status=503, retry_after_s=7, times=1)
    with pytest.raises(Refused) as refusal:
        Client(faulty, token=token("ann"))
    assert refusal.value.answer.status == 503
    assert refusal.value.answer.headers["retry-after"] == "7"
    with Client(faulty, token=token("ann")) as client:
        client.receive("connected")


def test_a_gateway_that_may_fail_takes_files_as_large_as_any_other(faulty):
    form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%b\r\n--x--\r\n' % bytes(3 << 20)
    headers = {"Api-Token": SECRET, "Content-Type": "multipart/form-data; boundary=x"}
    kept = request(faulty.http_url, "POST", "/v3/storage/file", raw=form, headers=headers, document=None)
    assert kept.status == 200 and kept.json["file_size"] == 3 << 20, kept.body


def test_an_upgrade_is_never_answered(faulty):
    number = fail(faulty, "never_answer", times=1)
    with RawSocket(faulty) as raw:
        raw.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            raw.upgrade(token("ann"))
        # The next client may not come before the fault is used up.
        until(lambda: standing(faulty, number)["befell"] == 1)
    with Client(faulty, token=token("ann")) as client:
        client.receive("connected")


@pytest.mark.parametrize(
    "order, code",
    [({"fault": "close_as", "code": 1011}, 1011), ({"fault": "abort"}, None), ({"fault": "close_as", "code": 1000}, 1000)],
)
def test_a_connection_ends_otherwise_than_the_gateway_means(faulty, order, code):
    user = uuid.uuid4().hex
    fail(faulty, **order)
    with Client(faulty, token=token(user)) as client:
        client.receive("connected")
        control(faulty, "POST", f"/users/{user}/disconnect", {})
        with pytest.raises(ConnectionClosed) as ending:
            client.receive("nothing")
        assert (ending.value.rcvd.code if ending.value.rcvd else None) == code


def test_connections_break_off_at_an_event(faulty):
    user = uuid.uuid4().hex
    fail(faulty, "reset", when={"after": "refresh_requested"}, who={"users": [user]}, times=1)
    with Client(faulty, token=token(user)) as client:
        client.receive("connected")
        control(faulty, "POST", f"/users/{user}/expire", {})
        with pytest.raises(ConnectionClosed) as ending:
            client.receive("refresh_required")
            client.receive("nothing")
        assert ending.value.rcvd is None


def is_silent(client, seconds=0.4):
    client.socket.settimeout(seconds)
    try:
        client.socket.recv(1, socket.MSG_PEEK)
        return False
    except TimeoutError:
        return True
    finally:
        client.socket.settimeout(60)


def test_a_reset_is_one_on_the_wire(faulty):
    with connected(faulty, "reset-on-the-wire") as client:
        fail(faulty, "reset", who={"users": ["reset-on-the-wire"]}, times=1)
        with pytest.raises(ConnectionResetError):
            client.socket.recv(1)


@pytest.mark.parametrize("word", ["half_open", "stop_reading"])
def test_nothing_is_read_of_a_connection_until_that_is_taken_back(faulty, word):
    user = uuid.uuid4().hex
    with connected(faulty, user) as client:
        number = fail(faulty, word, who={"users": [user]})
        client.frame(9, b"1")
        client.frame(1, b'{"type":"ping"}')
        assert is_silent(client)
        control(faulty, "DELETE", f"/faults/{number}")
        assert sorted(opcode for opcode, _ in (client.read_frame(), client.read_frame())) == [1, 10]


def test_a_client_that_gives_up_a_half_open_connection_leaves_nothing(faulty):
    user = uuid.uuid4().hex
    with connected(faulty, user) as client:
        fail(faulty, "half_open", who={"users": [user]})
        assert user in {session["user_id"] for session in control(faulty, "GET", "/sessions").json["sessions"]}
        client.frame(8, b"\x03\xe8")
        assert is_silent(client)
    deadline = time.monotonic() + 60
    while user in {session["user_id"] for session in control(faulty, "GET", "/sessions").json["sessions"]}:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_pings_are_not_answered_though_messages_are(faulty):
    user = uuid.uuid4().hex
    with connected(faulty, user) as client:
        number = fail(faulty, "no_pongs", who={"users": [user]})
        client.frame(9, b"1")
        client.frame(1, b'{"type":"ping"}')
        assert client.read_frame() == (1, b'{"type":"pong"}')
        assert is_silent(client)
        control(faulty, "DELETE", f"/faults/{number}")
        client.frame(9, b"2")
        assert client.read_frame() == (10, b"2")


def test_a_closing_handshake_is_never_finished(faulty):
    user = uuid.uuid4().hex
    with connected(faulty, user) as client:
        fail(faulty, "unfinished_close", who={"users": [user]})
        client.frame(8, b"\x03\xe8")
        deadline = time.monotonic() + 60
        while user in {session["user_id"] for session in control(faulty, "GET", "/sessions").json["sessions"]}:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert is_silent(client)
        client.socket.shutdown(socket.SHUT_WR)
        assert client.until_end() == b""


def mint(gateway, user, **members):
    # Unlike a correct provider it may return anything.
    return api(gateway, "POST", "/v1/tokens", {"user_id": user, "life_s": 600, **members}, document=None)


def test_the_token_provider_refuses_and_says_when_to_come_back(faulty):
    fail(faulty, "mint_refused", status=429, retry_after_s=5, who={"users": ["martin"]}, times=1)
    assert mint(faulty, "ann").status == 200
    refused = mint(faulty, "martin")
    assert (refused.status, refused.headers["retry-after"], refused.error["name"]) == (429, "5", "too_many")
    assert mint(faulty, "martin").status == 200


@pytest.mark.parametrize("word", ["mint_expired", "mint_early", "mint_malformed"])
def test_the_token_provider_gives_tokens_that_are_refused(faulty, word):
    fail(faulty, word, times=1)
    with pytest.raises(Refused) as refusal:
        Client(faulty, token=mint(faulty, "ann").json["token"])
    assert refusal.value.answer.status == 401
    with Client(faulty, token=mint(faulty, "ann").json["token"]) as client:
        client.receive("connected")


def test_the_token_provider_takes_its_time(faulty):
    fail(faulty, "mint_slowly", by_ms=400, times=1)
    began = time.monotonic()
    assert mint(faulty, "ann").status == 200
    assert time.monotonic() - began >= 0.4


def test_a_good_token_is_refused_at_the_refresh(faulty):
    user = uuid.uuid4().hex
    fail(faulty, "refuse_token", error="audience_mismatch", of="refresh", times=1)
    with Client(faulty, token=token(user)) as client:
        client.receive("connected")
        refresh(faulty, client, user)
        assert client.receive("error")["error"]["name"] == "audience_mismatch"
        client.send("refresh", token=token(user))
        client.receive("refreshed")


def test_keys_are_withdrawn_and_the_connection_stays(faulty):
    user = uuid.uuid4().hex
    old = token(user, iat=int(time.time()) - 10)
    with Client(faulty, token=old) as client:
        client.receive("connected")
        fail(faulty, "withdraw_keys", who={"users": [user]})
        client.receive("refresh_required")
        client.send("refresh", token=token(user, iat=int(time.time())))
        client.receive("refreshed")
    with pytest.raises(Refused) as refusal:
        Client(faulty, token=old)
    assert refusal.value.answer.status == 401


def test_the_clock_of_a_gateway_is_wrong(faulty):
    number = fail(faulty, "gateway_clock", ahead_s=3000)
    with Client(faulty, token=token("ann", life=3600)) as client:
        assert 500_000 < client.receive("connected")["expires_in_ms"] <= 600_000
    control(faulty, "DELETE", f"/faults/{number}")
    with Client(faulty, token=token("ann", life=3600)) as client:
        assert client.receive("connected")["expires_in_ms"] > 3_500_000


def test_the_store_is_away(faulty):
    number = fail(faulty, "store_away")
    assert api(faulty, "POST", "/v1/guests", {}).status == 503
    control(faulty, "DELETE", f"/faults/{number}")
    assert api(faulty, "POST", "/v1/guests", {}).status == 201


def test_an_answer_over_http_is_late_another_or_never_comes(faulty):
    fail(faulty, "answer_with", route="POST /v1/guests", status=503, retry_after_s=3, times=1)
    refused = api(faulty, "POST", "/v1/guests", {})
    assert (refused.status, refused.headers["retry-after"]) == (503, "3")
    fail(faulty, "answer_late", route="/v1/guests", by_ms=400, times=1)
    began = time.monotonic()
    assert api(faulty, "POST", "/v1/guests", {}).status == 201
    assert time.monotonic() - began >= 0.4
    number = fail(faulty, "answer_never", route="/v1/guests", times=1)
    with socket.create_connection(("127.0.0.1", faulty.port)) as silent:
        silent.sendall(b"POST /v1/guests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        silent.settimeout(0.5)
        with pytest.raises(TimeoutError):
            silent.recv(1)
        until(lambda: standing(faulty, number)["befell"] == 1)
    assert api(faulty, "POST", "/v1/guests", {}).status == 201


def test_a_gateway_that_is_told_to_end_does_not_wait_for_faults():
    with Gateway("--faults", loops=1) as gateway:
        fail(gateway, "answer_never", route="/v1/guests")
        fail(gateway, "mint_never")
        clients = []
        for path, body in (("guests", b"{}"), ("tokens", b'{"user_id":"ann"}')):
            clients.append(socket.create_connection(("127.0.0.1", gateway.port), timeout=60))
            clients[-1].sendall(
                b"POST /v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (path.encode(), len(body), body))
        while sum(fault["befell"] for fault in control(gateway, "GET", "/faults").json["faults"]) < 2:
            time.sleep(0.02)
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.process.wait(60) == 0
        assert "event=requests_cut" not in gateway.log(), "it waited for them, for ten seconds"
    assert [client.recv(12) for client in clients] == [b"HTTP/1.1 201", b"HTTP/1.1 200"]
    for client in clients:
        client.close()


@pytest.mark.parametrize(
    "order, near",
    [({"fault": "dorp"}, "drop"), ({"fault": "drop", "waht": "ping"}, "what"), ({"fault": "drop", "what": "rely:refresh"}, "reply:refresh")],
)
def test_a_slip_in_an_order_leads_to_what_was_meant(faulty, order, near):
    refused = control(faulty, "POST", "/faults", order)
    assert refused.status == 400 and f"did you mean '{near}'" in refused.body.decode(), refused.body


def test_faults_are_ordered_listed_and_ended_from_the_shell(faulty):
    def ctl(*arguments):
        command = [os.environ["POSTERN"], "ctl", *arguments, "--url", faulty.control_url]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    known = ctl("faults", "--known").stdout.splitlines()
    assert known[0].split()[0] == "FAULT" and any(line.split()[:1] == ["drop"] for line in known), known
    assert "drop" in [fault["fault"] for fault in json.loads(ctl("faults", "--known", "--json").stdout)["faults"]]
    made = ctl("fault", '{"fault": "drop", "what": "ping"}')
    shown = dict(line.split(maxsplit=1) for line in made.stdout.splitlines())
    assert made.returncode == 0 and shown["fault"] == "drop" and shown["order.what"] == "ping", made
    table = ctl("faults").stdout.splitlines()
    assert table[0].split()[:3] == ["NUMBER", "FAULT", "BEFELL"] and table[1].split()[:3] == [shown["number"], "drop", "0"], table
    assert json.loads(ctl("faults", "--json").stdout)["faults"][0]["befell"] == 0
    assert ctl("mend", "--all").returncode == 0
    assert ctl("faults").stdout.split() == ["faults", "none"]
    refused = ctl("fault", '{"fault": "drip"}')
    assert refused.returncode != 0 and "drop" in refused.stderr


def test_a_gateway_without_faults_refuses_orders_with_that_reason():
    with Gateway() as gateway:
        assert control(gateway, "GET", "/faults").status == 404
        assert "--faults" in control(gateway, "POST", "/faults", {"fault": "abort"}).json["error"]["message"]


def test_each_space_has_its_own_faults():
    with Gateway("--spaces") as gateway:
        names = [control(gateway, "POST", "/spaces", {}).json["name"] for _ in range(2)]
        one, other = (f"{gateway.control_url}/spaces/{name}" for name in names)

        class At:
            control_url = one

        fail(At, "abort")
        assert len(control(At, "GET", "/faults").json["faults"]) == 1
        At.control_url = other
        assert control(At, "GET", "/faults").json["faults"] == []


def test_a_storms_fault_lasts_as_long_as_the_storm(faulty):
    order = '{"fault": "drop", "what": "request:refresh", "who": {"share": 0.5}, "seed": 1}'
    flags = ["--url", faulty.url, "--clients", "30", "--rate", "300", "--hold", "8s", "--control-url", faulty.control_url]
    report = storms.run(*flags, "--timeout", "25s", "--fault", order, expected=(0, 1))
    assert 5 < report["result"]["refreshes"]["accepted"] < 25
    assert any(order in caveat for caveat in report["caveats"])
    assert control(faulty, "GET", "/faults").json == {"faults": []}
    assert "did you mean 'drop'?" in storms.run(*flags, "--fault", '{"fault": "drip"}', expected=(2,))
    assert "; there is refuse_upgrade, " in storms.run(*flags, "--fault", '{"fault": "zzzzzzzz"}', expected=(2,))
    assert control(faulty, "GET", "/faults").json == {"faults": []}
    with Gateway() as other:
        flags = ["--url", other.url, "--control-url", other.control_url, "--clients", "3"]
        assert "--faults" in storms.run(*flags, "--fault", order, expected=(2,))
