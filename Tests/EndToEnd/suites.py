"""The end-to-end suites: their environments, the pieces that run side by side, and their results."""

import dataclasses
import fcntl
import filecmp
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Modules of all suites.
SHARED_MODULES = HERE
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import results  # noqa: E402

# The folder itself is a suite too.
MAIN = "."
SUITES = [MAIN, *sorted(path.parent.name for path in HERE.glob("*/requirements.txt"))]
# The longest suites, in which each file is a piece.
SHARED = {MAIN, "wires", "getstream-rtc", "token-endpoints"}
# It checks all messages that the other files of the main folder have recorded, so it comes last.
LAST = "test_documents.py"
# They wait more than they work.
LANES = 6
# pytest's statuses: no failure, and no selected test.
PASSED, NO_TEST = 0, 5


@dataclasses.dataclass(frozen=True)
class Piece:
    """A suite, or one file of it, which one pytest process runs."""

    suite: str
    file: str = ""

    @property
    def name(self):
        return self.file if self.suite == MAIN and self.file else "/".join(filter(None, [self.suite, self.file]))

    @property
    def prefix(self):
        """The prefix of the names of its tests."""
        return "" if self.suite == MAIN else f"{self.suite}/"

    @property
    def slug(self):
        return "main" if self.name == MAIN else self.name.replace("/", "-")


def pieces(suites=SUITES):
    """The pieces of `suites`, without the one that comes last."""
    found = []
    for suite in suites:
        files = sorted(path.name for path in (HERE / suite).glob("test_*.py") if path.name != LAST)
        found += [Piece(suite, file) for file in files] if suite in SHARED else [Piece(suite)]
    return found


def named(name):
    """The pieces with that name: a suite, `test_storm.py`, or `wires/test_serve.py`. ValueError if there are none."""
    suite, _, file = name.rpartition("/")
    if name in SUITES:
        return pieces([name])
    if file.endswith(".py") and (suite or MAIN) in SUITES and (HERE / suite / file).is_file():
        return [Piece(suite or MAIN, file)]
    raise ValueError(f"no suite '{name}'; suites: {' '.join(SUITES)}, or a file such as test_storm.py or wires/test_serve.py")


def python(suite):
    """The Python of the suite's environment. It is made again when the pinned versions change."""
    requirements = HERE / suite / "requirements.txt"
    folder = ROOT / ".build" / ("end-to-end-venv" + (f"-{suite}" if suite != MAIN else ""))
    with requirements.open() as lock:
        # Two files of one suite may begin at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = folder / "requirements.txt"
        if not installed.is_file() or not filecmp.cmp(requirements, installed, shallow=False):
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([shutil.which("python3"), "-m", "venv", folder], check=True)
            pip = [folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "-r", "requirements.txt"]
            # From its folder, because paths in it are relative. pip's output goes to standard error.
            subprocess.run(pip, cwd=requirements.parent, stdout=sys.stderr, check=True)
            shutil.copy(requirements, installed)
    return folder / "bin/python"


class Run:
    """One run of pieces: the program under test, and the folder that gets logs and JUnit files."""

    def __init__(self, postern, folder, arguments=()):
        self.postern = postern
        self.folder = folder
        self.arguments = list(arguments)
        self.seen = Path(tempfile.mkdtemp(prefix="postern-seen-"))
        self.processes = set()
        # A signal handler may run while this thread holds the lock.
        self.lock = threading.RLock()
        self.stopped = False
        (folder / "junit").mkdir(parents=True, exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.seen, ignore_errors=True)

    def log(self, piece):
        return self.folder / f"{piece.slug}.log"

    def junit(self, piece):
        return self.folder / "junit" / f"end-to-end-{piece.slug}.xml"

    def stop(self):
        """Ends all running pieces with their child processes."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                try:
                    os.killpg(process.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def pytest(self, piece, output=None):
        """Runs pytest on a piece. Its output goes to a file, or to this process's output. Returns its status."""
        self.junit(piece).unlink(missing_ok=True)
        command = [python(piece.suite), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "shared_process", "--rootdir", "."]
        command += [f"--junit-xml={self.junit(piece)}", *filter(None, [piece.file]), *self.arguments]
        if piece == Piece(MAIN):
            command += [f"--ignore={folder}" for folder in HERE.iterdir() if folder.is_dir()]
        environment = {**os.environ, "POSTERN": str(self.postern), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(SHARED_MODULES)}
        # With arguments only some of the tests run, so not all messages have been seen.
        if piece.suite == MAIN and not self.arguments:
            environment["END_TO_END_SEEN"] = str(self.seen)
        with self.lock:
            if self.stopped:
                return 1
            process = subprocess.Popen(
                command, cwd=HERE / piece.suite, env=environment, stdout=output, stderr=subprocess.STDOUT if output else None,
                process_group=0)
            self.processes.add(process)
        try:
            return process.wait()
        finally:
            with self.lock:
                self.processes.discard(process)

    def outcome(self, piece, lenient=False):
        """Runs a piece and reads its results."""
        begun = time.monotonic()
        log = self.log(piece)
        try:
            with log.open("wb") as output:
                status = self.pytest(piece, output)
        except (OSError, subprocess.CalledProcessError) as error:
            status = 1
            with log.open("a") as output:
                output.write(f"error: {error}\n")
        seconds = time.monotonic() - begun
        shown = log.relative_to(ROOT) if log.is_relative_to(ROOT) else log
        junit = self.junit(piece)
        # pytest writes its results even if no test ran. If there are none, pytest died, whatever its status.
        is_whole = junit.is_file()
        tests, skipped, failures = results.read([junit] if is_whole else [], shown, piece.prefix)
        passed = (PASSED, NO_TEST) if lenient else (PASSED,)
        if (status not in passed or not is_whole) and results.is_unexplained(failures):
            failures = [results.Failure(piece.name, f"pytest ended with status {status}: {results.last_line(log)}", str(shown))]
            results.write(junit, failures[0])
        return results.Suite(piece.name, seconds, tests, skipped, failures)

    def side_by_side(self, waiting, told=lambda outcome: None):
        """Runs the pieces in lanes, starting with those that took longest the last time. Returns their outcomes by piece."""
        took = ROOT / ".build/end-to-end-seconds"
        took.mkdir(parents=True, exist_ok=True)

        def seconds(piece):
            try:
                return float((took / piece.slug).read_text())
            except (OSError, ValueError):
                return 999

        left = queue.SimpleQueue()
        for piece in sorted(waiting, key=seconds, reverse=True):
            left.put(piece)
        outcomes = {}

        def lane():
            while not self.stopped:
                try:
                    piece = left.get_nowait()
                except queue.Empty:
                    return
                outcome = outcomes[piece] = self.outcome(piece, lenient=bool(self.arguments))
                (took / piece.slug).write_text(f"{outcome.seconds:.0f}\n")
                told(outcome)

        lanes = [threading.Thread(target=lane) for _ in range(LANES)]
        for thread in lanes:
            thread.start()
        for thread in lanes:
            thread.join()
        return outcomes
