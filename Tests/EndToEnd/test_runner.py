"""The runner of these suites: its summary names each failed test, and the threads of a test share one process safely."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.append(str(ROOT / "Tests"))

import results  # noqa: E402

REPORT = """<testsuites><testsuite>
<testcase classname="test_a" name="test_good"/><testcase classname="test_a" name="test_skipped"><skipped message="why"/></testcase>
<testcase classname="test_a" name="test_bad"><failure message="AssertionError: assert 25 == 0&#10;  where 25 = ...">text</failure></testcase>
<testcase classname="test_a" name="test_broken"><error message="RuntimeError: no gateway">text</error></testcase>
</testsuite></testsuites>"""


def test_output_of_passing_swift_tests_over_several_lines_is_left_out(tmp_path):
    log = tmp_path / "a.log"
    log.write_text(
        'Building\n◇ Test case passing 1 argument text → "a\n\nb" started.\n'
        '✘ Test "adds" recorded an issue at A.swift:1:1: Expectation failed\n↳ 1 is not\n2\n'
        '\t◇ Test case passing 2\nmore\n↳ of it\n━ Test "known" recorded a known issue\nx\n✔ Test passed\n'
        '✘ Test run failed\nerror: no')
    assert list(results.telling(log)) == [
        'Building', '✘ Test "adds" recorded an issue at A.swift:1:1: Expectation failed', '↳ 1 is not', '2',
        '✘ Test run failed', 'error: no']


def test_a_failed_test_is_named_with_its_first_line_and_its_log(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(REPORT)
    suite = results.Suite("end to end", 67, *results.read([path], "a.log", "wires/"))
    lines = results.summary([suite])
    assert (suite.tests, suite.skipped, len(suite.failures)) == (4, 1, 2)
    assert lines[1].split() == ["end", "to", "end", "4", "2", "1", "1", "min", "07", "s"]
    assert lines[2:] == [
        "FAILED wires/test_a::test_bad: AssertionError: assert 25 == 0 (a.log)",
        "FAILED wires/test_a::test_broken: RuntimeError: no gateway (a.log)", "1 passed, 2 failed",
    ]


def test_a_hundred_failures_fit_into_twenty_lines_and_all_are_counted():
    failures = [results.Failure(f"test_a::test_{n}", "E" * 1000, f"{n % 2}.log") for n in range(100)]
    lines = results.summary([results.Suite(name, 1, 100, 0, failures if name == "one" else []) for name in ("one", "two", "three")])
    assert len(lines) == results.LINES and "test_a::test_0" in lines[4] and all(len(line) <= 200 for line in lines)
    assert lines[-2].startswith("and 86 more, in 0.log, 1.log") and lines[-1] == "200 passed, 100 failed"


def test_a_suite_with_many_failures_hides_no_other_suite():
    suites = [results.Suite("end to end", 1, 30, 0, [results.Failure(f"test_a[{number}]", "all of them", "a.log") for number in range(29)])]
    suites[0].failures.append(results.Failure("test_b", "only one", "b.log"))
    assert "FAILED test_b: only one (b.log)" in results.summary(suites)


def test_a_damaged_result_is_a_failure(tmp_path):
    (tmp_path / "a.xml").write_text(REPORT[:200])
    _, _, failures = results.read([tmp_path / "a.xml"], "a.log")
    assert [failure.name for failure in failures] == ["a.xml"] and "cannot read" in failures[0].first_line


def run(folder, *tests):
    """Runs the whole runner over a suite in `folder` with these tests."""
    (folder / "test_made.py").write_text("\n".join(tests))
    code = (
        "import sys; from pathlib import Path; import suites;"
        "suites.HERE = Path(sys.argv[1]); suites.python = lambda suite: sys.executable;"
        "run = suites.Run(sys.executable, Path(sys.argv[1], 'out'));"
        "outcome = run.outcome(suites.Piece('.', 'test_made.py'));"
        "print('\\n'.join(suites.results.summary([outcome])))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    return subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=120, env=environment)


@pytest.mark.parametrize(
    "test, told",
    [
        ("def test_it(): assert 1 == 2", "FAILED test_made::test_it: assert 1 == 2"),
        ("def test_it(", "FAILED test_made: "), ("import nothing", "FAILED test_made: ModuleNotFoundError: No module named 'nothing'"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"), ("import os\ndef test_it(): os._exit(3)", "FAILED test_made.py: pytest ended with status 3"),
        ("import os\ndef test_it(): os._exit(0)", "FAILED test_made.py: pytest ended with status 0"),
        ("def no_test(): pass", "FAILED test_made.py: pytest ended with status 5"),
    ],
)
def test_a_fault_that_is_put_in_is_named_in_the_summary(tmp_path, test, told):
    done = run(tmp_path, test)
    assert told in done.stdout and "1 failed" in done.stdout.splitlines()[-1], done.stdout + done.stderr
    # A whole run counts tests by these files.
    _, _, failures = results.read([tmp_path / "out/junit/end-to-end-test_made.py.xml"], "a.log")
    assert len(failures) == 1


def test_a_suite_without_a_fault_is_a_success(tmp_path):
    done = run(tmp_path, "def test_it(): print('words')")
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed" and "words" not in done.stdout


def test_suites_stand_behind_the_flags_of_a_repeated_run():
    repeat = Path(__file__).with_name("repeat")
    done = subprocess.run(
        [sys.executable, repeat, sys.executable, "1", "--busy", "0", "test_nothing.py"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "no suite 'test_nothing.py'" in done.stderr, done


def test_threads_start_programs_while_the_environment_changes():
    faults = []

    def start():
        try:
            for _ in range(100):
                subprocess.run(["true"], check=True)
        except OSError as error:
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    number = 0
    while any(thread.is_alive() for thread in threads):
        number += 1
        os.environ["TEST_RUNNER"] = "x" * (number % 5000)
        del os.environ["TEST_RUNNER"]
    assert faults == []


def test_a_machine_that_lacks_something_is_told_before_any_test_begins():
    done = subprocess.run(
        [sys.executable, ROOT / "Tests/machine.py"], capture_output=True, text=True, timeout=60,
        preexec_fn=lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_NOFILE, (256, 256)), env={"PATH": "/nowhere"})
    assert done.returncode == 1
    assert "a process may open 256 files; the tests need 8192" in done.stderr
    assert "no program 'chromium': install the package chromium" in done.stderr
