"""The calls that break the application's login and webhooks on purpose, each as its page has it."""

import hashlib
import hmac
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from clients import control, request
from gateway import SECRET, Gateway
from http_server import HTTPServer
from introspection_server import CLIENT, Introspection
from introspection_server import SECRET as CLIENT_SECRET
from issuer import Issuer, Key
from orders import until
from statements import event, logout, named, send_event, send_logout
from test_journal import is_passed
from test_own_login import flags, outcome
from test_signals import connected, figure, next_second, of_events
from test_signals import flags as signal_flags

DOCS = Path(__file__).resolve().parents[2] / "Docs"


def rows(page):
    return [[cell.strip() for cell in row] for row in re.findall(r"^\| `fault '(\{.*?\})'` \| (.*) \|$", (DOCS / page).read_text(), re.M)]


KEYS = [(order, *cells.split(" | ")) for order, cells in rows("own-login.md")]
TOKENS, WEBHOOKS, SIGNALS = rows("introspection.md"), rows("webhooks.md"), rows("logout.md")
OUTCOMES = {"is valid": "ann", "connected": "ann", "503005": "identity_unavailable", "401006": "key_unknown", "401013": "token_unknown"}


def fail(gateway, order):
    command = [os.environ["POSTERN"], "ctl", "fault", order, "--url", gateway.control_url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done


def test_the_pages_have_calls():
    assert len(KEYS) == 5 and len(TOKENS) == 3 and len(WEBHOOKS) == 6 and len(SIGNALS) == 5


@pytest.mark.parametrize("order, known, new", KEYS)
def test_a_broken_login_does_what_its_row_says_and_is_whole_when_the_fault_is_taken_back(order, known, new):
    with Issuer(Key("k1")) as issuer, Gateway(*flags(issuer), "--faults", loops=1, has_secret=False) as gateway:
        old = issuer.token()
        issuer.keys.append(Key("k2"))
        fail(gateway, order)
        # The gateway asks at once, and the fault befalls that question; a slow one is asked later.
        until(lambda: any(fault["befell"] for fault in control(gateway, "GET", "/faults").json["faults"]))
        until(lambda: outcome(gateway, old) == OUTCOMES[known.strip("`")])
        until(lambda: outcome(gateway, issuer.token(issuer.keys[1])) == OUTCOMES[new.strip("`")])
        control(gateway, "DELETE", "/faults")
        for key in issuer.keys:
            until(lambda key=key: outcome(gateway, issuer.token(key)) == "ann")


def test_a_discovery_document_of_another_issuer_keeps_the_known_keys():
    with Issuer() as issuer:
        oidc = ["--oidc", issuer.named, "--audience", "realtime", "--faults"]
        with Gateway(*oidc, loops=1, has_secret=False) as gateway:
            fail(gateway, '{"fault": "discovery_other_issuer"}')
            assert "another-issuer.invalid" in gateway.logged("event=jwks_failed")[0]
            assert outcome(gateway, issuer.token()) == "ann"


@pytest.mark.parametrize("order, gets", TOKENS)
def test_a_broken_endpoint_of_opaque_tokens_does_what_its_row_says(order, gets, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(CLIENT_SECRET)
    with Introspection(opaque="ann") as server:
        client = ["--introspection-client", CLIENT, "--introspection-secret-file", str(secret)]
        with Gateway("--introspection", server.url, *client, "--introspection-cache", "0s", "--faults", loops=1) as gateway:
            assert outcome(gateway, "opaque") == "ann"
            fail(gateway, order)
            assert outcome(gateway, "opaque") == OUTCOMES[gets.strip("`")]
            control(gateway, "DELETE", "/faults")
            until(lambda: outcome(gateway, "opaque") == "ann")


def numbers(backend):
    return [int(json.loads(got.body)["payload"]["message"]) for got in backend.requests]


def is_signed(got):
    headers = {name.lower(): value for name, value in got.headers.items()}
    signature = headers.get("x-sendbird-signature")
    return signature and hmac.compare_digest(signature, hmac.new(SECRET.encode(), got.body, hashlib.sha256).hexdigest())


# What the backend gets: the messages, and which of the requests is signed.
SEEN = {
    "webhook_lost": ([2, 3], [True, True]), "webhook_twice": ([1, 1, 2, 3], [True] * 4),
    "webhook_reordered": ([2, 1, 3], [True] * 3), "webhook_late": ([1, 2, 3], [True] * 3),
    "webhook_unsigned": ([1, 2, 3], [None, True, True]), "webhook_wrong_key": ([1, 2, 3], [False, True, True]),
}


@pytest.mark.parametrize("order, gets", WEBHOOKS)
def test_broken_webhooks_arrive_as_their_row_says(order, gets):
    assert gets
    with HTTPServer(lambda request: b"{}") as backend, Gateway("--faults", loops=1) as gateway:
        def call(method, path, body):
            answer = request(gateway.http_url, method, path, body, headers={"Api-Token": SECRET}, document=None)
            assert answer.status == 200, answer.body

        settings = {"enabled": True, "url": backend.url, "enabled_events": ["open_channel:message_send"]}
        call("PUT", "/v3/applications/settings/webhook", settings)
        call("POST", "/v3/users", {"user_id": "ann", "nickname": "Ann", "profile_url": ""})
        call("POST", "/v3/open_channels", {"channel_url": "news"})
        fail(gateway, order)
        for number in range(1, 4):
            call("POST", "/v3/open_channels/news/messages", {"message_type": "MESG", "user_id": "ann", "message": str(number)})
        messages, signed = SEEN[json.loads(order)["fault"]]
        until(lambda: len(backend.requests) >= len(messages))
        assert numbers(backend) == messages and [is_signed(got) for got in backend.requests] == signed
        metrics = control(gateway, "GET", "/metrics").body.decode()
        until(lambda: 'vendor="sendbird",result="delivered"} 3' in control(gateway, "GET", "/metrics").body.decode())
        assert 'vendor="sendbird",result="failed"} 0' in metrics


@pytest.mark.parametrize("order, cells", SIGNALS)
def test_a_broken_sender_of_logouts_and_events_ends_what_its_row_says(order, cells):
    word, (_, ends) = json.loads(order)["fault"], cells.split(" | ")
    with Issuer() as issuer, Issuer() as transmitter, \
            Gateway(*signal_flags(issuer, *of_events(transmitter)), "--faults", loops=1, has_secret=False) as gateway:
        def send():
            if word.startswith("logout"):
                assert send_logout(gateway, logout(issuer, sub="ann")).status == 200
            else:
                assert send_event(gateway, event(transmitter, "session-revoked", named(issuer))).status == 202

        signal = "logout" if word.startswith("logout") else "session-revoked"
        with connected(gateway, issuer.token()) as early:
            next_second()
            if word.endswith("late"):
                fail(gateway, order)
                send()
                assert early.is_alive()
            elif word.endswith("replayed"):
                send()
                assert early.until_closed()[0] == 4004
            next_second()
            with connected(gateway, issuer.token()) as later:
                if not word.endswith("late"):
                    fail(gateway, order)
                if word.endswith("forged"):
                    kind = "logout" if signal == "logout" else "other"
                    until(lambda: figure(gateway, kind, "refused") == 1)
                    assert early.is_alive() and "nothing" in ends
                elif word.endswith("replayed"):
                    until(lambda: figure(gateway, signal, "replayed") == 1)
                    assert "began after" in ends
                else:
                    assert early.until_closed()[0] == 4004 and "began before" in ends
                    until(lambda: figure(gateway, signal, "taken") == 1)
                assert later.is_alive()
                if not word.endswith("late"):
                    verdict = control(gateway, "POST", "/journal/expect", {"expect": "outlives_bad_signals", "user": "ann"}).json
                    assert is_passed(verdict), verdict
                    played = [line for line in control(gateway, "GET", "/journal").json["lines"] if line.get("played")]
                    assert [line["failure"] for line in played] == (["invalid_key"] if word.endswith("forged") else [])
        log = gateway.log()
    assert "eyJ" not in log


def test_a_rotation_of_an_issuers_keys_is_refused_with_what_to_use():
    with Issuer() as issuer, Gateway(*flags(issuer), "--faults", loops=1, has_secret=False) as gateway:
        answer = control(gateway, "POST", "/faults", {"fault": "jwks_rotate", "overlap_s": 30})
        assert answer.status == 400 and "postern storm --serve-jwks with --jwks-rotate" in answer.json["error"]["message"]
