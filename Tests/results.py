"""Reads JUnit files and prints what a person wants to know of them: counts, times and the failed tests."""

import collections
import dataclasses
import re
import xml.etree.ElementTree as ElementTree

# The last lines of a run, all in all.
LINES = 20
WIDTH = 180
# What is wrong with the JUnit file of a suite that ended early, e.g. by a signal.
UNREADABLE = "cannot read its results"


@dataclasses.dataclass
class Failure:
    """A failed test, or a step that failed without one."""

    name: str
    first_line: str
    log: str


@dataclasses.dataclass
class Suite:
    """What became of a step of a run. `tests` is 0 for a step without tests, e.g. a build."""

    name: str
    seconds: float
    tests: int = 0
    skipped: int = 0
    failures: list[Failure] = dataclasses.field(default_factory=list)


def one_line(text):
    """The first line of `text` that says something, without control characters and with single spaces."""
    for line in (text or "").splitlines():
        # A Swift issue is told with its place, a failed assertion with its exception.
        if line := " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", line).split()):
            return line
    return "no reason given"


def reason(fault):
    """The line that says best why a test failed: its message, or the last words of a file that pytest could not run."""
    message, text = fault.get("message"), fault.text or ""
    if message in ("collection failure", "internal error") and text.strip():
        return one_line(re.sub(r"^E +", "", text.strip().splitlines()[-1]))
    return one_line(message or text)


def telling(log):
    """The lines of a log but for what Swift Testing says of tests that begin, pass or fail as they are known to. What it
    says may go over several lines, which begin with no sign of its own."""
    quiet = False
    for line in log.read_text(errors="replace").splitlines():
        if sign := re.match(r"\s*([◇✔✘━↳])", line):
            quiet = sign[1] in "◇✔━" or quiet and sign[1] == "↳"
        if not quiet:
            yield line


def name_of(case, prefix):
    name = "::".join(filter(None, [case.get("classname"), case.get("name")]))
    # A suite that ended without results stands there by its own name.
    return name if f"{name}/" == prefix or name.startswith(prefix) else prefix + name


def names(path, prefix=""):
    """The names of the tests in a JUnit file; none if it cannot be read."""
    try:
        return [name_of(case, prefix) for case in ElementTree.parse(path).getroot().iter("testcase")]
    except (OSError, ElementTree.ParseError):
        return []


def read(paths, log, prefix=""):
    """The tests, the skipped and the failures of the JUnit files at `paths`; a damaged file is a failure of its own."""
    tests, skipped, failures = 0, 0, []
    for path in paths:
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            failures.append(Failure(f"{prefix}{path.name}", f"{UNREADABLE}: {error}", str(log)))
            continue
        for case in root.iter("testcase"):
            tests += 1
            skipped += case.find("skipped") is not None
            reasons = case.findall("failure") + case.findall("error")
            if reasons:
                failures.append(Failure(name_of(case, prefix), reason(reasons[0]), str(log)))
    return tests, skipped, failures


def is_unexplained(failures):
    """Whether no failed test is among the failures, so that only the process's status and its last words tell more."""
    return all(failure.first_line.startswith(UNREADABLE) for failure in failures)


def write(path, failure):
    """Writes a JUnit file of one failure, for a suite that ended without one."""
    suite = ElementTree.Element("testsuite", name=failure.name, tests="1", failures="1")
    case = ElementTree.SubElement(suite, "testcase", classname="", name=failure.name, time="0")
    ElementTree.SubElement(case, "failure", message=failure.first_line)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def last_line(log):
    """The line of a log that says best why a step failed: its first error, else its last line."""
    try:
        lines = [line for line in telling(log) if line.strip()]
    except OSError as error:
        return one_line(str(error))
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    return one_line((errors or lines[-1:] or ["it printed nothing"])[0])


def duration(seconds):
    """12 s or 3 min 07 s."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def shortened(text, length):
    return text if len(text) <= length else text[: max(0, length - 1)] + "…"


def spread(failures):
    """The failures in another order: the first of each log, then the second of each, so that no suite hides another."""
    turns = collections.Counter()
    ranked = []
    for failure in failures:
        ranked.append((turns[failure.log], failure))
        turns[failure.log] += 1
    return [failure for _, failure in sorted(ranked, key=lambda pair: pair[0])]


def summary(suites):
    """The lines that close a run, at most `LINES`: a row for each suite, each failed test, and the count."""
    failures = spread([failure for suite in suites for failure in suite.failures])
    rows = [f"{'':34} {'tests':>6} {'failed':>7} {'skipped':>8} {'time':>14}"]
    for suite in suites:
        counts = (suite.tests, len(suite.failures), suite.skipped) if suite.tests or suite.failures else ("", "", "")
        rows.append(f"{shortened(suite.name, 34):34} {counts[0]:>6} {counts[1]:>7} {counts[2]:>8} {duration(suite.seconds):>14}")
    room = LINES - len(rows) - 1
    shown = failures if len(failures) <= room else failures[: room - 1]
    for failure in shown:
        tail = f" ({failure.log})"
        head = f"FAILED {failure.name}: "
        # The name and the file are whole; the reason gets the room that is left, and at least forty characters.
        rows.append(head + shortened(failure.first_line, max(40, WIDTH - len(head) - len(tail))) + tail)
    if len(shown) < len(failures):
        rest = failures[len(shown):]
        rows.append(f"and {len(rest)} more, in {', '.join(sorted({failure.log for failure in rest})[:3])}")
    tests = sum(suite.tests for suite in suites)
    passed = tests - sum(suite.skipped for suite in suites) - sum(min(suite.tests, len(suite.failures)) for suite in suites)
    return rows + [f"{passed} passed, {len(failures)} failed"]
