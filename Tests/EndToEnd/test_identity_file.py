"""`serve --identity FILE`: several logins of the application at one gateway. No user of one is ever taken for another's."""

import json
import os
import signal
import subprocess

import pytest

from clients import Client, control
from gateway import Gateway
from issuer import Issuer, Key
from statements import logout, send_logout
from test_signals import next_second, outcome


def write(path, *issuers, **more):
    path.write_text(json.dumps({"identity": 1, "issuers": list(issuers), **more}))
    return path


def entry(name, issuer, **more):
    return {"name": name, "issuer": issuer.named, "jwks": issuer.jwks_url, "audience": "realtime", **more}


def serving(file, *more):
    return Gateway("--identity", str(file), *more, has_secret=False)


def ctl(gateway, *words):
    command = [os.environ["POSTERN"], "ctl", *words, "--url", gateway.control_url]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def logins():
    """Two logins whose keys have the same name, and whose users too."""
    with Issuer(Key("k1")) as login, Issuer(Key("k1")) as partner:
        yield login, partner


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["login-first", "partner-first"])
def test_two_issuers_with_the_same_kid_and_the_same_sub_are_two_users(logins, tmp_path, order):
    login, partner = logins
    entries = [entry("login", login), entry("partner", partner, user_prefix="partner:")]
    with serving(write(tmp_path / "identity.json", *[entries[place] for place in order])) as gateway:
        assert control(gateway, "GET", "/ready").json == {"status": "ready"}
        assert outcome(gateway, login.token()) == "ann"
        assert outcome(gateway, partner.token()) == "partner:ann"
        # Neither vouches for the other, and a name that looks like the other's user is refused.
        assert outcome(gateway, partner.token(iss=login.named)) == "issuer_mismatch"
        assert outcome(gateway, login.token(iss=partner.named)) == "issuer_mismatch"
        assert outcome(gateway, login.token(user="partner:ann")) == "claim_invalid"
        assert outcome(gateway, partner.token(user="partner:ann")) == "partner:partner:ann"
        page = control(gateway, "GET", "/metrics").body.decode()
        assert 'postern_jwks_keys{issuer="login"} 1' in page and 'postern_jwks_keys{issuer="partner"} 1' in page


def test_a_rotation_without_kids_at_one_issuer_asks_that_one_only(logins, tmp_path):
    login, partner = logins
    entries = [entry("login", login), entry("partner", partner, user_prefix="partner:")]
    with serving(write(tmp_path / "identity.json", *entries)) as gateway:
        assert outcome(gateway, login.token(kid=None)) == "ann"
        assert outcome(gateway, partner.token(kid=None)) == "partner:ann"
        partner.keys = [Key("k2")]
        assert outcome(gateway, partner.token(kid=None)) == "partner:ann"
        assert (login.asked, partner.asked) == (1, 2)
        assert outcome(gateway, login.token(kid=None, iss=partner.named)) == "issuer_mismatch"
        assert outcome(gateway, login.token(Key("k3"), kid=None)) == "signature_invalid"
        assert (login.asked, partner.asked) == (2, 2)


def test_each_issuer_has_its_own_audience_type_algorithms_and_claim_of_the_user(logins, tmp_path):
    login, partner = logins
    file = write(
        tmp_path / "identity.json", entry("login", login, user="email", algorithms=["ES256"]),
        entry("partner", partner, user_prefix="partner:", audience=["a", "b"], type="at+jwt", algorithms=["RS256"]))
    with serving(file) as gateway:
        assert outcome(gateway, login.token(email="ann@example.com")) == "ann@example.com"
        assert outcome(gateway, login.token()) == "claim_invalid"
        assert outcome(gateway, login.token(email="ann@example.com", aud="b")) == "audience_mismatch"
        # Its only key is for an algorithm that its entry does not name.
        assert control(gateway, "GET", "/ready").json == {"status": "no_keys", "issuers": ["partner"]}
    file = write(
        tmp_path / "identity.json", entry("login", login, user="email"),
        entry("partner", partner, user_prefix="partner:", audience=["a", "b"], type="at+jwt"))
    with serving(file) as gateway:
        assert outcome(gateway, login.token(email="ann@example.com")) == "ann@example.com"
        assert outcome(gateway, partner.token(aud="b")) == "token_malformed"
        assert outcome(gateway, partner.token(aud="b", typ="at+jwt")) == "partner:ann"
        assert outcome(gateway, partner.token(aud="b", typ="application/AT+JWT")) == "partner:ann"


def test_a_logout_at_one_issuer_ends_no_user_of_another(logins, tmp_path):
    login, partner = logins
    file = write(
        tmp_path / "identity.json", entry("login", login, logout="chat"),
        entry("partner", partner, user_prefix="partner:", logout=["chat", "old-chat"]))
    with serving(file) as gateway:
        one, other = login.token(sid="s1"), partner.token(sid="s1")
        with Client(gateway, token=one) as ann, Client(gateway, token=other) as theirs:
            assert ann.receive("connected")["user_id"] == "ann"
            assert theirs.receive("connected")["user_id"] == "partner:ann"
            next_second()
            assert send_logout(gateway, logout(partner, sid="s1", sub="ann")).status == 200
            assert theirs.until_closed() == (4004, "token_revoked")
            assert ann.is_alive() and outcome(gateway, one) == "ann" and outcome(gateway, other) == "token_revoked"
            # An order about a session says at which login, since both may have one of that name.
            done = ctl(gateway, "signal", "logout", "--login-session", "s1")
            assert done.returncode == 1 and "one of login, partner" in done.stderr, done
            next_second()
            done = ctl(gateway, "signal", "logout", "--login-session", "s1", "--login-issuer", "login")
            assert done.returncode == 0, done
            assert ann.until_closed() == (4004, "token_revoked")


