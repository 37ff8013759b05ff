"""Stream's protocol spoken by a browser, from a page of another origin."""

import stream
from browser import PageServer
from clients import request
from gateway import Gateway


def test_a_page_makes_a_guest_connects_asks_and_hears_of_its_expiry():
    with PageServer("stream.html") as pages, Gateway("--stream-guest-life", "15s") as gateway:
        report = pages.visit("127.0.0.1", gateway)
    assert "error" not in report, report
    assert report["guest"] == "201" and report["me"] == "guest"
    assert report["patch"] == "200" and report["mood"] == "fine" and report["refusal"] == "5"
    assert report["heard"] == "connection.ok health.check user.updated 40"
    assert report["code"] == "4001" and report["reason"] == "refresh_timeout" and report["wasClean"] == "true"


def test_two_guests_of_a_call_see_each_other_come_and_go():
    with PageServer("sfu.html") as pages, Gateway() as gateway:
        # Guests join existing calls, and create none.
        headers = {"Authorization": stream.mint("ann"), "stream-auth-type": "jwt"}
        made = request(gateway.http_url, "POST", "/video/call/default/meeting?api_key=browser", {}, headers=headers, document=None)
        assert made.status == 201
        report = pages.visit("127.0.0.1", gateway)
    assert "error" not in report, report
    expected = {
        "quick": "true", "seesBoth": "true", "hearsJoin": "true", "atTheGateway": "true", "procedure": "200 {}",
        "reconnected": "true", "unnoticed": "true", "healthy": "true", "count": "2", "hearsLeave": "true",
        "refusal": "401 3", "staysAlone": "session-of-tom",
    }
    assert {name: report.get(name) for name in expected} == expected
    # The gateway may have closed the first of the two sockets already.
    assert report["replaced"] in ("4100", "1000") and report["leaving"] == "1000"
