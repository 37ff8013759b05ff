"""The steps of a whole run, one after the other; each writes a log and JUnit files, and the summary comes last."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import results

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build/test-results"
JUNIT = FOLDER / "junit"
# The suites spend simulated days in the libraries, so these are optimised, in a build of its own beside the one for daily work.
OPTIMISED = {"POSTERN_OPTIMISED_LIBRARIES": "1"}
SCRATCH = ["--scratch-path", ".build/tests", "-debug-info-format", "none"]
RELEASE = ["swift", "build", "-c", "release"]
FORMAT = ["swift", "format", "lint", "--strict", "--recursive", "Package.swift", "Sources", "Tests", "Examples"]


class Steps:
    def __init__(self, verbose):
        self.verbose = verbose
        self.suites = []
        self.running = None

    def end(self, number, _):
        """Ends the step under way with all that it has started."""
        if self.running and self.running.poll() is None:
            os.killpg(self.running.pid, signal.SIGTERM)
            self.running.wait()
        sys.exit(128 + number)

    def run(self, name, command, junit=(), environment=None):
        """Runs one step. Returns whether it passed. `junit` are the files that it leaves behind."""
        print(f"== {name}", flush=True)
        log = FOLDER / f"{name.replace(' ', '-')}.log"
        begun = time.monotonic()
        with log.open("wb") as output:
            self.running = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, process_group=0)
            status = self.running.wait()
        seconds = time.monotonic() - begun
        shown = log.relative_to(ROOT)
        tests, skipped, failures = results.read([path for path in junit if path.is_file()], shown)
        if status != 0 and results.is_unexplained(failures):
            failures.insert(0, results.Failure(name, f"status {status}: {results.last_line(log)}", str(shown)))
        elif junit and tests == 0 and not failures:
            failures.append(results.Failure(name, f"no test ran: {results.last_line(log)}", str(shown)))
        self.suites.append(results.Suite(name, seconds, tests, skipped, failures))
        if status != 0 or self.verbose:
            for line in log.read_text(errors="replace").splitlines() if self.verbose else results.telling(log):
                print(line)
            sys.stdout.flush()
        return status == 0 and not failures

    def end_to_end(self, postern):
        """Runs the end-to-end suites. Each failed test names the log of its own piece."""
        folder = FOLDER / "end-to-end"
        flags = ["--verbose"] if self.verbose else []
        self.run("end to end", ["Tests/EndToEnd/run", postern, *flags])
        whole = self.suites[-1]
        tests = skipped = 0
        failures = []
        for path in sorted((folder / "junit").glob("*.xml")):
            log = folder / f"{path.stem.removeprefix('end-to-end-')}.log"
            found = results.read([path], log.relative_to(ROOT), self.prefix(log.stem))
            tests, skipped, failures = tests + found[0], skipped + found[1], failures + found[2]
            shutil.copy(path, JUNIT)
        whole.tests, whole.skipped = tests, skipped
        # Without a failed piece the step's own failure stays, e.g. of an interrupted run.
        if failures:
            whole.failures = failures

    @staticmethod
    def prefix(slug):
        """What stands before the names of a piece's tests: the folder of its suite."""
        folders = (path.parent.name for path in (ROOT / "Tests/EndToEnd").glob("*/requirements.txt"))
        return max((f"{folder}/" for folder in folders if f"{slug}-".startswith(f"{folder}-")), key=len, default="")

    def quick(self):
        """Runs what a change to the sources breaks first, from the build for daily work."""
        swift_tests = JUNIT / "swift.xml"
        self.run("format", FORMAT)
        if self.run("build", ["swift", "build", "--build-tests"]):
            # Tests with the trait `.long` are left to the optimised build.
            self.run(
                "swift suites", ["swift", "test", "--skip-build", "--xunit-output", str(swift_tests)],
                junit=[swift_tests, JUNIT / "swift-swift-testing.xml"], environment={"POSTERN_QUICK": "1"})

    def all(self):
        """Runs every step; those that need a build only where there is one."""
        swift_tests = JUNIT / "swift.xml"
        if self.run("build", ["swift", "build", "--build-tests", *SCRATCH], environment=OPTIMISED):
            self.run(
                "swift suites", ["swift", "test", "--skip-build", *SCRATCH, "--xunit-output", str(swift_tests)],
                junit=[swift_tests, JUNIT / "swift-swift-testing.xml"], environment=OPTIMISED)
            # The build of the suites has all that this package needs. A plan is made anew when the package's own manifest is newer.
            (ROOT / "Examples/swift-test/Package.swift").touch()
            outside = JUNIT / "outside-package.xml"
            self.run(
                "outside package",
                ["swift", "test", "--package-path", "Examples/swift-test", *SCRATCH, "--xunit-output", str(outside)],
                junit=[outside, JUNIT / "outside-package-swift-testing.xml"], environment=OPTIMISED)
            self.run("documentation", ["Deploy/docs", ".build/docs", *SCRATCH], environment=OPTIMISED)
        if self.run("release build", [*RELEASE, "--product", "postern"]):
            shown = subprocess.run([*RELEASE, "--show-bin-path"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            postern = str(Path(shown.stdout.strip(), "postern"))
            self.end_to_end(postern)
            autobahn = JUNIT / "autobahn.xml"
            self.run("autobahn", ["Tests/Autobahn/run", "--junit", str(autobahn)], junit=[autobahn], environment={"POSTERN": postern})
            proxied = JUNIT / "autobahn-proxied.xml"
            self.run("autobahn by a proxy", ["Tests/Autobahn/run", "--proxied", "--junit", str(proxied)], junit=[proxied],
                     environment={"POSTERN": postern})


def main():
    steps = Steps(verbose="--verbose" in sys.argv[1:])
    shutil.rmtree(FOLDER, ignore_errors=True)
    JUNIT.mkdir(parents=True)
    signal.signal(signal.SIGTERM, steps.end)
    signal.signal(signal.SIGINT, steps.end)
    if "quick" in sys.argv[1:]:
        steps.quick()
    else:
        steps.all()
    print("\n".join(results.summary(steps.suites)))
    return 1 if any(suite.failures for suite in steps.suites) else 0


sys.exit(main())
