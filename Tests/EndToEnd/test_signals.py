"""Logouts, security events and revocations from outside, signed by joserfc and by jwcrypto: what each ends, and what it does
not."""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed

from clients import Client, Refused, api, control
from gateway import Gateway, token
from issuer import Issuer, Key
from statements import LOGOUT, SIGNERS, SSF, event, form, logout, named, post, send_event, send_logout


def flags(issuer, *more):
    return ["--jwks", issuer.jwks_url, "--issuer", issuer.named, "--audience", "realtime", "--logout", "chat", *more]


def of_events(transmitter):
    return ["--events-from", transmitter.named, "--events-jwks", transmitter.jwks_url,
            "--events-audience", "https://gw.example/events"]


def outcome(gateway, presented):
    """The user that a token logs in, or the name of the error."""
    try:
        with Client(gateway, token=presented) as client:
            message = client.receive()
            return message["user_id"] if message["type"] == "connected" else message["error"]["name"]
    except Refused as refusal:
        return refusal.error["name"]


def next_second():
    """Statements have whole seconds, so a token issued in the second of a logout stays valid."""
    time.sleep(1.05 - time.time() % 1 if time.time() % 1 > 0.05 else 1.05)


def connected(gateway, presented):
    client = Client(gateway, token=presented)
    assert client.receive("connected")["user_id"] == "ann"
    return client


def figure(gateway, signal, result):
    page = control(gateway, "GET", "/metrics").body.decode()
    [line] = [line for line in page.splitlines() if line.startswith(f'postern_signals_total{{signal="{signal}",result="{result}"}}')]
    return int(float(line.split()[-1]))


@pytest.mark.parametrize("signer", SIGNERS)
@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_logout_of_a_session_ends_only_that_session_and_a_later_one_is_admitted(signer, algorithm):
    with Issuer(Key("k1", algorithm)) as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        one, other = issuer.token(sid="s1"), issuer.token(sid="s2")
        with connected(gateway, one) as first, connected(gateway, other) as second:
            next_second()
            said = logout(issuer, sid="s1", sub="ann", sign_by=signer)
            answer = send_logout(gateway, said)
            assert answer.status == 200 and answer.body == b"" and answer.headers["cache-control"] == "no-store"
            assert first.until_closed() == (4004, "token_revoked")
            assert outcome(gateway, one) == "token_revoked" and outcome(gateway, other) == "ann"
            next_second()
            with connected(gateway, issuer.token(sid="s1")) as later:
                assert send_logout(gateway, said).status == 200
                assert later.is_alive() and second.is_alive()
        assert figure(gateway, "logout", "taken") == 1 and figure(gateway, "logout", "replayed") == 1
        [line] = gateway.logged("event=signal_taken")
        assert "signal=logout" in line and "sessions=1" in line


@pytest.mark.parametrize("signer", SIGNERS)
def test_a_logout_of_a_user_ends_all_of_theirs_in_every_process_life(signer, tmp_path):
    store = ["--store", f"sqlite:{tmp_path}/state.db"]
    with Issuer() as issuer:
        old = issuer.token()
        with Gateway(*flags(issuer), *store, has_secret=False) as gateway:
            with connected(gateway, old) as one, connected(gateway, issuer.token(sid="s9")) as two:
                next_second()
                assert send_logout(gateway, logout(issuer, sub="ann", sign_by=signer)).status == 200
                assert one.until_closed()[0] == two.until_closed()[0] == 4004
            next_second()
            new = issuer.token()
            assert outcome(gateway, new) == "ann"
        with Gateway(*flags(issuer), *store, has_secret=False) as gateway:
            assert outcome(gateway, old) == "token_revoked" and outcome(gateway, new) == "ann"


def test_a_logout_reaches_another_process_of_the_store_and_closes_there_too(tmp_path):
    store = ["--store", f"sqlite:{tmp_path}/state.db"]
    with Issuer() as issuer, Gateway(*flags(issuer), *store, "--node-name", "a", has_secret=False) as one, \
            Gateway(*flags(issuer), *store, "--node-name", "b", has_secret=False) as other:
        with connected(other, issuer.token(sid="s1")) as there, connected(other, issuer.token(sid="s2")) as stays:
            # The first process must know that tokens of this login name their session.
            with connected(one, issuer.token(sid="s3")):
                next_second()
                assert send_logout(one, logout(issuer, sid="s1", sub="ann")).status == 200
                assert there.until_closed()[0] == 4004
                assert stays.is_alive()


