"""A real OpenID provider logs its users out here: idpyoidc. Its access tokens name their session, and its logout tokens name
nothing else."""

import time

from clients import Client, Refused
from gateway import Gateway
from login import CLIENT, Login


def outcome(gateway, presented):
    try:
        with Client(gateway, token=presented) as client:
            return client.receive()["type"]
    except Refused as refusal:
        return refusal.error["name"]


def test_a_logout_at_the_provider_closes_that_session_only_and_the_next_login_succeeds(tmp_path):
    with Login(tmp_path) as login, Gateway("--oidc", login.url, "--audience", CLIENT, "--logout", CLIENT, has_secret=False) as gateway:
        login.log_out_at(f"{gateway.http_url}/identity/logout")
        (one, session), (two, _) = login.log_in(), login.log_in()
        with Client(gateway, token=one) as first, Client(gateway, token=two) as second:
            assert first.receive("connected") and second.receive("connected")
            # Its dates are whole seconds.
            time.sleep(1.1)
            login.log_out(session)
            assert first.until_closed() == (4004, "token_revoked")
            assert second.is_alive()
            assert outcome(gateway, one) == "token_revoked" and outcome(gateway, two) == "connected"
            time.sleep(1.1)
            three, _ = login.log_in()
            assert outcome(gateway, three) == "connected"
        [line] = gateway.logged("event=signal_taken")
        assert "signal=logout" in line and "sessions=1" in line
