"""The application's own login fails, hangs or lies: no connected user is lost, no new one is accepted unverified, and known
keys stay valid."""

import os
import re
import socket
import subprocess
import threading
import time

import pytest

from clients import Client, Refused, control
from gateway import SECRET, Gateway, token
from issuer import Issuer, Key
from test_own_login import flags, outcome, until


def big(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(80):
        handler.wfile.write(b" " * 65536)


def drip(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(600):
        handler.wfile.write(b" ")
        time.sleep(0.1)


def truncated(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "4000")
    handler.end_headers()
    handler.wfile.write(b'{"keys": [')


BAD = {
    "status 500": lambda handler: handler.say(500, b"MARKED"),
    "status 429": lambda handler: handler.say(429, Retry_After="1"),
    "status 302": lambda handler: handler.say(302, Location="/elsewhere"),
    "262144 bytes": big,
    "no answer in time": lambda handler: time.sleep(20),
    "no answer in time ": drip,
    "ended before": truncated,
    "not a JWK set": lambda handler: handler.say(200, b"<html>MARKED</html>"),
    "no key can be used": lambda handler: handler.say(200, b'{"keys": [{"kty": "oct", "k": "TUFSS0VE"}]}'),
}  # fmt: skip


@pytest.mark.parametrize("said", BAD)
def test_a_login_that_fails_from_the_start_admits_no_client_until_it_answers(said):
    with Issuer() as issuer:
        issuer.answer = BAD[said]
        gateway = Gateway(*flags(issuer), has_secret=False)
        begun = time.monotonic()
        with gateway:
            assert time.monotonic() - begun > 9
            answer = control(gateway, "GET", "/ready")
            assert answer.status == 503 and answer.json == {"status": "no_keys", "issuers": ["jwks"]}
            gateway.logged(said.strip())
            assert "MARKED" not in gateway.log(), gateway.log()
            with pytest.raises(Refused) as refused:
                Client(gateway, token=issuer.token()).__enter__()
            assert refused.value.status == 503 and refused.value.error["number"] == 503005
            assert refused.value.answer.headers["retry-after"]
            issuer.answer = None
            until(lambda: control(gateway, "GET", "/ready").status == 200, 60)
            assert outcome(gateway, issuer.token()) == "ann"
            assert {path for path, _, _ in issuer.requests} == {"/keys"}


def test_an_outage_ends_no_session_and_known_keys_stay_valid_over_a_reload(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    own = ["--secret-file", str(secret)]
    with Issuer() as issuer, Gateway(*flags(issuer), *own, has_secret=False) as gateway:
        with Client(gateway, token=issuer.token()) as ann:
            ann.receive("connected")
            issuer.answer = lambda handler: handler.say(500)
            until(lambda: time.monotonic() > issuer.requests[0][2] + 30.5, 40)
            # The key may exist, so the token is neither good nor bad.
            answer = ann.ask("refresh", token=issuer.token(Key("k2")))
            assert answer["error"]["number"] == 503005
            assert ann.ask("refresh", token=issuer.token())["type"] == "refreshed" and ann.is_alive()
            assert outcome(gateway, issuer.token()) == "ann"
            secret.write_text("another secret of the gateway, long enough")
            done = subprocess.run(
                [os.environ["POSTERN"], "ctl", "reload", "--url", gateway.control_url], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done
            assert outcome(gateway, issuer.token()) == "ann" and ann.is_alive()
            assert outcome(gateway, token("bob", iss=issuer.named, aud="realtime")) == "signature_invalid"
            metrics = control(gateway, "GET", "/metrics").body.decode()
            assert 'postern_outbound_requests_total{endpoint="jwks",result="read"} 1' in metrics
            assert re.search(r'postern_outbound_requests_total\{endpoint="jwks",result="refused"\} [1-9]', metrics)
            assert 'postern_jwks_keys{issuer="jwks"} 1' in metrics
            assert re.search(r'postern_jwks_age_seconds\{issuer="jwks"\} [3-9]\d\n', metrics)
            assert 'postern_jwks_unknown_kid_total{issuer="jwks"} 1' in metrics


def test_unknown_kids_in_a_crowd_cause_one_fetch_and_known_users_do_not_wait():
    with Issuer() as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        answers = threading.Event()
        issuer.answer = lambda handler: (answers.wait(60), issuer.usual(handler))
        outcomes = []

        def forge():
            outcomes.append(outcome(gateway, issuer.token(kid="unheard")))

        threads = [threading.Thread(target=forge) for _ in range(50)]
        for thread in threads:
            thread.start()
        until(lambda: issuer.asked == 2)
        # The endpoint has not answered yet.
        assert outcome(gateway, issuer.token()) == "ann" and not outcomes
        answers.set()
        for thread in threads:
            thread.join(60)
        # Those that came after the request was sent may be of a newer key, for all that the answer says.
        assert set(outcomes) <= {"key_unknown", "identity_unavailable"} and "key_unknown" in outcomes
        assert len(outcomes) == 50 and issuer.asked == 2


def test_forged_tokens_without_a_kid_in_a_crowd_cause_one_fetch_and_known_users_do_not_wait():
    with Issuer() as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        assert outcome(gateway, issuer.token(kid=None)) == "ann" and issuer.asked == 1
        assert outcome(gateway, issuer.token(Key("k1"), kid=None)) == "signature_invalid" and issuer.asked == 2
        # Within the cool-down none causes a fetch: one that is older than the keys is refused, and another may be of a newer key.
        old = issuer.token(Key("k1"), kid=None, iat=time.time() - 60)
        assert {outcome(gateway, old) for _ in range(20)} == {"signature_invalid"}
        assert {outcome(gateway, issuer.token(Key("k1"), kid=None)) for _ in range(20)} == {"identity_unavailable"}
        assert outcome(gateway, issuer.token(kid=None)) == "ann" and issuer.asked == 2


def test_a_gateway_ends_at_once_while_its_login_hangs(tmp_path):
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/keys"
    with Gateway("--jwks", url, "--issuer", "https://a", has_secret=False) as gateway:
        assert control(gateway, "GET", "/ready").status == 503
        gateway.process.terminate()
        assert gateway.process.wait(60) == 0
    listener.close()


def test_a_restart_while_the_login_is_away_accepts_good_tokens_with_the_stored_keys(tmp_path):
    store = ["--store", f"sqlite:{tmp_path}/state.db"]
    with Issuer() as issuer:
        begun = time.monotonic()
        with Gateway(*flags(issuer, *store), has_secret=False) as gateway:
            usual = time.monotonic() - begun
            assert outcome(gateway, issuer.token()) == "ann"
    begun = time.monotonic()
    with Gateway(*flags(issuer, *store), has_secret=False) as gateway:
        assert time.monotonic() - begun < 9 + 5 * usual, "it did not wait for keys"
        assert control(gateway, "GET", "/ready").json == {"status": "ready"}
        assert "keys=1" in gateway.logged("event=jwks_kept")[0]
        assert outcome(gateway, issuer.token()) == "ann"
        assert outcome(gateway, issuer.token(Key("k2"))) == "identity_unavailable"
        assert outcome(gateway, issuer.token(Key("k1"))) == "signature_invalid"
    # Keys at another address do not count.
    issuer.jwks_url += "2"
    with Gateway(*flags(issuer, *store), has_secret=False) as gateway:
        assert control(gateway, "GET", "/ready").status == 503
        assert outcome(gateway, issuer.token()) == "identity_unavailable"