def unsigned(claims, header):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    return f"{part(header)}.{part(claims)}"


def test_forged_logouts_and_events_are_refused_each_with_its_own_reason_and_end_nothing():
    with Issuer(Key("k1", "RS256")) as issuer, Issuer(Key("k1", "RS256")) as transmitter, \
            Gateway(*flags(issuer, *of_events(transmitter)), has_secret=False) as gateway:
        [key] = issuer.keys
        now = int(time.time())
        claims = {"iss": issuer.named, "aud": "chat", "iat": now, "exp": now + 3600, "jti": "j", "sub": "ann", "events": {LOGOUT: {}}}
        head = unsigned(claims, {"alg": "HS256", "kid": "k1", "typ": "logout+jwt"})
        code = base64.urlsafe_b64encode(hmac.new(key.public_pem, head.encode(), hashlib.sha256).digest()).decode().rstrip("=")
        reasons = {
            "the key is not for the token's alg": f"{head}.{code}",
            "alg none is no signature": unsigned(claims, {"alg": "none", "kid": "k1", "typ": "logout+jwt"}) + ".",
            "the signature does not verify": logout(issuer, Key("k1", "RS256"), sub="ann"),
            "no key has the token's kid": logout(issuer, Key("k7", "RS256"), sub="ann"),
            "iss is not the expected one": logout(issuer, sub="ann", iss="https://other.example"),
            "aud does not name the expected audience": issuer.token(),
            "events has no logout": issuer.token(aud="chat"),
            "a nonce": logout(issuer, sub="ann", nonce="n"),
            "iat is more than 5 minutes ago": logout(issuer, sub="ann", iat=now - 400),
            "exp has passed": logout(issuer, sub="ann", exp=now - 60),
            "iat is in the future": logout(issuer, sub="ann", iat=now + 3600, exp=now + 7200),
            "iat is missing": logout(issuer, sub="ann", iat=None),
            "jti is missing": logout(issuer, sub="ann", jti=None),
            "neither sid nor sub": logout(issuer),
            "typ is not the expected one": logout(issuer, typ="at+jwt", sub="ann"),
        }
        events = {
            "invalid_issuer": event(transmitter, "session-revoked", named(issuer), iss="https://other.example"),
            "invalid_key": event(transmitter, "session-revoked", named(issuer), key=key),
            "invalid_audience": event(transmitter, "session-revoked", named(issuer), aud="other"),
            "invalid_request": event(transmitter, "session-revoked", named(issuer), typ="JWT"),
        }
        begun = time.monotonic()
        with connected(gateway, issuer.token(sid="s1")) as ann:
            next_second()
            for reason, said in reasons.items():
                answer = send_logout(gateway, said)
                assert answer.status == 400 and reason in answer.json["error_description"], (reason, answer.body)
            for code, said in events.items():
                answer = send_event(gateway, said)
                assert answer.status == 400 and answer.json["err"] == code, (code, answer.body)
            # A logout is no event, and an access token is none either.
            assert send_event(gateway, logout(transmitter, sub="ann")).status == 400
            assert post(gateway, "/identity/events", issuer.token(), "application/secevent+jwt").status == 400
            assert send_logout(gateway, event(transmitter, "session-revoked", named(issuer))).status == 400
            # Nor is either of them an access token.
            assert outcome(gateway, logout(issuer, sub="ann", aud="realtime")) == "token_malformed"
            assert outcome(gateway, event(issuer, "session-revoked", named(issuer), aud="realtime", sub="ann", exp=now + 3600)) \
                == "token_malformed"
            assert ann.is_alive()
        assert figure(gateway, "logout", "taken") == figure(gateway, "session-revoked", "taken") == 0
        # Junk from outside does not fill the log: at most a line a second.
        assert gateway.logged("event=signal_refused")
        assert len(gateway.logged("event=signal_refused")) <= 10 + time.monotonic() - begun


