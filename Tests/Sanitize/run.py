"""Builds and runs suites under the sanitizers: `Tests/run sanitize [thread|address]`, both if none is named."""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# For each sanitizer its suites, and what its runtime is told. Threads meet in the loops, the server, the engines and the space;
# memory is touched by hand in the C targets and in the server's buffers.
KINDS = {
    "thread": (
        ["GatewayRuntimeTests", "GatewayServerTests", "GatewayStoresTests", "GatewaySpaceTests"],
        {"TSAN_OPTIONS": f"suppressions={HERE}/thread.txt halt_on_error=0 exitcode=66 history_size=4"}),
    "address": (
        ["GatewayRuntimeTests", "GatewayServerTests", "GatewayRedisTests"],
        {"ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=0", "LSAN_OPTIONS": f"suppressions={HERE}/leaks.txt"}),
}
REPORT = re.compile(r"^(?:WARNING: ThreadSanitizer|==\d+==ERROR: \w+Sanitizer): .*", re.MULTILINE)


def call(command, environment, log):
    with log.open("wb") as output:
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, check=False).returncode


def run(kind):
    """Builds and runs the suites under one sanitizer. Returns whether they pass and the sanitizer reports nothing."""
    suites, options = KINDS[kind]
    flags = ["--sanitize", kind, "--scratch-path", f".build/{kind}"]
    folder = ROOT / ".build/sanitize"
    folder.mkdir(parents=True, exist_ok=True)
    declared = {"POSTERN_SUITES": ",".join(suites)}
    log = folder / f"{kind}-build.log"
    if call(["swift", "build", "--product", "posternPackageTests", *flags], declared, log) != 0:
        print(f"{kind}: the build failed:\n{log.read_text(errors='replace')[-3000:]}")
        return False
    good = True
    for suite in suites:
        log = folder / f"{kind}-{suite}.log"
        # Reports go to files: nobody sees what a process of an exit test writes.
        for old in folder.glob(f"{kind}-{suite}.report.*"):
            old.unlink()
        told = f"log_path={folder}/{kind}-{suite}.report"
        begun = time.monotonic()
        status = call(
            # One test at a time: side by side on few cores, instrumented tests take longer than the limits of what they test.
            ["swift", "test", "--skip-build", "--no-parallel", *flags, "--filter", f"^{suite}\\."],
            {**declared, **{name: f"{value} {told}" for name, value in options.items()}, "SWIFT_BACKTRACE": "enable=no"}, log)
        text = log.read_text(errors="replace")
        files = sorted(folder.glob(f"{kind}-{suite}.report.*"))
        reports = REPORT.findall("\n".join([text, *(file.read_text(errors="replace") for file in files)]))
        tests = re.findall(r"Test run with (\d+) tests", text)
        ran = sum(map(int, tests))
        is_good = status == 0 and not reports and ran > 0
        good = good and is_good
        print(
            f"{kind:<8} {suite:<20} {ran:>5} tests {time.monotonic() - begun:6.0f} s {len(reports):>4} reports"
            f"  {'clean' if is_good else f'FAILED, status {status}: {log.relative_to(ROOT)}'}", flush=True)
        for file in files:
            print(f"         {file.relative_to(ROOT)}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(prog="Tests/run sanitize")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"one of {', '.join(KINDS)}; both if none is given")
    given = parser.parse_args().kinds or list(KINDS)
    for kind in given:
        if kind not in KINDS:
            parser.error(f"there is no sanitizer '{kind}'; there are {', '.join(KINDS)}")
    sys.exit(0 if all([run(kind) for kind in given]) else 1)


main()
