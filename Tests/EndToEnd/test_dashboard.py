"""The dashboard in a real browser, in usual sizes and colour schemes, compared with the metrics."""

import contextlib
import http.client
import json
import re
import signal
import socket
import threading
import time
import urllib.parse

import pytest

import documents
from clients import Answer, Client, control, request
from devtools import Page
from gateway import Gateway, halt, token
from issuer import Issuer, Key

SECRET = "open sesame, and be quick about it"
SIZES = [(1280, False), (1280, True), (768, False), (768, True), (400, False), (400, True)]
READING = documents.validator({"$ref": "#/components/schemas/DashboardReading"}, documents.CONTROL.document)


@pytest.fixture(scope="module")
def crowd():
    """A gateway and thirty clients: the tokens of 24 expire together, guests among them, and six expire separately."""
    flags = ["--journal", "--any-refresh-timeout", "--refresh-timeout", "60s"]
    with Gateway(*flags, loops=1) as gateway, contextlib.ExitStack() as stack:
        # However long it takes to connect them, the 24 tokens expire in one moment.
        end = time.time() + 600
        tokens = [token(f"one-{n}", life=None, exp=end) if n < 24 else token(f"one-{n}", life=1_500 + 60 * n) for n in range(30)]
        clients = [stack.enter_context(Client(gateway, token=one)) for one in tokens]
        for client in clients:
            client.receive("connected")
        yield gateway, clients


@pytest.fixture
def guarded(tmp_path):
    file = tmp_path / "control-secret"
    file.write_text(SECRET)
    with Gateway("--control-secret-file", str(file), "--spaces", loops=1) as gateway:
        yield gateway