def test_events_become_orders_and_a_repeated_one_is_answered_as_if_it_were_new():
    with Issuer() as issuer, Issuer() as transmitter, \
            Gateway(*flags(issuer, *of_events(transmitter)), has_secret=False) as gateway:
        said = {}
        for kind in ("token-claims-change", "credential-change"):
            old = issuer.token()
            with connected(gateway, old) as ann:
                next_second()
                answer = send_event(gateway, event(transmitter, kind, named(issuer)))
                assert answer.status == 202 and answer.body == b""
                assert ann.receive("refresh_required")
                assert outcome(gateway, old) == ("ann" if kind == "token-claims-change" else "token_revoked")
                next_second()
                assert ann.ask("refresh", token=issuer.token())["type"] == "refreshed"
        with connected(gateway, issuer.token()) as ann:
            next_second()
            said = event(transmitter, "session-revoked", named(issuer), {"event_timestamp": int(time.time())})
            assert send_event(gateway, said).status == 202 and ann.until_closed()[0] == 4004
        next_second()
        with connected(gateway, issuer.token()) as later:
            assert send_event(gateway, said).status == 202
            assert send_event(gateway, event(transmitter, SSF + "verification", {"format": "opaque", "id": "stream"},
                                             {"state": "x"})).status == 202
            assert send_event(gateway, event(transmitter, "session-revoked", named(transmitter, "bob"))).status == 202
            assert later.is_alive()
        assert figure(gateway, "session-revoked", "replayed") == 1 and figure(gateway, "verification", "taken") == 1


