"""`postern ctl conform --upstream`: verdicts on clients of a real gateway, with the application's own token endpoint."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from at_once import working
from conformance import chosen, verdicts
from proxied import Proxy
from renewing import Provider, ReturningGateway, TimerGateway

CLIENT = Path(__file__).parents[1] / "wire_client.py"
GATEWAYS = {"centrifugo": (TimerGateway, "centrifuge"), "close-4401": (ReturningGateway, "websockets")}

CASES = [
    ("centrifugo", "", ["refresh-at-expiry", "refresh-all-day", "provider-busy", "lost-while-asking", "restart", "closed-for-good"], "passed"),
    ("centrifugo", "twice", ["refresh-at-expiry", "refresh-all-day"], "failed"),
    ("centrifugo", "at-once", ["refresh-at-expiry"], "failed"),
    ("close-4401", "", ["refresh-at-expiry", "provider-busy", "lost-while-asking", "restart", "closed-for-good"], "passed"),
    ("close-4401", "twice", ["refresh-at-expiry"], "failed"),
    ("close-4401", "old", ["refresh-at-expiry"], "failed"),
    ("close-4401", "loops", ["closed-for-good"], "failed"),
]


@pytest.fixture(scope="module")
def places():
    """Gateways that were not written for Postern, a token endpoint, and the proxy with a route to one of them for each
    behaviour."""
    with Provider() as provider, TimerGateway(600) as timer, ReturningGateway(600) as returning:
        with Proxy(None, "--spaces", "--control-port", "0") as proxy:
            yield {"centrifugo": timer, "close-4401": returning}, provider, proxy


def conform(proxy, *flags):
    command = [os.environ["POSTERN"], "ctl", "conform", "--url", proxy.control_url, *flags]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
    return subprocess.run(command, capture_output=True, text=True, timeout=900, errors="replace", env=environment)


@pytest.fixture(scope="module")
def runs(places, request):
    gateways, provider, proxy = places

    def run(wire, fault, behaviours, wanted):
        command = shlex.join(["exec", sys.executable, str(CLIENT), GATEWAYS[wire][1], *filter(None, [fault])])
        return conform(
            proxy, "--upstream", gateways[wire].url, "--tokens", provider.url, "--wire", wire, "--run", command, "--jobs", "4", *chosen(behaviours))

    with working(request, test_a_right_client_passes_and_a_wrong_one_fails_before_a_real_gateway, run, 4) as runs:
        yield runs


@pytest.mark.parametrize("wire, fault, behaviours, wanted", [pytest.param(*case, id=f"{case[0]}-{case[1] or 'right'}") for case in CASES])
def test_a_right_client_passes_and_a_wrong_one_fails_before_a_real_gateway(runs, request, wire, fault, behaviours, wanted):
    done = runs[request.node.callspec.id].result()
    told = verdicts(done)
    assert set(told) == set(behaviours), done.stdout + done.stderr
    slow = "the machine was" in done.stdout
    assert all(verdict == wanted or (verdict == "undecided" and slow) for verdict in told.values()), done.stdout


def test_a_behaviour_that_only_a_gateway_can_play_is_not_applicable_with_a_reason(places):
    gateways, provider, proxy = places
    command = shlex.join(["exec", sys.executable, str(CLIENT), "websockets"])
    names = {"refresh-all-day": "cannot be moved", "revoked-and-closed": "its own revocations", "expired-while-away": "clock_is_real"}
    done = conform(
        proxy, "--upstream", gateways["close-4401"].url, "--tokens", provider.url, "--wire", "close-4401", "--run", command,
        *chosen(names))
    assert done.returncode == 0 and set(verdicts(done).values()) == {"not applicable"}, done.stdout + done.stderr
    for name, reason in names.items():
        assert any(line.startswith(f"{name}: ") and reason in line for line in done.stdout.splitlines()), done.stdout


def test_an_order_of_a_route_with_tokens_opens_no_file_and_asks_no_host_that_is_not_named(places):
    gateways, provider, proxy = places
    upstream = gateways["close-4401"].url

    def refused(status, name, **settings):
        got, answer = proxy.ask("POST", "/spaces", {"upstream": upstream, "settings": settings})
        assert (got, answer["error"]["name"]) == (status, name), answer
        return answer["error"]["message"]

    assert "no file" in refused(400, "invalid_parameter", tokens="/etc/passwd")
    assert "no file" in refused(400, "invalid_parameter", tokens="Deploy/tokens/django-rest-framework-simplejwt.json")
    refused(403, "host_not_named", tokens="https://login.example/auth/token")
    refused(400, "invalid_parameter", tokens=f"http://127.0.0.1:{proxy.port}/auth/token")
    refused(400, "invalid_parameter", tokens=provider.url, **{"token-route": "/auth/token"})


def test_a_run_without_permission_for_a_route_reports_it_and_does_not_pass(places):
    gateways, _, proxy = places
    flags = ["--wire", "close-4401", "--run", "true", "--upstream"]
    done = conform(proxy, *flags, "wss://realtime.example")
    assert done.returncode == 1 and "host_not_named" in done.stderr and not done.stdout, done.stderr
    done = conform(proxy, *flags, gateways["close-4401"].url, "--tokens", "https://login.example/auth/token")
    assert done.returncode == 1 and "host_not_named" in done.stderr and not done.stdout, done.stderr


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--tokens", "http://127.0.0.1:1/token"], "goes with --upstream"),
        (["--token-route", "/token"], "goes with --upstream"),
        (["--upstream", "127.0.0.1:3000"], "no scheme"),
    ],
    ids=["tokens", "route", "scheme"],
)
def test_flags_that_do_not_go_together_are_refused(places, flags, told):
    done = conform(places[2], "--run", "true", *flags)
    assert done.returncode == 2 and told in done.stderr, done.stderr