@pytest.fixture
def closed_port():
    """A port of this machine on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@contextlib.contextmanager
def opened(gateway, path="/dashboard", **options):
    with Page(**options) as page:
        page.open(gateway.control_url + path)
        page.until("document.getElementById('state').dataset.state === 'live'")
        yield page
        check_manners(page, gateway)


def check_manners(page, gateway):
    """The page requested nothing from other hosts, and broke none of its own rules."""
    strangers = [url for url in page.requests if not url.startswith((gateway.control_url + "/", "data:,", "about:"))]
    assert not strangers and page.requests
    assert page.complaints == []


def metrics(gateway):
    text = control(gateway, "GET", "/metrics").body.decode()

    def value(name, **labels):
        found = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.M)
        return int(sum(float(number) for own, number in found if all(f'{key}="{word}"' in own for key, word in labels.items())))

    return value


def told(value):
    """The metrics for the figures on the page, by element."""
    horizon = {f"within-{span}": value("postern_tokens_expiring", within=f"{span}s") for span in (10, 60, 600, 3600)}
    return horizon | {
        "connections": value("postern_connections"), "users": value("postern_users"),
        "overdue": value("postern_tokens_overdue"), "queued": value("postern_provider_queued"),
        "asked": value("postern_connections", phase="refreshing"),
    }


def numbers(page):
    names = [f"within-{span}" for span in (10, 60, 600, 3600)] + ["connections", "users", "overdue", "queued", "asked"]
    return {name: page.number(name) for name in names}


@pytest.mark.parametrize("width, dark", SIZES)
def test_the_dashboards_numbers_equal_the_metrics_at_every_size(crowd, width, dark):
    gateway, _ = crowd
    with opened(gateway, width=width, dark=dark) as page:
        page.until("document.querySelectorAll('#dialects tr').length === 1")
        # The page is at most a second behind. In that second a token may have come closer to its expiry.
        deadline = time.monotonic() + 60
        while (shown := numbers(page)) != (expected := told(metrics(gateway))):
            assert time.monotonic() < deadline, (shown, expected)
            time.sleep(0.2)
        value = metrics(gateway)
        assert page.number("connections") == 30 and page.number("within-3600") == 30
        cells = page.evaluate("[...document.querySelectorAll('#dialects tr > *')].map(cell => cell.textContent)")
        assert cells == ["plain", "30", "30", str(value("postern_connections", phase="active")), "0"]
        assert "24 tokens end in" in page.text("#waves")
        about = page.text("#about")
        assert re.fullmatch(rf"postern \d+\.\d+\.\d+ · {re.escape(gateway.control_url[7:])} · up \d+ (s|min).*", about), about
        # The wave is drawn in another colour than the rest.
        assert page.evaluate("document.querySelector('#horizon path.wave').getAttribute('d').length > 5")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "it is to be read without going sideways"
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == dark
        images = page.evaluate("[...document.querySelectorAll('[role=img]')].map(it => it.getAttribute('aria-label'))")
        assert len(images) == 3 and all(images) and "30 in all" in images[0]
        unnamed = "[...document.querySelectorAll('button, input')].filter(it => !(it.getAttribute('aria-label') || it.textContent))"
        assert page.evaluate(unnamed + ".length") == 0


def test_a_wave_is_spread_by_keyboard_and_seen_to_go(crowd):
    gateway, clients = crowd
    stop = threading.Event()

    def answer(number, client):
        """A well-behaved client: it has another token as soon as it is asked."""
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                if client.receive(patience=0.5)["type"] == "refresh_required":
                    client.send("refresh", id="r", token=token(f"one-{number}", life=1_800 + 60 * number))

    threads = [threading.Thread(target=answer, args=pair) for pair in enumerate(clients[:24])]
    with opened(gateway, width=400) as page:
        before = metrics(gateway)("postern_refreshes_total")
        for thread in threads:
            thread.start()
        try:
            # Spread over all the available time. For a wave ten minutes away that is too long for a test.
            end = time.time() + 45
            for number, client in enumerate(clients[:24]):
                client.send("refresh", id="n", token=token(f"one-{number}", life=None, exp=end))
            page.until("/^24 tokens end in [1-4]?[0-9] s/.test(document.getElementById('waves').innerText)")
            page.tab_to("it.getAttribute('aria-label') === 'Spread the wave of 24 tokens'")
            page.enter()
            page.until("document.activeElement.textContent === 'Spread now?'")
            assert metrics(gateway)("postern_refreshes_total") <= before + 24, "one press asks, and orders nothing"
            page.enter()
            page.until("document.getElementById('said').textContent.startsWith('24 sessions are asked')")
            assert page.evaluate("document.activeElement.textContent") == "Is being spread", "the focus stays"
            page.until("document.getElementById('no-waves').hidden === false")
            assert page.evaluate("document.activeElement.id") == "horizon-title", "the focus is not lost with the button"
            # The last few clients of a wave do not count.
            deadline = time.monotonic() + 60
            while metrics(gateway)("postern_refreshes_total") < before + 48:
                assert time.monotonic() < deadline
                page.evaluate("new Promise(done => setTimeout(done, 500))")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        value = metrics(gateway)
        assert value("postern_refreshes_total") == before + 48 and value("postern_connections_ended_total") == 0
        assert value("postern_refresh_requests_total") >= 24
        # The page is a second behind the metrics.
        page.until("[...document.getElementById('events').innerText.matchAll(/(\\d+) refreshed/g)]"
                   ".reduce((sum, found) => sum + Number(found[1]), 0) >= 48")
        seen = re.findall(r"(\d+) refreshed", page.text("#events"))
        assert len(seen) >= 4 and sum(map(int, seen)) >= 48, "asked one after the other, not in one second"


def test_a_disconnected_client_is_shown_at_once(gateway):
    with opened(gateway) as page, Client(gateway, token=token("cut")) as client:
        client.receive("connected")
        page.until("document.getElementById('users').textContent !== '0'")
        control(gateway, "POST", "/users/cut/disconnect", {})
        client.until_closed()
        page.until("/1 cut off \\(disconnected 1\\)/.test(document.getElementById('events').innerText)")
        page.until("document.querySelector('#cut-offs path').getAttribute('d')")


def test_a_gateway_that_says_nothing_is_said_to_and_found_again():
    with Gateway() as gateway, Page() as page:
        page.open(gateway.control_url + "/dashboard")
        page.until("document.getElementById('state').dataset.state === 'live'")
        assert page.evaluate("document.getElementById('nobody').hidden") is False
        assert page.text("#no-waves") == "No wave is coming within the hour."
        halt(gateway.process)
        try:
            page.until("document.getElementById('state').textContent === 'disconnected'")
            assert "What is shown is of" in page.text("header") and page.evaluate("document.body.classList.contains('stale')")
        finally:
            gateway.process.send_signal(signal.SIGCONT)
        page.until("document.getElementById('state').dataset.state === 'live'")
        assert not page.evaluate("document.body.classList.contains('stale')")


def test_the_dashboard_can_be_paused_and_continued(gateway):
    with opened(gateway) as page:
        page.tab_to("it.id === 'pause'")
        page.enter()
        page.until("document.getElementById('state').textContent === 'paused'")
        shown = page.text("#when")
        time.sleep(2.5)
        assert page.text("#when") == shown and "What is shown is of" in shown
        page.enter()
        page.until("document.getElementById('state').textContent === 'live'")


def test_events_during_a_pause_are_not_attributed_to_one_second(gateway):
    with opened(gateway) as page, Client(gateway, token=token("ann")) as ann:
        ann.receive("connected")
        page.until("document.getElementById('users').textContent !== '0'")
        page.tab_to("it.id === 'pause'")
        page.enter()
        page.until("document.getElementById('state').textContent === 'paused'")
        for _ in range(30):
            assert ann.ask("refresh", token=token("ann"))["type"] == "refreshed"
        time.sleep(7)
        page.enter()
        page.until("/30 refreshed, within/.test(document.getElementById('events').innerText)")
        length = int(re.search(r"30 refreshed, within (\d+) s", page.text("#events"))[1])
        assert length >= 7 and page.number("refreshed") <= 30 / 6
        assert page.text("#refreshes-top") == "There were none.", "a bar of one second has what many seconds had"
        page.until("document.getElementById('refreshed').textContent === '0'")
        assert ann.ask("refresh", token=token("ann"))["type"] == "refreshed"
        page.until("document.getElementById('refreshes-top').textContent === 'At most 1.'")


# The login


def test_one_logs_in_by_keyboard_and_out_again(guarded):
    with Page(width=400) as page:
        page.open(guarded.control_url + "/dashboard")
        page.until("document.activeElement?.id === 'secret'")
        page.type("open sesame, wrongly")
        page.enter()
        page.until("document.getElementById('refused').textContent === 'that is not the control secret'")
        page.type(SECRET)
        page.enter()
        page.until("document.getElementById('state')?.dataset.state === 'live'")
        assert page.evaluate("document.cookie") == "", "no script reads the cookie"
        page.open(guarded.control_url + "/dashboard")
        page.until("document.getElementById('state')?.dataset.state === 'live'")
        assert page.evaluate("fetch('sessions').then(answer => answer.status)") == 401, "a session opens the dashboard only"
        page.tab_to("it.id === 'logout'")
        page.enter()
        page.until("!!document.getElementById('secret')")
        wrong = [text for text in page.complaints if "401" not in text]
        assert wrong == []
        assert all(url.startswith((guarded.control_url, "data:,", "about:")) for url in page.requests)


def ask(gateway, method, path, body=None, cookie=None, origin=True, mark=True, **fields):
    headers = dict(fields)
    if cookie:
        headers["Cookie"] = cookie
    if origin:
        headers["Origin"] = gateway.control_url
    if mark:
        headers["X-Postern-Dashboard"] = "1"
    return control(gateway, method, path, body, headers=headers)


def test_a_session_gives_the_dashboards_orders_and_no_others(guarded):
    assert ask(guarded, "POST", "/dashboard/login", {"secret": "wrong"}).status == 401
    answer = ask(guarded, "POST", "/dashboard/login", {"secret": SECRET})
    assert answer.status == 204 and answer.body == b""
    cookie = answer.headers["set-cookie"].split(";")[0]
    order = {"from": 0, "before": 1e10}
    assert ask(guarded, "POST", "/horizon/spread", order, cookie).json == {"sessions": 0, "over_s": 0}
    assert ask(guarded, "POST", "/horizon/spread", order, cookie, origin=False).status == 403
    assert ask(guarded, "POST", "/horizon/spread", order, cookie, mark=False).status == 403
    assert ask(guarded, "POST", "/horizon/spread", order).status == 401
    assert ask(guarded, "POST", "/drain", {}, cookie).status == 401
    assert ask(guarded, "GET", "/metrics", cookie=cookie).status == 401
    assert ask(guarded, "GET", "/dashboard", cookie=cookie).status == 200
    slash = request(guarded.control_url, "GET", "/dashboard/", headers={"Cookie": cookie}, document=None)
    assert (slash.status, slash.headers["location"]) == (308, "../dashboard")
    assert ask(guarded, "POST", "/dashboard/logout", cookie=cookie).status == 204
    assert ask(guarded, "GET", "/dashboard", cookie=cookie).status == 401
    assert ask(guarded, "GET", "/dashboard/feed", cookie=cookie).status == 401


def test_wrong_secrets_are_slowed_down(guarded):
    statuses = [ask(guarded, "POST", "/dashboard/login", {"secret": f"guess {n}"}).status for n in range(7)]
    assert statuses == [401] * 5 + [429] * 2
    assert ask(guarded, "POST", "/dashboard/login", {"secret": SECRET}).status == 204, "the right secret always logs in"
    assert ask(guarded, "POST", "/dashboard/login", {"secret": "one more guess"}).status == 429
    assert control(guarded, "GET", "/settings", token=SECRET).status == 200, "a program's secret is no try"
    assert "guess" not in guarded.log()


def test_each_space_has_its_own_dashboard(guarded):
    assert control(guarded, "POST", "/spaces", {"name": "t17"}, token=SECRET).status == 201
    with Page() as page:
        page.open(guarded.control_url + "/spaces/t17/dashboard")
        page.until("document.activeElement?.id === 'secret'")
        page.type(SECRET)
        page.enter()
        page.until("document.getElementById('state')?.dataset.state === 'live'")
        assert f"{guarded.control_url}/spaces/t17/dashboard/feed" in page.requests
        control(guarded, "DELETE", "/spaces/t17", token=SECRET)
        page.until("document.getElementById('state').dataset.state === 'broken'")


# The feed


@contextlib.contextmanager
def feed(gateway):
    parts = urllib.parse.urlsplit(gateway.control_url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    try:
        connection.request("GET", "/dashboard/feed")
        response = connection.getresponse()
        body = b"" if response.status == 200 else response.read()
        documents.CONTROL.check("GET", "/dashboard/feed", None, Answer(response.status, response.getheaders(), body))
        yield response
    finally:
        connection.close()


def reading(response):
    line = response.readline().decode()
    assert line.startswith("data: ") and response.readline() == b"\n"
    value = json.loads(line[6:])
    READING.validate(value)
    return value


def test_the_feed_comes_once_a_second_and_is_as_documented(crowd):
    begin = time.monotonic()
    with feed(crowd[0]) as one, feed(crowd[0]) as other:
        readings = [reading(one) for _ in range(4)]
        assert time.monotonic() - begin > 2.5
        assert [r["number"] - readings[0]["number"] for r in readings] == [0, 1, 2, 3]
        # The second feed may have begun seconds later.
        same = reading(other)
        while readings[-1]["number"] < same["number"]:
            readings.append(reading(one))
        assert same in readings, "made once for all"
        horizon = control(crowd[0], "GET", "/horizon").json
        assert set(readings[-1]["horizon"]) == set(horizon)
        assert readings[-1]["horizon"]["later"] == horizon["later"]


def test_a_total_of_the_feed_has_the_name_of_its_metric(crowd):
    with feed(crowd[0]) as response:
        totals = reading(response)["totals"]
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", control(crowd[0], "GET", "/metrics").body.decode(), re.M))
    counters = {"connections_opened", "logins", "logins_refused", "refresh_requests", "refreshes", "refreshes_refused"}
    # Ends are distinguished by their cause. Refresh times are a histogram's count and sum.
    assert set(totals) == counters | {"cut_off", "left", "refreshes_timed", "refresh_seconds"}
    assert {types[f"postern_{name}_total"] for name in counters} == {"counter"} and types["postern_refresh_seconds"] == "histogram"


def test_the_dashboard_names_who_vouches_and_who_is_away(gateway, closed_port):
    with opened(gateway) as page:
        assert page.evaluate("document.getElementById('vouching').hidden") is True, "this gateway asks nobody"
    with Issuer(Key("k1"), Key("k2")) as issuer:
        flags = ["--jwks", issuer.jwks_url, "--issuer", issuer.named, "--audience", "realtime"]
        with Gateway(*flags, "--hook-connect", f"http://127.0.0.1:{closed_port}/connect", has_secret=False) as own, opened(own) as page:
            page.until("/jwks 2 keys, confirmed .* ago; it answers/.test(document.getElementById('vouchers').innerText)")
            assert "hook connect answers" in page.text("#vouchers")
            assert page.evaluate("document.getElementById('on-grace').hidden") is True
            # The breaker opens at the fifth failure in a row.
            for number in range(8):
                with Client(own, token=issuer.token(user=f"user-{number}")) as client:
                    assert client.receive()["error"]["name"] == "identity_unavailable"
            page.until("/hook connect is away/.test(document.getElementById('vouchers').innerText)")
            with feed(own) as response:
                vouching = reading(response)["vouching"]
            assert [(one["name"], one["keys"]) for one in vouching["issuers"]] == [("jwks", 2)] and vouching["on_grace"] == 0
            assert {one["name"]: one["away"] for one in vouching["servers"]} == {"jwks": False, "hook_connect": True}


def test_thirty_two_may_watch(impatient):
    with contextlib.ExitStack() as stack:
        feeds = [stack.enter_context(feed(impatient)) for _ in range(32)]
        for one in feeds:
            reading(one)
        with feed(impatient) as refused:
            assert refused.status == 429
    deadline = time.monotonic() + 60
    while True:
        with feed(impatient) as again:
            if again.status == 200:
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)
