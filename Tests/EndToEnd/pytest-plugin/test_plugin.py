"""The kit for Python, as its README uses it: fixtures, spaces, moved time, the journal."""

import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from client import SDK, Silent, TwiceAsking

from postern_testing import Ended, Gateway, NotExpected, NotInTime, NotStarted, Refused, Space, seconds

KIT = Path(__file__).parents[3] / "Kits" / "python"


def sdk(space: Space, kind=SDK, user="ann", **order):
    return kind(space.urls["plain"], lambda: space.token(user, **order))


def is_passed(verdict):
    """Whether the verdict is `passed`, or undecided because of a slow machine."""
    return verdict.word == "passed" or (verdict.word == "undecided" and "the machine was slow" in verdict.sentence)


def test_a_refresh_costs_one_token(postern_space):
    client = sdk(postern_space)
    mark = postern_space.journal.mark()
    assert postern_space.expire("ann") == 1
    (refreshed,) = postern_space.journal.wait("refreshed", within=60, user="ann", after=mark)
    assert refreshed.user == "ann" and refreshed.n > mark and refreshed.dialect == "plain"
    assert postern_space.journal.count("provider_minted", user="ann", after=mark) == 1
    assert [session.phase for session in postern_space.sessions("ann")] == ["active"]
    client.close()


PROCESS = """
import json, os, urllib.request
from websockets.sync.client import connect
with connect(os.environ["POSTERN_URL"], additional_headers={"Authorization": "Bearer " + os.environ["POSTERN_TOKEN"]}) as socket:
    for text in socket:
        if json.loads(text)["type"] == "refresh_required":
            order = json.dumps({"user_id": os.environ["POSTERN_USER"], "scheme": os.environ["POSTERN_TOKEN_SCHEME"]}).encode()
            token = json.load(urllib.request.urlopen(os.environ["POSTERN_TOKEN_URL"], order))["token"]
            socket.send(json.dumps({"type": "refresh", "token": token}))
"""


def test_a_client_that_is_a_process_takes_its_addresses_from_the_environment(postern_space):
    variables = {**os.environ, **postern_space.environment("ann")}
    with subprocess.Popen([sys.executable, "-c", PROCESS], env=variables) as process:
        try:
            postern_space.journal.wait("logged_in", user="ann", within=30)
            mark = postern_space.journal.mark()
            postern_space.expire("ann")
            postern_space.journal.wait("refreshed", user="ann", after=mark, within=30)
            assert postern_space.journal.count("provider_minted", user="ann", after=mark) == 1
        finally:
            process.kill()


def test_each_dialect_has_variables_with_a_token_of_its_own(postern_space):
    variables = {dialect: postern_space.environment("ann", dialect) for dialect in ("plain", "stream-video", "sendbird", "sinch", "streem")}
    assert {dialect: found["POSTERN_TOKEN_SCHEME"] for dialect, found in variables.items()} == {name: name for name in variables}
    assert len({found["POSTERN_TOKEN"] for found in variables.values()}) == 5
    assert variables["plain"]["POSTERN_TOKEN_URL"] == postern_space.token_url


def test_a_client_that_asks_twice_is_seen(postern_space):
    client = sdk(postern_space, TwiceAsking)
    mark = postern_space.journal.mark()
    postern_space.expire("ann")
    postern_space.journal.wait("refreshed", within=60, user="ann", after=mark)
    assert postern_space.journal.count("provider_minted", user="ann", after=mark) == 2
    client.close()


def test_a_client_is_checked_against_an_expectation(postern_space):
    client = sdk(postern_space)
    postern_space.expire("ann")
    postern_space.journal.wait("refreshed", within=60, user="ann")
    assert is_passed(postern_space.journal.judge("single_flight", user="ann", within=2))
    assert postern_space.journal.expect("keeps_connection").sentence == "1 refresh on the same connection"
    client.close()
    with pytest.raises(NotExpected, match="undecided: nothing has happened yet"):
        postern_space.journal.expect("no_attempt_after_terminal", within="100ms")


def test_an_expectation_that_is_not_met_fails_with_its_sentence_and_lines(postern_space):
    client = sdk(postern_space, TwiceAsking)
    postern_space.expire("ann")
    postern_space.journal.wait("refreshed", within=60, user="ann")
    with pytest.raises(NotExpected, match="2 provider calls for one refresh") as failure:
        postern_space.journal.expect("one_provider_call_per_expiry", user="ann")
    assert [line.kind for line in failure.value.verdict.lines].count("provider_minted") == 2
    assert "refresh_requested" in str(failure.value)
    client.close()


def test_an_expectation_may_take_its_time(postern_space):
    client = sdk(postern_space)
    postern_space.disconnect("ann", 4500)
    assert client.closed.wait(60)
    began = time.monotonic()
    verdict = postern_space.journal.judge("no_attempt_after_terminal", user="ann", within=5, quiet_ms=300)
    assert is_passed(verdict) and 0.1 < time.monotonic() - began


