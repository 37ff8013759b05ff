"""Storms of djangorestframework-simplejwt; what the report counts is held against what the server answered."""

import csv
import os
import re
import subprocess

import pytest
import simplejwt_server
import storms
from conftest import calls
from gateway import Gateway

LOGIN, RENEWAL = "/api/token/ 200", "/api/token/refresh/ 200"


@pytest.fixture(scope="session")
def application(tmp_path_factory):
    return simplejwt_server.set_up(tmp_path_factory.mktemp("django"))


@pytest.fixture
def server(application):
    with simplejwt_server.Server(application) as server:
        yield server


@pytest.fixture
def users(tmp_path):
    with (tmp_path / "users.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("email", "password"), *simplejwt_server.people()])


def flags(description, server, *more, clients=simplejwt_server.USERS):
    return [
        *("--tokens", description, "--provider", server.url, "--clients", str(clients)),
        *("--rate", "60", "--fetch-timeout", "30s", *more),
    ]


def held(result, logins, renewals, are_more_possible=False):
    """Both sides agree on how many there were, and nothing was refused."""
    log = simplejwt_server.log.copy()
    login, refresh = calls(result, "login"), calls(result, "refresh")
    assert log[LOGIN] == login["calls"] == login["granted"] == logins, (log, result["tokens"])
    assert sum(count for name, count in log.items() if name.startswith("/")) == logins + log[RENEWAL], log
    if are_more_possible:
        # A gateway asks again when the next token ends, and some of that may be under way when the storm ends.
        assert renewals <= refresh["granted"] <= log[RENEWAL] <= refresh["calls"], (log, result["tokens"])
        assert refresh["calls"] - refresh["granted"] <= simplejwt_server.USERS, (log, result["tokens"])
    else:
        assert log[RENEWAL] == refresh["calls"] == refresh["granted"] == renewals, (log, result["tokens"])
    assert login["refused"] == refresh["refused"] == login["same_token"] == refresh["same_token"] == 0
    assert result["tokens"]["longest_life"] == simplejwt_server.LIFE
    assert result["tokens"]["ends"] == {"jwt": simplejwt_server.USERS}


def test_the_endpoint_alone_rotates_every_refresh_token(description, server, users):
    report = storms.run("--provider-only", *flags(description("simplejwt"), server, "--waves", "2"))
    held(report["result"], simplejwt_server.USERS, 2 * simplejwt_server.USERS)
    assert report["result"]["refreshes"]["accepted"] == 2 * simplejwt_server.USERS
    assert report["plan"]["expiry"] == "own" and report["plan"]["life"] == simplejwt_server.LIFE
    shown = str(report)
    assert "pass," not in shown and "eyJ" not in shown


def test_a_gateway_is_stormed_with_its_tokens(description, server, users):
    with Gateway("--any-refresh-timeout", "--refresh-timeout", "20s") as gateway:
        report = storms.run("--url", gateway.url, *flags(description("simplejwt"), server))
    held(report["result"], simplejwt_server.USERS, simplejwt_server.USERS, are_more_possible=True)
    assert report["result"]["behaviours"]["well-behaved"]["refreshed"] == simplejwt_server.USERS
    assert report["result"]["connects"]["accepted"] == simplejwt_server.USERS


def test_wrong_passwords_are_refused_in_the_endpoints_words(description, server, tmp_path):
    (tmp_path / "users.csv").write_text("email,password\nuser1@example.com,wrong-password\n")
    changed = description("simplejwt", ('"error": "/code"', '"error": "/detail"'))
    flags_of = flags(changed, server, "--provider-only", "--timeout", "20s", clients=3)
    report = storms.run(*flags_of, expected=(1,))
    login = report["result"]["tokens"]["login"]
    assert list(login["refused"].values()) == [3] == [simplejwt_server.log["/api/token/ 401"]], login
    assert login["given_up"] == 3
    assert next(iter(login["refused"])).startswith("http_401 No_active_account"), login
    assert "wrong-password" not in str(report)
    assert "3 clients, but 1 users: up to 3 clients are one user" in report["caveats"]


def test_a_wrong_path_to_the_token_is_one_sentence(description, server, users):
    changed = description("simplejwt", ('"token": "/access"', '"token": "/token"'))
    flags_of = flags(changed, server, "--provider-only", "--timeout", "8s", clients=1)
    report = storms.run(*flags_of, expected=(1,))
    sentence = 'POST /api/token/ answered 200 without a token: nothing at /token, only refresh, access; is it "/access"?'
    assert report["caveats"][0] == sentence, report["caveats"]


def test_one_client_is_shown_without_token_and_password(description, server, users, tmp_path):
    wire = str(tmp_path / "wire.json")
    (tmp_path / "wire.json").write_text(
        '{ "wire": 1, "name": "query", "connect": { "path": "/v1/connect", "query": { "access_token": "{{token}}" } },'
        ' "at_open": { "is": "logged_in" }, "hear": [{ "when": { "json": { "": { "exists": true } } }, "is": "ignore" }] }'
    )
    with Gateway() as gateway:
        command = [
            *(os.environ["POSTERN"], "wire", "try", "--wire", wire, "--url", gateway.url, "--timeout", "8s"),
            *("--tokens", description("simplejwt"), "--provider", server.url),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "→ POST /api/token/\n" in done.stdout, done.stdout + done.stderr
    # Its end is a whole second, and a busy machine shows it later.
    assert re.search(r"← 200 a token, which ends in [1-6] s \(jwt\)", done.stdout), done.stdout
    assert "eyJ" not in done.stdout and "pass," not in done.stdout
