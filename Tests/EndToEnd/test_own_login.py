"""A gateway that accepts the tokens of the application's own login: its keys by URL and by discovery, rotation, and forged
tokens."""

import base64
import hashlib
import hmac
import json
import os
import socket
import ssl
import subprocess
import time

import pytest

from clients import Client, Refused, api, control, request
from gateway import Gateway, token
from issuer import Issuer, Key


def flags(issuer, *more):
    return ["--jwks", issuer.jwks_url, "--issuer", issuer.named, "--audience", "realtime", *more]


def outcome(gateway, presented):
    """The user that a token logs in, or the name of the error."""
    try:
        with Client(gateway, token=presented) as client:
            message = client.receive()
            return message["user_id"] if message["type"] == "connected" else message["error"]["name"]
    except Refused as refusal:
        return refusal.error["name"]


def until(holds, patience=60):
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_a_user_of_the_login_connects_refreshes_and_stays_without_a_restart_when_the_keys_rotate(algorithm):
    with Issuer(Key("k1", algorithm)) as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        assert control(gateway, "GET", "/ready").json == {"status": "ready"}
        [read] = gateway.logged("event=jwks_read")
        assert "issuer=jwks keys=1" in read
        with Client(gateway, token=issuer.token()) as ann:
            assert ann.receive("connected")["user_id"] == "ann"
            new = Key("k2", algorithm)
            issuer.keys.insert(0, new)
            # The first token of the new key waits for the keys, on the same connection.
            assert ann.ask("refresh", token=issuer.token(new))["type"] == "refreshed"
            assert ann.is_alive() and issuer.asked == 2
            assert outcome(gateway, issuer.token(issuer.keys[1])) == "ann"


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_the_first_login_after_a_rotation_without_kids_is_accepted(algorithm):
    with Issuer(Key("k1", algorithm)) as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        for key in issuer.keys:
            del key.jwk["kid"]
        with Client(gateway, token=issuer.token(kid=None)) as ann:
            assert ann.receive("connected")["user_id"] == "ann" and issuer.asked == 1
            new = Key("k2", algorithm)
            del new.jwk["kid"]
            issuer.keys = [new]
            assert outcome(gateway, issuer.token(kid=None, user="bob")) == "bob" and issuer.asked == 2
            assert ann.ask("refresh", token=issuer.token(kid=None))["type"] == "refreshed" and ann.is_alive()
            assert issuer.asked == 2


def test_a_token_of_another_issuer_or_audience_is_logged_with_both_values():
    with Issuer() as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        assert outcome(gateway, issuer.token(iss='https://other.example/"\n')) == "issuer_mismatch"
        assert outcome(gateway, issuer.token(aud=["a", "b"])) == "audience_mismatch"
        lines = gateway.logged("event=upgrade_refused", 2)
        assert f'error=issuer_mismatch peer=127.0.0.1 expected={issuer.named} presented="https://other.example/\\"\\n"' in lines[0]
        assert "error=audience_mismatch peer=127.0.0.1 expected=realtime presented=a,b" in lines[1]


def test_discovery_finds_the_keys_and_the_issuer_is_compared_byte_for_byte():
    with Issuer() as issuer:
        with Gateway("--oidc", issuer.url, "--audience", "realtime", has_secret=False) as gateway:
            assert outcome(gateway, issuer.token()) == "ann"
            assert [path for path, _, _ in issuer.requests] == ["/.well-known/openid-configuration", "/keys"]
        issuer.named += "/"
        command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", "--oidc", issuer.url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stdout == ""
        assert f"--oidc: {issuer.url} says issuer {issuer.url}/ in its discovery document; give that one" in done.stderr


@pytest.mark.parametrize("words, said", [
    (["--jwks", "http://keys.example/k", "--issuer", "https://a"], "plain http is spoken to loopback only"),
    (["--jwks", "https://keys.example/k"], "--jwks needs --issuer"),
    (["--jwks", "https://keys.example/k", "--oidc", "https://a"], "both given"),
    (["--oidc", "https://a", "--issuer", "https://a"], "leave --issuer out"),
    (["--oidc", "http://a.example"], "plain http"),
    (["--oidc", "https://ann:pw@a.example"], "a user or password"),
    (["--identity-ca", "nowhere.pem"], "is for --jwks, --oidc, --identity, --events-from, --introspection, --otlp or a hook"),
    (["--oidc", "https://a", "--identity-ca", "nowhere.pem"], "nowhere.pem"),
    (["--oidc", "https://a", "--identity-key", "nowhere.pem"], "are given together"),
    (["--oidc", "https://a", "--identity-key", "nowhere.pem", "--identity-certificate", "nowhere.pem"], "nowhere.pem"),
])
def test_a_wrong_command_line_is_refused_with_its_fault(words, said):
    command = [os.environ["POSTERN"], "serve", "--port", "0", "--control-port", "0", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and said in done.stderr, done


def unsigned(claims, header):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    return f"{part(header)}.{part(claims)}"


def test_forged_tokens_are_refused_each_with_its_own_reason():
    with Issuer(Key("k1", "RS256")) as issuer, Gateway(*flags(issuer), has_secret=False) as gateway:
        [key] = issuer.keys
        claims = {"sub": "ann", "iss": issuer.named, "aud": "realtime", "exp": int(time.time()) + 600}
        none = unsigned(claims, {"alg": "none", "kid": "k1"}) + "."
        forged = {}
        for name, secret in [("pem", key.public_pem), ("jwk", json.dumps(key.jwk).encode()), ("n", key.jwk["n"].encode())]:
            head = unsigned(claims, {"alg": "HS256", "kid": "k1"})
            code = hmac.new(secret, head.encode(), hashlib.sha256).digest()
            forged[name] = f"{head}.{base64.urlsafe_b64encode(code).decode().rstrip('=')}"
        other = Key("k1", "RS256")
        logout = {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}, "sid": "1"}
        assert outcome(gateway, none) == "algorithm_refused"
        assert {outcome(gateway, text) for text in forged.values()} == {"algorithm_refused"}
        assert outcome(gateway, issuer.token(other)) == "signature_invalid"
        assert outcome(gateway, issuer.token(iss="https://other.example")) == "issuer_mismatch"
        assert outcome(gateway, issuer.token(iss=None)) == "claim_invalid"
        assert outcome(gateway, issuer.token(aud="other")) == "audience_mismatch"
        assert outcome(gateway, issuer.token(life=None)) == "claim_invalid"
        assert outcome(gateway, issuer.token(life=-60)) == "token_expired"
        assert outcome(gateway, issuer.token(**logout)) == "token_malformed"
        assert outcome(gateway, issuer.token(kid="unheard")) == "key_unknown"
        # A key in the header, or a link to one, is never used.
        assert issuer.asked == 2 and outcome(gateway, issuer.token()) == "ann"