@pytest.mark.postern(frozen=True)
def test_a_day_passes_and_the_client_keeps_its_connection(postern_space):
    client = sdk(postern_space, life="8h")
    before = postern_space.wall_time()
    moved = postern_space.advance("1d", patience=60)
    assert moved.answered and moved.moved_s == 86_400
    assert postern_space.wall_time() == pytest.approx(before + 86_400)
    assert len(postern_space.journal.lines("refreshed", user="ann")) == 3
    answers = postern_space.journal.lines("message_in", user="ann", payloads=True)
    assert all('"token": "(redacted)"' in line["payload"].replace('":"', '": "') for line in answers) and answers
    assert len(postern_space.journal.lines("connection_opened")) == 1
    client.close()


@pytest.mark.postern(frozen=True, settings={"refresh-timeout": "90s"})
def test_who_does_not_answer_is_disconnected_at_the_time_out(postern_space):
    client = sdk(postern_space, Silent, life=60)
    moved = postern_space.advance("2m", patience="20ms")
    assert [session.user_id for session in moved.owing] == ["ann"]
    postern_space.advance("31s", patience=0.02)
    assert client.closed.wait(60) and client.close_code == 4000
    (cut,) = postern_space.journal.wait("cut_off", within=60, user="ann")
    assert cut["code"] == 4000 and cut["reason"] == "refresh_timeout"


def test_a_missing_event_is_reported_with_the_events_that_came(postern_space):
    client = sdk(postern_space, Silent)
    postern_space.expire("ann")
    with pytest.raises(NotInTime, match="0 of 1 refreshed of ann within 0.2 s") as failure:
        postern_space.journal.wait("refreshed", user="ann", within="200ms")
    assert "refresh_requested" in str(failure.value) and failure.value.lines == []
    client.close()


def test_spaces_do_not_know_each_other(postern):
    with postern.space() as one, postern.space() as other:
        client = sdk(one)
        assert other.sessions() == [] and other.expire("ann") == 0
        assert other.secret != one.secret
        client.close()


def test_an_ended_space_reports_that_it_has_ended(postern):
    space = postern.space(name="short-lived")
    client = sdk(space)
    space.end()
    space.end()
    assert client.closed.wait(60) and client.close_code == 1001
    with pytest.raises(Refused) as refusal:
        space.sessions()
    assert refusal.value.status == 404


def test_a_refusal_is_reported_with_the_gateways_message(postern, postern_space):
    with pytest.raises(Refused, match="refresh-timeot"):
        postern.space(settings={"refresh-timeot": "2s"})
    with pytest.raises(Refused, match="code must be one that may be sent"):
        postern_space.disconnect("ann", code=999)
    with pytest.raises(Refused, match="kind must be some of"):
        postern_space.journal.lines("no_such_kind")


def test_names_of_users_are_not_taken_for_paths(postern_space):
    user = "a/b?c#d%2Fé"
    client = sdk(postern_space, user=user)
    assert postern_space.expire(user) == 1
    postern_space.journal.wait("refreshed", within=60, user=user)
    assert postern_space.revoke(user) == 1 and postern_space.disconnect(user, 4005, "bye") == 1
    assert client.closed.wait(60) and client.close_code == 4005


def test_the_journal_can_be_followed(postern_space):
    client = sdk(postern_space)
    kinds = []
    for line in postern_space.journal.follow(user="ann"):
        kinds.append(line.kind)
        if line.kind == "logged_in":
            postern_space.expire("ann")
        if line.kind == "refreshed":
            break
    assert kinds.index("logged_in") < kinds.index("refresh_requested") < kinds.index("refreshed")
    client.close()


@pytest.mark.asyncio
async def test_with_asyncio(postern_async_space):
    client = sdk(postern_async_space.space)
    assert await postern_async_space.expire("ann") == 1
    await postern_async_space.journal.wait("refreshed", within=60, user="ann")
    assert [session.user_id for session in await postern_async_space.sessions()] == ["ann"]
    assert is_passed(await postern_async_space.journal.judge("single_flight", user="ann", within=2))
    assert (await postern_async_space.journal.judge("stops_after", at_most=0)).word == "failed"
    assert (await postern_async_space.advance("1s")).moved_s == 1
    client.close()


def test_an_asynchronous_test_that_fails_while_a_token_is_asked_for_ends_at_once(session):
    session.makepyfile(
        """
        import asyncio
        import pytest
        from postern_testing import AsyncSpace

        # A provider that sleeps while time stands still.
        pytestmark = pytest.mark.postern(frozen=True, settings={"provider-latency": "5s"})

        async def fail(asking):
            asking = asyncio.ensure_future(asking)
            await asyncio.sleep(0.3)
            assert asking.done()

        @pytest.mark.asyncio
        async def test_awaits(postern_async_space):
            await fail(postern_async_space.token("ann"))

        @pytest.mark.asyncio
        async def test_waits_in_a_thread(postern_space):
            await fail(asyncio.to_thread(postern_space.token, "ann"))

        def test_has_a_loop_of_its_own(postern_space):
            asyncio.run(fail(AsyncSpace(postern_space).token("ann")))
        """
    )
    began = time.monotonic()
    result = session.runpytest_subprocess()
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*asleep, while time stands still: *"])
    assert time.monotonic() - began < 45


