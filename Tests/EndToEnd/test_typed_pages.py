"""Every page with commands, typed from top to bottom in one shell, like a person without a build of the sources.

A block that is not typed says why in the page's source, in a comment above it: `<!-- not typed: REASON -->`. Each test has in its
name how many blocks are typed and how many are not; NOT_TYPED holds the latter."""

import os
import subprocess
import sys

import pytest

import typed

PAGES = {
    str(page.relative_to(typed.ROOT)): typed.blocks(page)
    for pattern in ["README.md", "Docs/*.md", "Docs/dialects/*.md", "Kits/*/README.md"]
    for page in sorted(typed.ROOT.glob(pattern))
}

# How many blocks of a page are not typed. One more block needs a reason in the page, and its number here.
NOT_TYPED = {
    "Docs/add-a-fault.md": 4,
    "Docs/alerts.md": 1,
    "Docs/architecture.md": 1,
    "Docs/arrivals.md": 1,
    "Docs/behaviours-of-vendors.md": 1,
    "Docs/calibration.md": 2,
    "Docs/conformance.md": 2,
    "Docs/cohorts.md": 1,
    "Docs/dashboard.md": 1,
    "Docs/dialects/sinch.md": 1,
    "Docs/dialects/streem.md": 2,
    "Docs/hooks.md": 3,
    "Docs/install.md": 3,
    "Docs/introspection.md": 1,
    "Docs/kit-calls.md": 2,
    "Docs/kits.md": 3,
    "Docs/libwebsockets.md": 1,
    "Docs/logout.md": 1,
    "Docs/measuring.md": 1,
    "Docs/own-login.md": 1,
    "Docs/performance.md": 3,
    "Docs/phases.md": 1,
    "Docs/planning.md": 8,
    "Docs/proxies.md": 2,
    "Docs/proxy-handover.md": 1,
    "Docs/proxy-tunnels.md": 1,
    "Docs/proxy-tutorial.md": 1,
    "Docs/proxy.md": 2,
    "Docs/recordings.md": 1,
    "Docs/redis.md": 3,
    "Docs/report-history.md": 1,
    "Docs/retries.md": 2,
    "Docs/routes.md": 1,
    "Docs/rotation.md": 3,
    "Docs/serve-jwks.md": 1,
    "Docs/scenario-draft.md": 1,
    "Docs/scenarios.md": 1,
    "Docs/simulation-limits.md": 1,
    "Docs/space-costs.md": 1,
    "Docs/staging.md": 1,
    "Docs/store.md": 1,
    "Docs/storm-metrics.md": 1,
    "Docs/storm-others.md": 1,
    "Docs/storm-on-kubernetes.md": 2,
    "Docs/storm.md": 1,
    "Docs/thresholds.md": 1,
    "Docs/token-endpoints.md": 3,
    "Docs/triggers.md": 1,
    "Docs/tutorial.md": 1,
    "Docs/vendor-clients.md": 1,
    "Docs/vendor-sandbox.md": 1,
    "Docs/verdicts.md": 2,
    "Docs/watching.md": 1,
    "Docs/webhooks.md": 2,
    "Docs/wire-draft.md": 1,
    "Docs/wire-renewals.md": 2,
    "Docs/wires-msgpack.md": 1,
    "Docs/wires.md": 3,
    "Docs/workers.md": 1,
    "Kits/java/README.md": 3,
    "Kits/javascript/README.md": 1,
    "Kits/python/README.md": 4,
    "README.md": 4,
}

# Pages whose commands test_simulate_page.py types: it compares the output with the page too.
ELSEWHERE = {"Docs/simulate.md", "Docs/planning.md"}

