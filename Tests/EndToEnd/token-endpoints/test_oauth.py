"""Storms of Authlib's server over mutual TLS; what the report counts is held against what the server answered."""

import base64

import oauth_server
import pytest
import storms
from conftest import calls

HOSTS = '["https://id-1.staging.example/oauth/token", "https://id-2.staging.example/oauth/token"]'


@pytest.fixture
def server(tmp_path):
    with oauth_server.Server(tmp_path) as server:
        rows = [f"{name},{base64.b64encode(f'{name}:{word}'.encode()).decode()}" for name, word in oauth_server.CLIENTS.items()]
        (tmp_path / "clients.csv").write_text("\n".join(["client_id,basic", *rows]))
        yield server


def flags(path, *more):
    return ["--provider-only", "--tokens", path, "--clients", "20", "--rate", "40", "--fetch-timeout", "30s", *more]


def test_every_client_gets_a_token_and_a_second_one(description, server):
    path = description("oauth-client", (HOSTS, f'"{server.url}/oauth/token"'))
    result = storms.run(*flags(path))["result"]
    login, refresh = calls(result, "login"), calls(result, "refresh")
    assert login["granted"] == refresh["granted"] == 20, result["tokens"]
    assert server.log[200] == login["calls"] + refresh["calls"] == 40, server.log
    assert result["tokens"]["ends"] == {"answer": 20}
    assert result["tokens"]["longest_life"] == oauth_server.LIFE


def test_of_two_addresses_the_one_that_is_down_is_left(description, server):
    path = description("oauth-client", (HOSTS, f'["{server.url}/oauth/token", "https://127.0.0.1:1/oauth/token"]'))
    report = storms.run(*flags(path))
    login = calls(report["result"], "login")
    assert login["granted"] == 20 and login["failed"] == 10, login
    assert server.log[200] == 40
    assert any("https://127.0.0.1:1: connect: Connection refused" in caveat for caveat in report["caveats"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"ca": "staging-ca.pem", ', ""), 'the system trusts no authority that signed its certificate; "tls": {"ca": "FILE"}'),
        ((', "certificate": "client.pem", "key": "client.key"', ""), "it wants a certificate of its clients"),
        (("https://127.0.0.1", "https://localhost"), "its certificate is for another name"),
        (("https://127.0.0.1", "http://127.0.0.1"), 'no "url" begins with https://'),
        (('"ca": "staging-ca.pem"', '"ca": "clients.csv"'), "clients.csv holds no certificate of somebody to trust"),
        (('"key": "client.key"', '"key": "nobody.key"'), "nobody.key cannot be opened"),
    ],
)
def test_a_tls_fault_is_reported_in_one_sentence(description, server, change, sentence):
    path = description("oauth-client", (HOSTS, f'"{server.url}/oauth/token"'), change)
    report = storms.run(*flags(path, "--timeout", "6s"), expected=(1, 2))
    if isinstance(report, str):
        assert sentence in report
        return
    assert sum(sentence in caveat for caveat in report["caveats"]) == 1, report["caveats"]
    assert server.log[200] == 0


def test_a_wrong_secret_is_refused_in_the_endpoints_words(description, server, tmp_path):
    (tmp_path / "clients.csv").write_text("client_id,basic\nclient-0,Y2xpZW50LTA6d3Jvbmc=\n")
    path = description("oauth-client", (HOSTS, f'"{server.url}/oauth/token"'))
    result = storms.run(*flags(path, "--timeout", "20s"), expected=(1,))["result"]
    assert result["tokens"]["login"]["refused"] == {"http_401 invalid_client": 20} and server.log[401] == 20
