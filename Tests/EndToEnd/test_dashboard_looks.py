"""The looks of the dashboard in a real browser: font sizes, contrast, what fits, and the width of bars."""

import contextlib
import time

import pytest

from clients import Client, control
from gateway import Gateway, token
from looks import LETTERS, hard_to_read, seen
from test_dashboard import SIZES, opened

MARKS = """[...document.querySelectorAll('svg path[d]:not([d=""]), figcaption i')].filter(isShown).map(it => ({ kind: it.getAttribute('class'),
  colour: it.tagName === 'path' ? getComputedStyle(it).fill : getComputedStyle(it).backgroundColor,
  contrast: contrast(it.tagName === 'path' ? getComputedStyle(it).fill : getComputedStyle(it).backgroundColor,
    ground(it.tagName === 'path' ? it.closest('.chart') : it.closest('figure'))) }))"""
BARS = """[...document.querySelectorAll('svg path[d]:not([d=""])')].map(it => [...it.getAttribute('d').matchAll(/h([\\d.]+)/g)]
  .map(found => Number(found[1]) * it.ownerSVGElement.getBoundingClientRect().width / it.ownerSVGElement.viewBox.baseVal.width)).flat()"""
# Elements wider than their box, except in a region that scrolls and says so.
WIDE = """[...document.querySelectorAll('body *')].filter(it => isShown(it) && !it.closest('.scroll, svg, .chart')
  && it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).display !== 'inline').map(it => it.outerHTML.slice(0, 120))"""
UNHINTED = """[...document.querySelectorAll('.scroll')].filter(it => isShown(it) && it.scrollWidth > it.clientWidth + 1
  && !isShown(document.getElementById(it.id.replace('-table', '-hint')))).map(it => it.id)"""


@pytest.fixture(scope="module")
def busy():
    """A gateway with a wave to come, refreshes, a connection that it has closed, and sessions with long names."""
    # One client is asked for a token in the first test, and says nothing until the last.
    with Gateway("--refresh-timeout", "30m") as gateway, contextlib.ExitStack() as stack:
        names = [f"somebody-with-a-long-name-{n}" for n in range(24)] + [f"one-{n}" for n in range(6)]
        end = time.time() + 600
        tokens = [token(name, life=None, exp=end) if n < 24 else token(name, life=1_500 + 60 * n) for n, name in enumerate(names)]
        clients = [stack.enter_context(Client(gateway, token=one)) for one in tokens]
        for client in clients:
            client.receive("connected")
        yield gateway, clients


@pytest.mark.parametrize("width, dark", SIZES)
def test_letters_colours_and_bars_can_be_seen_and_nothing_is_cut_off(busy, width, dark, tmp_path):
    gateway, clients = busy
    with opened(gateway, width=width, dark=dark) as page:
        page.until("document.querySelectorAll('#dialects tr').length === 1")
        clients[25].send("refresh", id="r", token=token("one-1", life=3_000))
        control(gateway, "POST", "/users/one-0/refresh", {})
        with Client(gateway, token=token("cut")) as cut:
            cut.receive("connected")
            page.until("document.getElementById('connections').textContent === '31'")
            control(gateway, "POST", "/users/cut/disconnect", {})
            cut.until_closed()
        page.until("!!document.querySelector('#cut-offs path')?.getAttribute('d')")
        page.until("document.querySelector('#refreshes path.good')?.getAttribute('d')")
        page.until("!!document.querySelector('#horizon path.wave')?.getAttribute('d')")
        page.click("document.querySelector('#dialects button')")
        page.until("document.querySelectorAll('#session-rows tr').length >= 30")
        # Everything is visible: the page has measured the table for its hint since.
        letters, marks, bars = seen(page, LETTERS), seen(page, MARKS), seen(page, BARS)
        wide, unhinted, across = seen(page, WIDE), seen(page, UNHINTED), page.evaluate("document.documentElement.scrollWidth")
        (tmp_path / f"dashboard-{width}-{dark}.png").write_bytes(page.picture())
    assert len(letters) > 100 and hard_to_read(letters) == []
    assert {each["kind"] for each in marks} == {"token", "wave", "asked", "good", "cut"}
    assert [each for each in marks if each["contrast"] < 3] == []
    colours = {each["kind"]: each["colour"] for each in marks}
    assert len(set(colours.values())) == len(colours), "two meanings have one colour"
    assert all(each["colour"] == colours[each["kind"]] for each in marks)
    assert len(bars) >= 4 and min(bars) >= 3.5, sorted(bars)[:5]
    assert wide == [] and unhinted == [] and across <= width
    if width == 400:
        assert "goes on at its side" in page_hint(letters), "the list of sessions is wider than this window"


def page_hint(letters):
    return " ".join(each["text"] for each in letters)


def test_empty_charts_are_small_and_have_no_axes(gateway):
    heights = "[...document.querySelectorAll('.plot')].map(it => it.getBoundingClientRect().height)"
    with opened(gateway) as page:
        page.until(f"{heights}.every(height => height > 0 && height <= 16)")
        with Client(gateway, token=token("ann")) as ann:
            ann.receive("connected")
            page.until(f"{heights}[0] > 100")
            assert page.text("#horizon-high") == "1"
            ticks = "[...document.querySelector('#horizon').closest('.plot').querySelectorAll('.axis span')].map(it => it.textContent).join()"
            assert page.evaluate(ticks) == "now,15 min,30 min,45 min,1 h"
