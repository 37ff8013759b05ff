"""Runs the fuzz targets: `Tests/run fuzz [TARGET ...] [--seconds N] [--jobs N]`, or `--input FILE` to play one input again."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCRATCH = ROOT / ".build/fuzz"
FOUND = ROOT / ".build/fuzz-found"
CORPUS = ROOT / ".build/fuzz-corpus"
# Two `--sanitize` would leave the libraries without coverage: of two options the compiler heeds the last.
SANITIZERS = ["--sanitize", "fuzzer", "-Xswiftc", "-sanitize=fuzzer,address", "-Xcc", "-fsanitize=address"]
# Far fewer edges than the libraries have, and more than the targets alone.
EDGES_MIN = 10_000
# A build of its own; without the test suites, and with the libraries optimised as in the suites' build.
BUILD = {"POSTERN_FUZZ": "1", "POSTERN_SUITES": "", "POSTERN_OPTIMISED_LIBRARIES": "1"}
# A crash is libFuzzer's to report; Swift's own reporter takes half a minute for the same.
RUN = {"SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0:handle_abort=0"}
# What one input may take: in seconds, and in megabytes of the whole process.
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=512"]


def build():
    """Builds the program and returns its path."""
    command = [
        "swift", "build", "--product", "fuzz", *SANITIZERS, "--scratch-path", str(SCRATCH), "-debug-info-format", "none"]
    with subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **BUILD}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True) as process:
        output = process.stdout.read()
    if process.returncode != 0:
        sys.exit(f"fuzz: the build failed:\n{output}")
    return str(SCRATCH / "debug/fuzz")


def environment(target):
    return {**os.environ, **RUN, "POSTERN_FUZZ_TARGET": target}


def run(program, target, seconds):
    """Runs one target for so many seconds. Returns its line for the table, and whether nothing was found."""
    corpus = CORPUS / target
    corpus.mkdir(parents=True, exist_ok=True)
    words = HERE / "Words" / f"{target}.txt"
    command = [
        program, str(corpus), str(HERE / "Seeds" / target), f"-max_total_time={seconds}", *LIMITS, "-print_final_stats=1",
        f"-artifact_prefix={FOUND}/{target}-", *([f"-dict={words}"] if words.is_file() else [])]
    log = FOUND / f"{target}.log"
    begun = time.monotonic()
    with log.open("wb") as output:
        status = subprocess.run(
            command, cwd=ROOT, env=environment(target), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            check=False).returncode
    text = log.read_text(errors="replace")
    runs = re.search(r"number_of_executed_units:\s*(\d+)", text)
    counts = re.findall(r"#(\d+)\s.*?cov: (\d+)", text)
    executions = int(runs[1]) if runs else int(counts[-1][0]) if counts else 0
    line = f"{target:<18} {executions:>11,} runs {time.monotonic() - begun:6.0f} s {counts[-1][1] if counts else 0:>7} edges"
    edges = re.search(r"\((\d+) inline 8-bit counters\)", text)
    if edges and int(edges[1]) < EDGES_MIN:
        return f"{line}  BLIND: the program has {edges[1]} edges, so the libraries have no coverage", False
    if status == 0:
        return line, True
    found = re.search(r"Test unit written to (\S+)", text)
    reason = re.search(r"Fatal error: (.*)|SUMMARY: (.*)|ERROR: (.*)", text)
    told = next((part for part in reason.groups() if part), "") if reason else text[-300:]
    again = f"Tests/run fuzz {target} --input {os.path.relpath(found[1], ROOT)}" if found else f"see {log}"
    return f"{line}  FOUND: {told[:300]}\n    play it again: {again}", False


def main():
    targets = sorted(path.name for path in (HERE / "Seeds").iterdir())
    parser = argparse.ArgumentParser(prog="Tests/run fuzz", description=f"targets: {', '.join(targets)}")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="what to run; all of them if none is given")
    parser.add_argument("--seconds", type=int, default=10, help="how long each target runs (default 10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many run at once (default: one a core)")
    parser.add_argument("--input", metavar="FILE", help="play this input again and search no others")
    given = parser.parse_args()
    unknown = [target for target in given.targets if target not in targets]
    if unknown:
        parser.error(f"there is no target '{unknown[0]}'; there are {', '.join(targets)}")
    if given.input and len(given.targets) != 1:
        parser.error("--input goes with one target")
    if given.seconds < 1 or given.jobs < 1:
        parser.error("--seconds and --jobs are at least 1")
    program = build()
    if given.input:
        sys.exit(subprocess.run([program, *LIMITS, given.input], env=environment(given.targets[0]), check=False).returncode)
    FOUND.mkdir(parents=True, exist_ok=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for line, is_good in pool.map(lambda target: run(program, target, given.seconds), given.targets or targets):
            print(line, flush=True)
            good = good and is_good
    sys.exit(0 if good else 1)


main()