@pytest.mark.parametrize("by", ["ctl", "SIGHUP"])
def test_a_reload_adds_and_removes_issuers_and_a_wrong_file_changes_nothing(logins, tmp_path, by):
    login, partner = logins
    file = write(tmp_path / "identity.json", entry("login", login))

    def reload(gateway, event, count):
        if by == "ctl":
            ctl(gateway, "reload")
        else:
            gateway.process.send_signal(signal.SIGHUP)
        return gateway.logged(f"event={event}", count)

    with serving(file) as gateway, Client(gateway, token=login.token()) as ann:
        ann.receive("connected")
        assert outcome(gateway, partner.token()) == "signature_invalid"
        asked = login.asked
        write(file, entry("login", login), entry("partner", partner, user_prefix="partner:"))
        reload(gateway, "keys_reloaded", 1)
        assert outcome(gateway, partner.token()) == "partner:ann" and outcome(gateway, login.token()) == "ann"
        assert login.asked == asked, "an issuer that has not changed is not asked"
        file.write_text('{"identity": 1, "issuers": [{"name": "login"}]}')
        [line] = reload(gateway, "keys_kept", 1)
        assert f"{file}:1:29 /issuers/0: lacks" in line, line
        assert outcome(gateway, partner.token()) == "partner:ann"
        write(file, entry("login", login), {"name": "gone", "issuer": "http://127.0.0.1:1", "jwks": "http://127.0.0.1:1/keys",
                                            "user_prefix": "gone:"})
        line = reload(gateway, "keys_kept", 2)[-1]
        assert "issuer gone gave no keys in time" in line and control(gateway, "GET", "/ready").status == 200, line
        assert outcome(gateway, login.token(user="gone:ann")) == "gone:ann", "its prefix is free again"
        write(file, entry("login", login))
        reload(gateway, "keys_reloaded", 2)
        assert outcome(gateway, partner.token()) == "signature_invalid"
        assert ann.is_alive() and ann.ask("refresh", token=login.token())["type"] == "refreshed"
        page = control(gateway, "GET", "/metrics").body.decode()
        assert 'postern_jwks_keys{issuer="partner"}' not in page


@pytest.mark.parametrize("text, expected", [
    ('{"identity": 2, "issuers": []}', ':1:14 /identity: another format of this file; expected 1'),
    ('{"identity": 1, "issuers": []}', ':1:28 /issuers: expected 1 to 16 issuers'),
    ('{"identity": 1,\n "isuers": []}', ":2:2 /isuers: no such key 'isuers'; did you mean 'issuers'?"),
    ('{"identity": 1, "issuers": [{"name": "A", "issuer": "https://a.example", "discovery": true}]}',
     "/issuers/0/name: expected a name of 1 to 64 lower-case letters, digits, - and _"),
    ('{"identity": 1, "issuers": [{"name": "hook_connect", "issuer": "https://a.example", "discovery": true}]}',
     "/issuers/0/name: 'hook_connect' is the name of an endpoint of the gateway in metrics; choose another"),
    ('{"identity": 1, "issuers": [{"name": "introspection", "issuer": "https://a.example", "discovery": true}]}',
     "/issuers/0/name: 'introspection' is the name of an endpoint of the gateway in metrics; choose another"),
    ('{"identity": 1, "issuers": [{"name": "a", "issuer": "http://a.example", "discovery": true}]}',
     "/issuers/0/issuer: plain http is spoken to loopback only; give an https address"),
    ('{"identity": 1, "issuers": [{"name": "a", "issuer": "https://a.example"}]}', 'lacks "discovery": true, or the "jwks"'),
    ('{"identity": 1, "issuers": [{"name": "a", "issuer": "https://a.example", "jwks": "https://a.example/k", '
     '"algorithms": ["HS256"]}]}', "no such algorithm of a published key 'HS256'"),
    ('{"identity": 1, "issuers": [{"name": "a", "issuer": "https://a.example", "discovery": true}, '
     '{"name": "b", "issuer": "https://b.example", "discovery": true}]}',
     """two issuers without a "user_prefix", whose users would share their names; give one to 'b'"""),
    ('{"identity": 1, "issuers": [{"name": "a", "issuer": "https://a.example", "discovery": true, "user_prefix": "x"}, '
     '{"name": "b", "issuer": "https://b.example", "discovery": true, "user_prefix": "xy"}]}',
     """the "user_prefix" of 'b' and that of another issuer begin alike"""),
    ('{"identity": 1, "issuers": [{"name": "a", "issuer": "https://a.example", "discovery": true}, '
     '{"name": "b", "issuer": "https://a.example", "discovery": true, "user_prefix": "b:"}]}',
     "a second entry for https://a.example"),
], ids=lambda value: None)
def test_a_wrong_file_ends_the_start_with_its_place_and_what_would_be_right(tmp_path, text, expected):
    file = tmp_path / "identity.json"
    file.write_text(text)
    done = subprocess.run([os.environ["POSTERN"], "serve", "--identity", str(file), "--port", "0", "--control-port", "0"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and expected in done.stderr and str(file) in done.stderr, done.stderr


def test_flags_of_one_login_are_refused_beside_the_file(tmp_path):
    file = write(tmp_path / "identity.json", {"name": "a", "issuer": "https://a.example", "discovery": True})
    for flags, expected in [(["--oidc", "https://b.example"], "--identity has all issuers"),
                            (["--logout", "chat"], '"logout" to the issuers'),
                            (["--audience", "chat"], "each issuer in")]:
        done = subprocess.run([os.environ["POSTERN"], "serve", "--identity", str(file), *flags],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and expected in done.stderr, done.stderr