def test_the_built_in_provider_mints_only_with_a_secret(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the secret of the provider")
    with Issuer() as issuer:
        with Gateway(*flags(issuer), has_secret=False) as gateway:
            assert api(gateway, "POST", "/v1/tokens", {"user_id": "ann"}).error["name"] == "not_permitted"
            guest = api(gateway, "POST", "/v1/guests", {}).json
            assert outcome(gateway, guest["token"]) == guest["user_id"]
        with Gateway(*flags(issuer, "--provider-secret-file", str(secret)), has_secret=False) as gateway:
            minted = api(gateway, "POST", "/v1/tokens", {"user_id": "bob"}, token="the secret of the provider").json["token"]
            assert outcome(gateway, minted) == "bob" and outcome(gateway, issuer.token()) == "ann"


def test_a_login_behind_tls_is_verified_by_its_authority_and_by_no_other(tmp_path):
    certificate, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True, timeout=60)
    with Issuer() as issuer:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        issuer.server.socket = context.wrap_socket(issuer.server.socket, server_side=True)
        issuer.url = issuer.named = f"https://localhost:{issuer.server.server_port}"
        issuer.jwks_url = f"{issuer.url}/keys"
        words = ["--oidc", issuer.url, "--audience", "realtime"]
        with Gateway(*words, "--identity-ca", str(certificate), has_secret=False) as gateway:
            assert outcome(gateway, issuer.token()) == "ann"
        with Gateway(*words, has_secret=False) as gateway:
            assert control(gateway, "GET", "/ready").status == 503
            gateway.logged("the system trusts no authority that signed the certificate")


def test_a_login_that_wants_a_certificate_of_its_clients_is_shown_one(tmp_path):
    def made(name, *more):
        key, certificate = tmp_path / f"{name}.key", tmp_path / f"{name}.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
             *more, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, timeout=60)
        return str(certificate), str(key)

    server = made("localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    client = made("gateway")
    with Issuer() as issuer:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*server)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client[0])
        # The handshake of a client without a certificate fails in the thread that reads its request.
        issuer.server.socket = context.wrap_socket(issuer.server.socket, server_side=True, do_handshake_on_connect=False)
        issuer.named = issuer.url = f"https://localhost:{issuer.server.server_port}"
        issuer.jwks_url = f"{issuer.url}/keys"
        words = flags(issuer, "--identity-ca", server[0])
        with Gateway(*words, "--identity-certificate", client[0], "--identity-key", client[1], has_secret=False) as gateway:
            assert outcome(gateway, issuer.token()) == "ann"
        with Gateway(*words, has_secret=False) as gateway:
            assert control(gateway, "GET", "/ready").status == 503
            assert outcome(gateway, issuer.token()) == "identity_unavailable"


def test_a_document_that_leads_inside_is_never_followed():
    """A listener on another address of this machine proves that no request goes there: only the issuer's own host is
    allowed."""
    with Issuer() as issuer:
        listener = socket.create_server(("127.0.0.2", 0))
        issuer.jwks_url = f"http://127.0.0.2:{listener.getsockname()[1]}/keys"
        with Gateway("--oidc", issuer.url, "--audience", "realtime", has_secret=False) as gateway:
            assert control(gateway, "GET", "/ready").status == 503
            gateway.logged("leads into an internal network")
            listener.settimeout(0.5)
            with pytest.raises(TimeoutError):
                listener.accept()
        listener.close()


def test_a_described_wire_takes_the_logins_tokens_and_vendors_wires_do_not():
    with Issuer() as issuer:
        with Gateway(*flags(issuer), "--wire", "centrifugo", "--stream-api-key", "k1", has_secret=False) as gateway:
            from websockets.sync.client import connect

            with connect(f"{gateway.url}/connection/websocket", proxy=None, open_timeout=30) as client:
                client.send(json.dumps({"id": 1, "connect": {"token": issuer.token()}}))
                assert "connect" in json.loads(client.recv(timeout=30))
            headers = {"Authorization": issuer.token(user_id="ann"), "stream-auth-type": "jwt"}
            answer = request(
                gateway.http_url, "GET", "/video/call/default/x?api_key=k1", headers=headers, document=None)
            assert answer.status == 401, answer.body


def test_without_these_flags_nothing_is_asked_and_every_series_is_there():
    with Gateway() as gateway:
        metrics = control(gateway, "GET", "/metrics").body.decode()
        for name in ("postern_outbound_requests_total", "postern_jwks_age_seconds", "postern_jwks_keys"):
            assert f"# TYPE {name} " in metrics
        assert outcome(gateway, token("bob")) == "bob"