def test_a_transmitter_with_a_secret_must_send_it_and_its_configuration_says_where_its_keys_are(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret of the stream")
    with Issuer() as issuer, Issuer() as transmitter:
        usual = transmitter.usual

        def answer(handler):
            if handler.path == "/.well-known/ssf-configuration":
                document = {"issuer": transmitter.named, "jwks_uri": transmitter.jwks_url}
                return handler.say(200, json.dumps(document).encode(), Content_Type="application/json")
            return usual(handler)

        transmitter.answer = answer
        words = ["--events-from", transmitter.named, "--events-audience", "https://gw.example/events", "--events-secret-file",
                 str(secret)]
        with Gateway(*flags(issuer, *words), has_secret=False) as gateway:
            said = event(transmitter, "session-revoked", named(issuer))
            for shown in (None, "another secret"):
                refused = send_event(gateway, said, shown)
                assert refused.status == 401 and refused.json["err"] == "authentication_failed"
                assert refused.headers["www-authenticate"] == "Bearer"
            assert send_event(gateway, said, "the secret of the stream").status == 202
            secret.write_text("a new secret of the stream")
            assert control(gateway, "POST", "/reload", {}).json["keys"]["result"] == "reloaded"
            assert send_event(gateway, said, "the secret of the stream").status == 401
            assert send_event(gateway, said, "a new secret of the stream").status == 202
            assert [path for path, _, _ in transmitter.requests] == ["/.well-known/ssf-configuration", "/keys"]


def test_a_signal_whose_keys_are_away_is_to_be_sent_again():
    with Issuer() as issuer:
        issuer.answer = lambda handler: handler.say(500)
        with Gateway(*flags(issuer), has_secret=False) as gateway:
            answer = send_logout(gateway, logout(issuer, sub="ann"))
            assert answer.status == 503 and int(answer.headers["retry-after"]) > 0
            assert answer.json["error"] == "temporarily_unavailable" and figure(gateway, "logout", "unavailable") == 1


def test_any_caller_with_a_token_of_the_gateway_may_revoke_it():
    with Issuer() as issuer, Gateway(*flags(issuer, "--token-revocation")) as gateway:
        opaque = api(gateway, "POST", "/v1/guests", {}).json["token"]
        for own in (token("ann", iss=issuer.named, aud="realtime"), opaque):
            with Client(gateway, token=own) as client:
                client.receive("connected")
                assert form(gateway, "/identity/revoke", token=own, token_type_hint="access_token").status == 200
                assert client.receive("refresh_required")
            assert outcome(gateway, own) == "token_revoked"
        for unknown in ("nothing", "pat_" + "A" * 43, token("ann", secret="another secret, long enough for any of the hashes 0123456789")):
            assert form(gateway, "/identity/revoke", token=unknown).status == 200
        refused = form(gateway, "/identity/revoke", token=issuer.token())
        assert refused.status == 400 and refused.json["error"] == "unsupported_token_type"
        assert form(gateway, "/identity/revoke", other="x").json["error"] == "invalid_request"
        assert figure(gateway, "revocation", "taken") == 2 and figure(gateway, "revocation", "ignored") == 3


def test_an_operator_gives_a_signal_by_hand():
    with Issuer() as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        with connected(gateway, issuer.token(sid="s1")) as one, connected(gateway, issuer.token(sid="s2")) as two:
            next_second()

            def ctl(*words):
                command = [os.environ["POSTERN"], "ctl", "signal", *words, "--url", gateway.control_url]
                return subprocess.run(command, capture_output=True, text=True, timeout=60)

            assert "1 session" in ctl("logout", "--login-session", "s1").stdout
            assert one.until_closed()[0] == 4004 and two.is_alive()
            assert "1 session" in ctl("token-claims-change", "--user", "ann").stdout
            assert two.receive("refresh_required")
            assert ctl("logout").returncode == 2 and ctl("log-out", "--user", "ann").returncode == 1
            assert control(gateway, "POST", "/signals", {"signal": "session-revoked", "user_id": "ann"}).json == {"sessions": 1}
            assert two.until_closed()[0] == 4004
            for wrong in ({"signal": "verification", "user_id": "ann"}, {"signal": "logout"}, {"signal": "logout", "user_id": ""}):
                assert control(gateway, "POST", "/signals", wrong).status == 400
        assert "signal=logout" in gateway.logged("event=signal ")[0]


def test_without_flags_nothing_is_there_but_the_series():
    with Gateway() as gateway:
        for path in ("/identity/logout", "/identity/events", "/identity/revoke"):
            assert form(gateway, path, token="x").status == 404
        assert figure(gateway, "logout", "taken") == 0
        assert control(gateway, "POST", "/signals", {"signal": "logout", "login_session": "s"}).status == 400


@pytest.mark.parametrize("words, said", [
    (["--logout", "chat"], "--logout is of the login"),
    (["--events-from", "https://t.example"], "needs --events-audience"),
    (["--events-audience", "a"], "are for --events-from"),
    (["--events-from", "http://t.example", "--events-audience", "a"], "plain http"),
    (["--events-from", "https://t.example", "--events-audience", "a", "--events-jwks", "ftp://x"], "--events-jwks ftp://x: no address"),
])
def test_a_wrong_command_line_is_refused_with_its_fault(words, said):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done


def test_logouts_that_come_at_once_twice_and_in_any_order_end_what_they_name_and_nothing_later():
    with Issuer() as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        old = [connected(gateway, issuer.token(sid=f"s{number}")) for number in range(20)]
        next_second()
        said = [logout(issuer, sid=f"s{number}", sub="ann") for number in range(20)] * 2
        next_second()
        new = [connected(gateway, issuer.token(sid=f"s{number}")) for number in range(20)]
        statuses = []
        threads = [threading.Thread(target=lambda one=one: statuses.append(send_logout(gateway, one).status)) for one in reversed(said)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [200] * 40
        for client in old:
            with pytest.raises(ConnectionClosed):
                while True:
                    client.receive()
        assert all(client.is_alive() for client in new)
        for client in old + new:
            client.__exit__(None, None, None)


def test_a_session_is_of_the_login_session_of_its_latest_token():
    with Issuer() as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        with connected(gateway, issuer.token(sid="s1")) as ann:
            assert ann.ask("refresh", token=issuer.token(sid="s2"))["type"] == "refreshed"
            # A refused token changes nothing.
            assert ann.ask("refresh", token=issuer.token(sid="s3", user="bob"))["type"] == "error"
            next_second()
            for sid in ("s1", "s3"):
                assert send_logout(gateway, logout(issuer, sid=sid)).status == 200
            assert ann.is_alive()
            assert send_logout(gateway, logout(issuer, sid="s2")).status == 200
            assert ann.until_closed()[0] == 4004


def test_the_journal_tells_of_signals_and_of_what_followed():
    with Issuer() as issuer, Gateway(*flags(issuer, "--journal"), has_secret=False, loops=1) as gateway:
        with connected(gateway, issuer.token()) as ann:
            next_second()
            send_logout(gateway, logout(issuer, Key("k1"), sub="ann"))
            send_logout(gateway, logout(issuer, sub="ann"))
            ann.until_closed()
        lines = control(gateway, "GET", "/journal").json["lines"]
        told = [line for line in lines if line["kind"] in ("signal_refused", "signal_taken", "ordered", "cut_off")]
        assert [line["kind"] for line in told] == ["signal_refused", "ordered", "cut_off", "signal_taken"]
        assert told[0]["signal"] == "logout" and told[0]["failure"] == "invalid_key"
        assert told[3]["signal"] == "logout" and told[3]["user"] == "ann" and told[1]["order"] == "disconnect"
