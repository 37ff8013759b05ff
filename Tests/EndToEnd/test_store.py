"""The guarantees of `--store sqlite:FILE`: what was accepted is there after a kill -9, and with a full disk requests are
refused, not forgotten."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import threading
import time

import pytest

import sendbird
import sinch
from clients import Client, Refused, api, control, request
from gateway import SECRET, Gateway, token


@pytest.fixture
def flags(tmp_path):
    return ["--store", f"sqlite:{tmp_path / 'store'}"]


def kill(gateway):
    gateway.process.send_signal(signal.SIGKILL)
    gateway.process.wait()


def opaque(gateway, user):
    answer = api(gateway, "POST", "/v1/tokens", {"user_id": user, "format": "opaque", "life_s": 600})
    assert answer.status == 200
    return answer.json["token"]


def test_calls_members_and_opaque_tokens_are_there_after_a_kill(flags):
    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        with Client(gateway, token=token("ann")) as ann, Client(gateway, token=token("bob")) as bob:
            ann.receive("connected"), bob.receive("connected")
            made = api(gateway, "POST", "/v1/calls/default/kept", {}, token("ann"))
            assert made.status == 201
            for user in ["bob", "ann"]:
                joined = api(gateway, "POST", "/v1/calls/default/kept/join", {}, token(user))
            access, guest = opaque(gateway, "ann"), api(gateway, "POST", "/v1/guests", {}).json["user_id"]
            kill(gateway)
    with Gateway(*flags) as gateway:
        with Client(gateway, token=access) as ann:
            assert ann.receive("connected")["user_id"] == "ann"
            kept = api(gateway, "GET", "/v1/calls/default/kept", token=token("ann"))
            assert kept.json == joined.json and kept.json["members"] == ["bob", "ann"]
            assert api(gateway, "POST", "/v1/guests", {}).json["user_id"] != guest


def test_revoked_and_expired_tokens_stay_so_after_a_kill(flags):
    tokens = {user: token(user) for user in ("ann", "bob", "cat", "dan")}
    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        with Client(gateway, token=tokens["bob"]) as bob, Client(gateway, token=tokens["cat"]) as cat:
            bob.receive("connected"), cat.receive("connected")
            sessions = control(gateway, "GET", "/sessions?user=bob").json["sessions"]
            fingerprint = sessions[0]["token_fingerprint"]
            later = {"user_id": "ann", "issued_before": time.time() + 60}
            assert control(gateway, "POST", "/revocations", later).json == {"sessions": 0}
            assert control(gateway, "POST", "/revocations", {"token_fingerprint": fingerprint}).json == {"sessions": 1}
            assert control(gateway, "POST", "/users/cat/expire").json == {"sessions": 1}
            kill(gateway)
    with Gateway(*flags) as gateway:
        for user, name in (("ann", "token_revoked"), ("bob", "token_revoked"), ("cat", "token_expired")):
            with pytest.raises(Refused, match=name):
                Client(gateway, token=tokens[user]).__enter__()
        with Client(gateway, token=tokens["dan"]) as client:
            client.receive("connected")


def test_tokens_of_a_gateway_without_a_given_secret_are_valid_after_a_kill(flags):
    def provided(user, **more):
        return api(gateway, "POST", "/v1/tokens", {"user_id": user, "life_s": 600, **more}).json["token"]

    with Gateway(*flags, expected_exit=-signal.SIGKILL, has_secret=False) as gateway:
        access, registration = provided("ann"), provided("alice", scheme="sinch")
        guest = api(gateway, "POST", "/v1/guests", {}).json
        kill(gateway)
    with Gateway(*flags, has_secret=False) as gateway:
        for access, user in ((access, "ann"), (guest["token"], guest["user_id"]), (provided("bob"), "bob")):
            with Client(gateway, token=access) as client:
                assert client.receive("connected")["user_id"] == user
        with sinch.SinchClient(gateway) as client:
            client.start(key="postern")
            client.receive("credentialsRequired")
            client.send("register", jwt=registration)
            client.receive("userRegistered")
    # A caller that is given a secret has exactly that one.
    with Gateway(*flags) as gateway:
        with Client(gateway, token=token("ann")) as client:
            client.receive("connected")
        with pytest.raises(Refused):
            Client(gateway, token=access).__enter__()


def test_instances_of_sinch_start_after_a_kill_and_a_spent_nonce_stays_spent(flags, tmp_path):
    (tmp_path / "secret").write_text(sinch.SECRET)
    flags = [*flags, "--sinch-application", f"{sinch.KEY}={tmp_path / 'secret'}"]
    spent = sinch.token()
    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        with sinch.SinchClient(gateway) as client:
            instance = client.registered(jwt=spent)
            kill(gateway)
    with Gateway(*flags) as gateway:
        with sinch.SinchClient(gateway) as client:
            client.start_with(instance)
            client.receive("clientStarted")
        with sinch.SinchClient(gateway) as client:
            client.start(device="d2")
            client.receive("credentialsRequired")
            client.send("register", jwt=spent)
            assert client.receive("userRegistrationFailed")["error"]["reason"] == "nonce_reused"


def test_users_keys_channels_and_messages_of_sendbird_are_there_after_a_kill(flags):
    def serve(method, target, body=None):
        return request(gateway.http_url, method, target, body, headers={"Api-Token": SECRET}, document=None)

    def key_works(key):
        own = "/v3/users/ann/my_group_channels"
        return request(gateway.http_url, "GET", own, headers={"Session-Key": key}, document=None).status

    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        made = {"user_id": "ann", "nickname": "Ann", "profile_url": "", "issue_access_token": True}
        access = serve("POST", "/v3/users", made).json["access_token"]
        serve("POST", "/v3/users", {"user_id": "bob", "nickname": "Bob", "profile_url": ""})
        serve("POST", "/v3/users/bob/metadata", {"metadata": {"font": "large"}})
        void = serve("POST", "/v3/users/bob/token", {}).json["token"]
        time.sleep(0.01)
        assert serve("DELETE", "/v3/users/bob/token").status == 200
        channel = {"channel_url": "talk", "user_ids": ["ann", "bob"], "name": "Talk", "is_distinct": True}
        assert serve("POST", "/v3/group_channels", channel).status == 200
        headers = {"SendBird-WS-Token": access}
        with sendbird.SendbirdClient(gateway, {"ai": "A", "user_id": "ann"}, headers=headers) as ann:
            key = ann.receive("LOGI")["key"]
            sent = []
            for number in range(20):
                ann.say("MESG", channel_url="talk", message=f"m{number}", req_id=f"r{number}")
                sent.append(ann.receive("MESG")["msg_id"])
            kill(gateway)
    with Gateway(*flags) as gateway:
        bob = serve("GET", "/v3/users/bob").json
        assert bob["metadata"] == {"font": "large"} and serve("GET", "/v3/users/ann").json["access_token"] == access
        with sendbird.SendbirdClient(gateway, {"ai": "A", "key": key}) as ann:
            assert ann.receive("LOGI")["user_id"] == "ann" and key_works(key) == 200
            ann.say("MESG", channel_url="talk", message="later", req_id="r")
            later = ann.receive("MESG")["msg_id"]
        assert later > sent[-1]
        listed = serve("GET", "/v3/group_channels/talk/messages?message_id=1&prev_limit=0&next_limit=100").json
        assert [message["message_id"] for message in listed["messages"]] == [*sent, later]
        assert serve("GET", "/v3/users/bob/unread_message_count").json["unread_count"] == 21
        assert serve("POST", "/v3/group_channels", channel).json["is_created"] is False
        headers = {"SendBird-WS-Token": void}
        with sendbird.SendbirdClient(gateway, {"ai": "A", "user_id": "bob"}, headers=headers) as bob:
            assert bob.receive("LOGI")["code"] == 400310


def hammered(flags):
    """The opaque tokens that a gateway accepted before it was killed while it made more."""
    accepted = []

    def order(number):
        try:
            while True:
                accepted.append(opaque(gateway, f"user{number}"))
        except Exception:
            pass

    with Gateway(*flags, expected_exit=-signal.SIGKILL) as gateway:
        threads = [threading.Thread(target=order, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        while len(accepted) < 200:
            threads[0].join(0.01)
        kill(gateway)
        for thread in threads:
            thread.join()
    return accepted


def test_nothing_that_was_accepted_is_lost_when_the_gateway_is_killed_in_the_middle(flags):
    accepted = hammered(flags)
    with Gateway(*flags) as gateway:
        for access in accepted[:20] + accepted[-80:]:
            with Client(gateway, token=access) as client:
                assert client.receive("connected")["user_id"].startswith("user")


def counted(text):
    """The counts in a row: each a weight in eight bytes, a length in two, a key."""
    while text:
        size = int.from_bytes(text[8:10], "big")
        yield text[10 : 10 + size], int.from_bytes(text[:8], "big")
        text = text[10 + size :]


def test_a_file_of_a_killed_gateway_is_in_order_to_a_reader_that_knows_nothing_of_it(flags, tmp_path):
    accepted = hammered(flags)
    with sqlite3.connect(tmp_path / "store") as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        counts, tokens = {}, 0
        for key, counts_of_row, value in file.execute("SELECT key, counts, value FROM entry"):
            json.loads(value)
            tokens += key.startswith(b"plain.token\0")
            for name, weight in counted(counts_of_row):
                counts[name] = counts.get(name, 0) + weight
        # Beside the counts is the number of the last commit, without a name.
        kept = dict(file.execute("SELECT key, number FROM tally"))
        last = kept.pop(b"")
        assert counts == kept and tokens >= len(accepted)
        # Recent commits are in rows of their own, the last one among them.
        done = file.execute("SELECT version, length(ids) FROM done ORDER BY version").fetchall()
        assert done[-1][0] <= last and len(accepted) <= sum(size for _, size in done) / 16 <= last
    file.close()


def test_a_file_without_a_list_of_commits_is_opened_and_gets_one(flags, tmp_path):
    with Gateway(*flags) as gateway:
        access = opaque(gateway, "ann")
    file = sqlite3.connect(tmp_path / "store", isolation_level=None)
    file.execute("DROP TABLE done")
    file.close()
    with Gateway(*flags) as gateway:
        with Client(gateway, token=access) as ann:
            ann.receive("connected")
        opaque(gateway, "bob")
    file = sqlite3.connect(tmp_path / "store")
    assert file.execute("SELECT count(*) FROM done").fetchone()[0] > 0
    file.close()


def test_on_a_full_disk_orders_are_refused_and_nothing_is_lost(flags, tmp_path):
    with Gateway(*flags) as gateway:
        access = opaque(gateway, "ann")
        soft, hard = resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE)
        most = max(os.path.getsize(path) for path in tmp_path.glob("store*"))
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (most, hard))
        refused = api(gateway, "POST", "/v1/tokens", {"user_id": "bob", "format": "opaque"})
        assert (refused.status, refused.error["number"]) == (503, 503004) and refused.headers["retry-after"]
        with Client(gateway, token=access) as ann:
            assert ann.receive("connected")["user_id"] == "ann"
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        later = opaque(gateway, "bob")
        gateway.logged("event=store_failed")
    with Gateway(*flags) as gateway:
        for access in [access, later]:
            with Client(gateway, token=access) as client:
                client.receive("connected")


@pytest.mark.parametrize(
    "content, reason",
    [(b"no database, and long enough to be read as the head of one" * 20, "it is no SQLite database"), (None, "open")],
)
def test_a_file_that_cannot_be_the_store_is_named_at_the_start(flags, tmp_path, content, reason):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *flags]
    if content:
        (tmp_path / "store").write_bytes(content)
        outcome = subprocess.run(command, capture_output=True, text=True, timeout=30)
    else:
        with Gateway(*flags):
            outcome = subprocess.run(command, capture_output=True, text=True, timeout=30)
    # A fault that a restart does not cure has an exit status of its own.
    assert outcome.returncode == (3 if content else 1) and not outcome.stdout
    assert f"{tmp_path / 'store'}: " in outcome.stderr and reason in outcome.stderr


def test_a_damaged_file_is_named_at_the_start_and_not_changed(flags, tmp_path):
    with Gateway(*flags) as gateway:
        for number in range(200):
            opaque(gateway, f"user{number}")
    file = sqlite3.connect(tmp_path / "store")
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.close()
    damaged = bytearray((tmp_path / "store").read_bytes())
    assert len(damaged) > 5 * 4096
    damaged[4096 + 100 : -100] = b"\xab" * (len(damaged) - 4096 - 200)
    (tmp_path / "store").write_bytes(damaged)
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *flags]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert outcome.returncode == 3 and f"{tmp_path / 'store'}: it is damaged" in outcome.stderr
    assert (tmp_path / "store").read_bytes() == damaged


def test_a_disk_that_is_full_at_the_start_is_named_and_the_next_start_is_a_good_one(flags, tmp_path):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *flags]
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    outcome = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=30, preexec_fn=full)
    assert outcome.returncode == 3 and str(tmp_path / "store").encode() in outcome.stderr
    with Gateway(*flags) as gateway:
        opaque(gateway, "ann")


def damage(tmp_path, table):
    """Overwrites one row of the table with invalid content."""
    file = sqlite3.connect(tmp_path / "store")
    name = table.encode() + b"\0"
    changed = file.execute(
        "UPDATE entry SET value = ? WHERE key >= ? AND key < ?", (b'{"us', name, name[:-1] + b"\1")).rowcount
    file.commit()
    file.close()
    assert changed == 1


def start(flags):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_damaged_row_is_named_at_the_start_with_its_file_and_table_and_what_to_do(flags, tmp_path):
    with Gateway(*flags) as gateway:
        assert control(gateway, "POST", "/revocations", {"user_id": "ann"}).status == 200
    damage(tmp_path, "gateway.revoked.user")
    for _ in range(2):
        outcome = start(flags)
        assert outcome.returncode == 3 and not outcome.stdout
        for part in (f"{tmp_path / 'store'}: ", "gateway.revoked.user (ann)", "--store-set-damaged-aside", "backup"):
            assert part in outcome.stderr
        assert "GatewayError" not in outcome.stderr and "context" not in outcome.stderr


def test_a_damaged_row_is_set_aside_where_that_is_asked_for_and_the_rest_is_kept(flags, tmp_path):
    with Gateway(*flags) as gateway:
        access = opaque(gateway, "bob")
        assert control(gateway, "POST", "/revocations", {"user_id": "ann"}).status == 200
    damage(tmp_path, "gateway.revoked.user")
    with Gateway(*flags, "--store-set-damaged-aside") as gateway:
        gateway.logged("moved to the table damaged")
        with Client(gateway, token=access) as bob:
            bob.receive("connected")
    file = sqlite3.connect(tmp_path / "store")
    assert file.execute("SELECT value FROM damaged").fetchall() == [(b'{"us',)]
    file.close()
    with Gateway(*flags):
        pass


def test_ready_is_503_while_the_store_takes_no_writes_and_200_again_afterwards(flags, tmp_path):
    with Gateway(*flags) as gateway:
        assert control(gateway, "GET", "/ready").status == 200
        soft, hard = resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (0, hard))
        answer = wait_for_ready(gateway, 503)
        assert answer.json == {"status": "store_unavailable"}
        resource.prlimit(gateway.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        wait_for_ready(gateway, 200)


def wait_for_ready(gateway, status):
    until = time.monotonic() + 60
    while (answer := control(gateway, "GET", "/ready")).status != status:
        assert time.monotonic() < until, answer.body
        time.sleep(0.05)
    return answer


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), -1])
def test_a_count_on_the_disk_that_no_count_can_be_ends_no_gateway(flags, tmp_path, number):
    with Gateway(*flags) as gateway:
        opaque(gateway, "ann")
    file = sqlite3.connect(tmp_path / "store")
    assert file.execute("UPDATE tally SET number = ? WHERE CAST(key AS TEXT) LIKE 'plain%'", (number,)).rowcount > 0
    file.commit()
    file.close()
    with Gateway(*flags) as gateway:
        order = {"user_id": "bob", "format": "opaque"}
        assert request(gateway.http_url, "POST", "/v1/tokens", order, document=None).status in (200, 429)
        assert control(gateway, "GET", "/ready").status == 200


def test_a_last_commit_number_that_cannot_be_is_named_at_the_start(flags, tmp_path):
    with Gateway(*flags) as gateway:
        opaque(gateway, "ann")
    file = sqlite3.connect(tmp_path / "store")
    assert file.execute("UPDATE tally SET number = -1 WHERE length(key) = 0").rowcount == 1
    file.commit()
    file.close()
    outcome = start(flags)
    assert outcome.returncode == 3 and "the number of its last commit" in outcome.stderr