# The states that are seen, in this order.
SEEN = {
    "README.md": ["holds  lost == 0", "1 of 1: refresh-at-expiry passed"],
    "Docs/arrivals.md": ["Storm "],
    "Docs/behaviours.md": ["order.fault  drop", "drain_ended"],
    "Docs/cohorts.md": ["mobile.swift", "kiosk:refresh.p99 < 3s", "Storm passed", "Storm passed", "fleet `mobile.swift`", "fleet `mobile.android`", "Storm passed", "fleet `mobile.swift`"],
    "Docs/comparing.md": ["report: reports/mixed/storm.json", "report: reports/mixed/storm.json", "refresh.p99"],
    "Docs/configuration.md": ['"refresh_timeout_s":90'],
    "Docs/conformance.md": ["refresh-at-expiry", "1 of 1: refresh-at-expiry passed"],
    "Docs/connect.md": [
        "connected as ann", "asked for a new token within 60 s", "refreshed on the same connection",
        "connected as bob", "refreshed on the same connection", '"connected"', '"nickname":"Bob"',
    ],
    "Docs/dialects/sendbird-channels.md": ['"channel_url":"news"'],
    "Docs/dialects/sendbird.md": ['"nickname":"Bob"'],
    "Docs/dialects/sinch.md": ['"secret"', "refreshed"],
    "Docs/dialects/stream-video.md": ["eyJ"],
    "Docs/dialects/streem.md": ["api_", "tokenEndpoint"],
    "Docs/expectations.md": ["one_provider_call_per_expiry"],
    "Docs/faults.md": ["drop", "drain_ended"],
    "Docs/http-clients.md": ["429", "faulted"],
    "Docs/journal.md": ["refresh_requested", "refreshed", "closed with 1001"],
    "Docs/hooks.md": ['{"status":"ready"}', '"user_id":"ann"', '"data":{"room":1}', "403007", 'result="accepted"} 1'],
    "Docs/introspection.md": ['{"status":"ready"}', '"user_id":"ann"', "401013", 'result="active"} 1', 'result="inactive"} 1'],
    "Docs/logout.md": ['{"status":"ready"}', "200", "401009", "invalid_request", "1 session", 'result="refused"} 1'],
    "Docs/issuers.md": ['{"status":"ready"}', '"user_id":"ann"', '"user_id":"partner:ann"'],
    "Docs/own-login.md": ['{"status":"ready"}', '"user_id":"ann"', "401006", "postern_jwks_keys"],
    "Docs/other-languages.md": ["postern 1.", '"name":"t1"', '"moved_s":3600'],
    "Docs/phases.md": ["report: reports/away/storm.json"],
    "Docs/proxy-faults.md": ["HTTP status 503", "connected as ann", "closed with 1011", "by=gateway", "upstream_ms", "close_as"],
    "Docs/proxy-handover.md": ["for postern proxy, not for storms and postern serve", "handed_over", "to=127.0.0.1:4000 then=retry"],
    # Beside other tests the verdicts may be that the machine was too slow to tell.
    "Docs/proxy-tutorial.md": [
        "logged_in", "befell", "one_provider_call_per_expiry", "one_provider_call_per_expiry", "renewal reconnect", "carl",
    ],
    "Docs/proxy.md": ["ready", "connected as ann", "refreshed on the same connection"],
    "Docs/recordings.md": ["connected as ann", "refreshed on the same connection", "postern_recording"],
    "Docs/replay.md": ["connected as ann", "steps over"],
    "Docs/report-history.md": ["added: runs/main/2026-11-01T09-00-00Z.json", "beside 6 baselines", "6 runs of main"],
    "Docs/storm-metrics.md": ["postern_storm_clients", "drain_ended"],
    "Docs/report-files.md": ["Storm passed", "Storm passed", "drain_ended"],
    "Docs/rules.md": ["connection_required"],
    "Docs/serve-jwks.md": ["holds  refused.valid == 0", "holds  jwks.requests < 20", "drain_ended"],
    "Docs/scenarios.md": ["report: reports/mixed/storm.json", "report: reports/jitter/storm.json"],
    "Docs/spaces.md": ['"name":"t17"', "connected as ann", "refreshed on the same connection", "closed with 1001"],
    "Docs/storm-restart.md": ["drain_ended", "drain_ended"],
    "Docs/storm.md": ["holds  lost == 0", "report: reports/endpoint/storm.json"],
    "Docs/thresholds.md": ["holds  lost == 0"],
    "Docs/time.md": ["connected as ann", "answered  yes"],
    "Docs/token-endpoints.md": ["POST /v1/tokens", "200 a token", "provider", "connected"],
    "Docs/tokens-and-keys.md": ["ann"],
    "Docs/tutorial.md": [
        "assert 2 == 1", "refresh_requested", "provider_minted", "provider_minted", "refreshed", "1 failed", "1 passed", "2 passed",
        "1 of 1: refresh-at-expiry passed",
    ],
    "Docs/vendor-sandbox.md": ["befell", "refreshed on the same connection", "draft"],
    "Docs/watching.md": ["postern_refreshes"],
    "Docs/traces.md": ['{"status":"ready"}', "0af7651916cd43dd8448eb211c80319c below b7ad6b7169203331 POST /v1/tokens", 'result="sent"} '],
    "Docs/webhooks.md": ['{"status":"ready"}', "open_channel:create verified", "open_channel:message_send verified", 'result="delivered"} 2', "webhook_sent"],
    "Docs/wire-renewals.md": ["renewal http", "logged_in", "POST /keys/refresh", "renewed 1 times"],
    "Docs/wires-msgpack.md": ["logged_in", '{"action":17}', "renewed 1 times", "connected"],
    "Docs/wires.md": ["logged_in", "goodbye", "connected", "connected"],
    "Kits/java/README.md": ["postern-testing-"],
    "Kits/javascript/README.md": ["postern-testing-", "added 1 package"],
    "Kits/python/README.md": ["Successfully installed", "postern_testing-", ".tar.gz and postern_testing-", "Successfully installed"],
}  # fmt: skip


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """pip's packages, since there is no network."""
    folder = tmp_path_factory.mktemp("wheels")
    wanted = ["websockets", "pytest", "setuptools>=68", "wheel", "build", "python-socketio[client]", "aiohttp", "pyjwt"]
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "-d", str(folder), *wanted], check=True, timeout=900)
    return folder


TYPED = [page for page in PAGES if page not in ELSEWHERE and any(block.reason is None for block in PAGES[page])]


def named(page):
    found = PAGES[page]
    left = sum(block.reason is not None for block in found)
    return f"{page}: {len(found) - left} typed, {left} not"


@pytest.mark.skipif(not typed.can_be_typed(), reason="this user may not make a network of his own: unshare --user --net")
@pytest.mark.parametrize("page", TYPED, ids=named)
def test_each_command_of_a_page_works_when_it_is_typed_in_order(page, tmp_path, wheels):
    machine = typed.Machine(tmp_path, os.environ["POSTERN"], wheels)
    status, said = machine.type([block for block in PAGES[page] if not block.reason], timeout=900)
    assert status == 0, said
    rest = said
    for text in SEEN.get(page, []):
        assert text in rest, f"no {text!r} behind what was seen so far:\n{said}"
        rest = rest.split(text, 1)[1]


def test_blocks_that_are_not_typed_are_counted_and_have_a_reason():
    assert {page: left for page, found in PAGES.items() if (left := sum(block.reason is not None for block in found))} == NOT_TYPED


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_indented_so_that_none_is_overlooked(page):
    assert "```" not in (typed.ROOT / page).read_text()