def test_who_waits_for_an_answer_of_a_space_that_ends_is_told_so(postern):
    space = postern.space(frozen=True, settings={"provider-latency": "5s"})
    answers = []

    def ask(question, *words, **members):
        try:
            answers.append(question(*words, **members))
        except (Ended, Refused, NotInTime) as failure:
            answers.append(failure)

    asking = [threading.Thread(target=ask, args=words) for words in [
        (space.token, "ann"), (space.journal.wait, "refreshed"), (lambda: list(space.journal.follow()),)]]
    for thread in asking:
        thread.start()
    space.journal.wait("provider_asked", within=60)
    space.end()
    for thread in asking:
        thread.join(30)
    assert len(answers) == 3


def test_a_test_that_fails_shows_its_journal(session):
    session.makepyfile(
        """
        def test_fails(postern_space):
            postern_space.token("martin")
            assert postern_space.expire("martin") == 1
        """
    )
    result = session.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*postern journal*", "*provider_minted*martin*"])


@pytest.mark.parametrize("question", ['wait("refreshed", within=0)', 'expect("single_flight", within=0)'])
def test_a_question_that_fails_shows_the_line_of_the_test_and_none_of_the_kit(session, question):
    session.makepyfile(f"def test_fails(postern_space):\n    postern_space.journal.{question}\n")
    result = session.runpytest_subprocess()
    result.stdout.fnmatch_lines([f">*postern_space.journal.{question}", "E *"])
    result.stdout.no_fnmatch_line("*self._control*")
    result.stdout.no_fnmatch_line("*raise Not*")


def test_two_hundred_tests_run_side_by_side(session):
    session.makepyfile(
        """
        import pytest

        @pytest.mark.postern(frozen=True)
        @pytest.mark.parametrize("n", range(200))
        def test_moves_its_own_time(postern_space, n):
            before = postern_space.wall_time()
            postern_space.advance(n)
            assert postern_space.wall_time() == pytest.approx(before + n, abs=1e-3)
        """
    )
    session.runpytest_subprocess("-n", "4").assert_outcomes(passed=200)


def test_a_gateway_ends_with_a_runner_that_is_killed(session):
    session.makepyfile(
        """
        import os, signal

        def test_is_killed(postern, postern_space):
            print("PID", postern._process._process.pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    result = session.runpytest_subprocess("-s")
    pid = int(next(line for line in result.outlines if "PID" in line).split()[-1])
    end = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < end, "the gateway outlived its runner"
        time.sleep(0.02)


def test_a_gateway_that_dies_is_said_to_have_with_its_last_words(session):
    session.makepyfile(
        """
        import os, pytest

        def test_one(postern, postern_space):
            os.kill(postern._process._process.pid, 9)
            postern_space.token("ann")

        def test_another(postern_space): ...

        def test_of_something_else(): raise OSError("not postern's")
        """
    )
    outcome = session.runpytest_subprocess("-q")
    outcome.assert_outcomes(failed=2, errors=2)
    said = outcome.stdout.str()
    # In the test, at its end, and for the next test.
    assert said.count("postern ended with -9 (below 0: by that signal); it said last:") == 3
    assert said.count("event=ready") == 3 and "could not be read" not in said


def test_a_program_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("POSTERN", "/nowhere/postern")
    with pytest.raises(NotStarted, match="/nowhere/postern"):
        Gateway.start()


def test_the_programs_last_output_is_reported():
    with pytest.raises(NotStarted, match="--no-such-flag"):
        Gateway.start("--no-such-flag")


def test_a_program_that_is_not_postern_is_told_by_what_it_printed():
    with pytest.raises(NotStarted, match="echo printed .*serve --spaces.* in place of the ready line"):
        Gateway.start(program="echo")


@pytest.mark.parametrize(
    "text, value", [("90s", 90), ("1h30m", 5400), ("250ms", 0.25), ("1d", 86_400), (3, 3), (timedelta(minutes=2), 120)]
)
def test_durations(text, value):
    assert seconds(text) == value


@pytest.mark.parametrize("text", ["", "5", "s", "1h 30m", "-5s", "5 s", "1w"])
def test_an_invalid_duration_is_refused(text):
    with pytest.raises(ValueError):
        seconds(text)


def test_its_types_are_sound():
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, str(KIT / "postern_testing")]
    outcome = subprocess.run(check, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stdout
