"""The sessions that the dashboard lists, the orders of its buttons, and a spread that is undone, in a real browser."""

import contextlib
import time

import pytest

from clients import Client, control
from devtools import Page
from gateway import Gateway, token
from test_dashboard import SECRET, check_manners, guarded, opened  # noqa: F401  (guarded is a fixture)

USERS = "[...document.querySelectorAll('#session-rows th')].map(it => it.textContent).sort().join()"


def button(user, text):
    """The button of that user's row."""
    return (f"[...document.querySelectorAll('#session-rows tr')].find(row => row.firstElementChild.textContent === '{user}')"
            f".querySelectorAll('button')[{['Expire', 'Revoke', 'Disconnect'].index(text)}]")


@contextlib.contextmanager
def crowd(gateway, users, life=600):
    with contextlib.ExitStack() as stack:
        # However long it takes to connect them, their tokens expire in one moment.
        end = time.time() + life
        clients = {user: stack.enter_context(Client(gateway, token=token(user, life=None, exp=end))) for user in users}
        for client in clients.values():
            client.receive("connected")
        yield clients


def expire_revoke_and_disconnect(page, clients):
    page.until("document.querySelectorAll('#dialects tr').length === 1")
    page.click("document.querySelector('#dialects button')")
    page.until(f"{USERS} === 'ann,bob,cas'")
    assert page.text("#sessions-title") == "Sessions of plain"
    page.click(button("ann", "Expire"))
    clients["ann"].receive("refresh_required")
    page.until("document.getElementById('sessions-said').textContent.startsWith('ann: the token has expired')")
    page.until(f"{button('ann', 'Expire')}.closest('tr').innerText.includes('refreshing')")
    page.click(button("bob", "Revoke"))
    clients["bob"].receive("refresh_required")
    page.until("document.getElementById('sessions-said').textContent === 'bob: the token is revoked.'")
    page.click(button("cas", "Disconnect"))
    assert clients["cas"].until_closed()[0] == 4005
    page.until(f"{USERS} === 'ann,bob'")
    assert page.evaluate("document.activeElement.id") == "sessions-title", "the focus is not lost with the row"
    page.click("document.getElementById('sessions-shut')")
    page.until("document.getElementById('sessions').hidden && document.activeElement.textContent === 'plain'")


@pytest.mark.parametrize("width", [1280, 400])
def test_a_click_on_a_dialect_lists_its_sessions_with_orders_that_work(width):
    with Gateway() as gateway, crowd(gateway, ["ann", "bob", "cas"]) as clients, opened(gateway, width=width) as page:
        expire_revoke_and_disconnect(page, clients)


def test_the_orders_work_after_a_login(guarded):  # noqa: F811
    with crowd(guarded, ["ann", "bob", "cas"]) as clients, Page() as page:
        page.open(guarded.control_url + "/dashboard")
        page.until("document.activeElement?.id === 'secret'")
        page.type(SECRET)
        page.enter()
        page.until("document.getElementById('state')?.dataset.state === 'live'")
        expire_revoke_and_disconnect(page, clients)
        # The login page is answered 401.
        page.complaints = [each for each in page.complaints if "401" not in each]
        check_manners(page, guarded)
    for order in ("expire", "disconnect"):
        line = guarded.logged(f"order={order}")[0]
        assert "dashboard" in line and "127.0.0.1" in line, "the line says who"


def test_a_click_on_a_wave_lists_its_sessions_and_no_others():
    with Gateway() as gateway, crowd(gateway, [f"one-{n:02}" for n in range(24)]), crowd(gateway, ["late"], 3_000):
        with opened(gateway, width=768) as page:
            page.until("document.querySelectorAll('#waves li').length === 1")
            page.click("document.querySelector('#waves button')")
            page.until("document.querySelectorAll('#session-rows tr').length === 24")
            assert page.text("#sessions-title").startswith("Sessions of the wave at") and "late" not in page.text("#session-rows")
            assert page.text("#sessions-count") == "All 24."


def test_more_sessions_than_a_page_are_shown_when_asked_for():
    with Gateway() as gateway, crowd(gateway, [f"one-{n:02}" for n in range(60)]), opened(gateway) as page:
        page.until("document.getElementById('connections').textContent === '60'")
        page.click("document.querySelector('#dialects button')")
        page.until("document.querySelectorAll('#session-rows tr').length === 50")
        assert page.text("#sessions-count")== "The first 50."
        page.click("document.getElementById('sessions-more')")
        page.until("document.querySelectorAll('#session-rows tr').length === 60 && document.getElementById('sessions-more').hidden")


def test_an_undone_spread_asks_no_further_sessions():
    with Gateway("--journal", loops=1) as gateway, crowd(gateway, [f"one-{n:02}" for n in range(24)], 3_000) as clients:
        with opened(gateway) as page:
            page.until("document.querySelectorAll('#waves li').length === 1")
            assert page.evaluate("document.getElementById('spreading').hidden")
            spread = "document.querySelectorAll('#waves button')[1]"
            page.click(spread)
            page.until(f"{spread}.textContent === 'Spread now?'")
            page.click(spread)
            page.until("/have yet to be asked, within 4\\d min/.test(document.getElementById('spreads').innerText)")
            # A user who opens the page later may undo it too.
            page.open(gateway.control_url + "/dashboard")
            page.until("document.querySelectorAll('#spreads button').length === 1")
            page.tab_to("it.textContent === 'Undo'")
            page.enter()
            page.until("/^Undone: 2[2-4] sessions are not asked early/.test(document.getElementById('said').textContent)")
            page.until("document.getElementById('spreading').hidden")
            page.click(spread)
            page.until(f"{spread}.textContent === 'Spread now?'")
        asked = sum(1 for client in clients.values() if "refresh_required" in str(client.passed))
        assert asked <= 2
        now = control(gateway, "GET", "/horizon").json["time"]
        again = control(gateway, "POST", "/horizon/spread", {"from": now, "before": now + 4_000})
        assert again.json["sessions"] >= 22, "sessions that were spared can be asked by another order"
        place = "/horizon/" + again.headers["location"]
        undone = control(gateway, "DELETE", place)
        assert undone.status == 200 and 0 < undone.json["sessions"] <= again.json["sessions"]
        assert control(gateway, "DELETE", place).status == 404
        for place in ("/horizon/spread/0", "/horizon/spread/x", "/horizon/spread/99999999999999999999999"):
            assert control(gateway, "DELETE", place).status == 404


@pytest.mark.parametrize("query", ["dialect=none", "expires_from=x", "expires_before=-1", "expires_from=nan", "expires_before=1e13"])
def test_a_wrong_choice_of_sessions_is_refused_with_a_sentence(gateway, query):
    answer = control(gateway, "GET", f"/sessions?{query}")
    assert answer.status == 400 and answer.json["error"]["message"]
