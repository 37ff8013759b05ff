"""Real servers of opaque tokens, none written for Postern. Their users log in; a revocation there ends the session here; wrong
client credentials are reported as the operator's error only."""

import time

import pytest

import authlib_server
import django_server
from clients import Client, Refused
from gateway import Gateway

EXTRA = {"authlib": ["--audience", "realtime"], "django": ["--introspection-user", "username"]}


@pytest.fixture(scope="module", params=["authlib", "django"])
def server(request, tmp_path_factory):
    module = {"authlib": authlib_server, "django": django_server}[request.param]
    made = module.Server() if request.param == "authlib" else module.Server(tmp_path_factory.mktemp("django"))
    made.client, made.secret, made.flags = module.CLIENT, module.SECRET, EXTRA[request.param]
    with made:
        yield made


def serve(server, folder, *more, secret=None):
    file = folder / "introspection.secret"
    file.write_text(secret or server.secret)
    return Gateway(
        "--introspection", server.introspection, "--introspection-client", server.client, "--introspection-secret-file",
        str(file), *server.flags, *more, has_secret=False)


def outcome(gateway, token):
    try:
        with Client(gateway, token=token) as client:
            message = client.receive()
            return message.get("user_id") or message["error"]["name"]
    except Refused as refusal:
        return refusal.error["name"]


def test_its_users_connect_and_refresh_and_no_other_token_is_good(server, tmp_path):
    with serve(server, tmp_path) as gateway:
        first, second, bobs = server.log_in("ann"), server.log_in("ann"), server.log_in("bob")
        with Client(gateway, token=first) as ann:
            assert ann.receive("connected")["user_id"] == "ann"
            assert ann.ask("refresh", token=second)["type"] == "refreshed"
            assert ann.ask("refresh", token=bobs)["error"]["name"] == "user_mismatch" and ann.is_alive()
        assert outcome(gateway, bobs) == "bob" and outcome(gateway, first + "x") == "token_unknown"
        server.revoke(bobs)
        deadline = time.monotonic() + 60
        while outcome(gateway, bobs) != "token_unknown":
            assert time.monotonic() < deadline, "the answer from before is used for half a minute"
            time.sleep(0.5)
        log = gateway.log()
        assert not any(token in log for token in (first, second, bobs, server.secret))


def test_a_revocation_there_closes_the_session_that_is_asked_about_again_and_no_other(server, tmp_path):
    with serve(server, tmp_path, "--introspection-recheck", "1s", "--revocation", "close") as gateway:
        anns, bobs = server.log_in("ann"), server.log_in("bob")
        with Client(gateway, token=anns) as ann, Client(gateway, token=bobs) as bob:
            assert ann.receive("connected") and bob.receive("connected")
            server.revoke(anns)
            assert ann.until_closed() == (4004, "token_revoked")
            assert bob.is_alive()


def test_a_wrong_secret_of_the_gateway_does_not_count_as_a_refusal_of_users(server, tmp_path):
    with serve(server, tmp_path, secret="wrong") as gateway:
        assert outcome(gateway, server.log_in("ann")) == "identity_unavailable"
        gateway.logged("event=introspection_f")
