"""A newcomer's first contacts: the examples, the errors of the command line, the installer of packages."""

import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
POSTERN = os.environ["POSTERN"]


class Client:
    """A client as a process, and its output lines."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def next(self):
        return self.lines.get(timeout=60)


def clients(gateway, user, *more):
    """The two clients of the README."""
    address = f"127.0.0.1:{gateway.port}"
    python = [sys.executable, str(ROOT / "Examples/python/refresh.py"), "--gateway", address]
    swift = [POSTERN, "connect", "--url", f"ws://{address}"]
    return [[*client, "--user", f"{user}-{index}", *more] for index, client in enumerate([python, swift])]


def order(gateway, path):
    request = urllib.request.Request(
        f"{gateway.control_url}{path}", b"{}", {"Content-Type": "application/json"}, method="POST")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def run(*words, **options):
    """One command of postern that ends by itself."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
    environment.update(options.pop("environment", {}))
    return subprocess.run([POSTERN, *words], capture_output=True, text=True, timeout=60, env=environment, **options)


def test_the_example_clients_show_that_they_are_connected_asked_and_refreshed(gateway):
    for index, command in enumerate(clients(gateway, "example", "--refreshes", "1")):
        with Client(*command) as client:
            assert client.next().startswith(f"connected as example-{index}: ")
            order(gateway, f"/users/example-{index}/expire")
            assert client.next() == "asked for a new token within 60 s"
            assert client.next() == "refreshed on the same connection"
            assert client.process.wait(timeout=60) == 0


def test_the_example_clients_say_how_they_were_disconnected(gateway):
    for index, command in enumerate(clients(gateway, "leaving")):
        with Client(*command) as client:
            assert client.next().startswith(f"connected as leaving-{index}: ")
            order(gateway, f"/users/leaving-{index}/disconnect")
            last = client.next()
            assert last.startswith("closed") and "4005" in last
            assert client.process.wait(timeout=60) == 1


def test_a_client_without_a_gateway_reports_it():
    for command in clients(type("Nobody", (), {"port": 1}), "ann"):
        outcome = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert outcome.returncode == 1 and outcome.stdout == ""
        assert len(outcome.stderr.splitlines()) == 1 and "no " in outcome.stderr, outcome.stderr


@pytest.mark.parametrize(
    "words, environment, expected",
    [
        (["sevre"], {}, "did you mean postern serve?"),
        (["serve", "--prot", "80"], {}, "--prot: no such flag; did you mean --port?"),
        (["serve"], {"POSTERN_PROT": "80"}, "POSTERN_PROT: no command reads this variable; did you mean POSTERN_PORT?"),
        (["serve", "--secret-file", "/etc"], {}, "--secret-file: '/etc' is a directory"),
        (["serve", "--config", "/nowhere"], {}, "--config: '/nowhere' does not exist"),
        (["storm", "--url", "ws://127.0.0.1:1", "--report", "/etc/passwd"], {}, "is a file; expected a directory"),
        ([], {}, "usage: postern COMMAND"),
    ],
)
def test_a_wrong_command_is_answered_with_the_right_one(words, environment, expected):
    outcome = run(*words, environment=environment)
    assert outcome.returncode == 2 and expected in outcome.stdout + outcome.stderr


def test_a_file_without_permission_is_told_from_a_missing_one():
    # root may do everything, so it becomes another user for this, with a copy that this user may run.
    somebody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="postern-") as folder:
        os.chmod(folder, 0o755)
        program = shutil.copy(POSTERN, folder)
        secret = Path(folder, "secret")
        secret.write_text("a secret that is long enough for a hash of 32 bytes")
        secret.chmod(0)
        command = [program, "serve", "--secret-file", str(secret)]
        outcome = subprocess.run(command, capture_output=True, text=True, timeout=60, **somebody)
    expected = f"--secret-file: '{secret}' may not be read: permission denied to user"
    assert outcome.returncode == 2 and expected in outcome.stderr, outcome.stderr


def test_the_version_is_told():
    assert run("--version").stdout.startswith("postern 1.")
    assert run("serve", "--version").stdout == run("--version").stdout


def test_a_storm_in_a_pipe_tells_how_far_it_is_every_ten_seconds(gateway):
    outcome = run("storm", "--url", gateway.url, "--clients", "5", "--hold", "11s")
    lines = outcome.stderr.splitlines()
    assert outcome.returncode == 0 and len(lines) == 1, outcome.stderr
    # A busy machine writes it a little later.
    assert re.search(r"\b1\d\.\d s", lines[0]) and "5 connected" in lines[0] and "\x1b" not in lines[0]


# The installer, with fake system programs whose answers the test chooses.

APT_GET = """#!/bin/sh
echo "$*" >> "$SCRIPT/calls"
case "$*" in *{failing}*)
  if [ "$(grep -c . "$SCRIPT/calls")" -le {failures} ]; then echo "{complaint}" >&2; exit 100; fi ;;
esac
"""

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (unattended-upgr)"


def install(folder, failures, complaint, failing="install", groups=("build",)):
    for name, text in {
        "apt-get": APT_GET.format(failures=failures, complaint=complaint, failing=failing),
        "dpkg-query": "#!/bin/sh\necho unknown\n",
        "id": "#!/bin/sh\necho 0\n",
        "sleep": "#!/bin/sh\n",
    }.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SCRIPT": str(folder)}
    command = [str(ROOT / "Deploy/install-packages"), *groups]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    return outcome, (folder / "calls").read_text().splitlines()


def test_the_installer_waits_for_the_locks_of_apt_and_says_whose_they_are(tmp_path):
    outcome, calls = install(tmp_path, 3, LOCKED)
    assert outcome.returncode == 0 and len(calls) == 4
    assert outcome.stderr == f"install-packages: waiting: {LOCKED[3:]}\n"
    assert "libwebsockets-dev" in calls[0]


def test_the_installer_brings_the_lists_up_to_date_where_a_package_is_gone(tmp_path):
    outcome, calls = install(tmp_path, 1, "E: Unable to fetch some archives, maybe run apt-get update")
    assert outcome.returncode == 0 and outcome.stderr == ""
    assert [("update" in call) for call in calls] == [False, True, False]


def test_the_installer_shows_why_it_failed(tmp_path):
    outcome, _ = install(tmp_path, 99, "E: Unable to locate package libev-dev")
    assert outcome.returncode == 1 and "Unable to locate package libev-dev" in outcome.stderr


# The Debian package of each program that is not there on a bare machine.
PROGRAMS = {
    "apache2": "apache2-bin", "chromium": "chromium", "curl": "curl", "git": "git", "haproxy": "haproxy", "jq": "jq",
    "man": "man-db", "openssl": "openssl", "python3": "python3",
}  # fmt: skip


@pytest.mark.parametrize(
    "groups, files, command, some",
    [
        (["build", "examples"], ["README.md", "Docs/[!i]*.md", "Docs/dialects/*.md"],  # Docs/install.md installs more.
         r"(?m)^    (?:\S.*[|;(] ?)?(\w+) |\| (\w+) -", {"curl", "jq", "man", "openssl", "python3"}),
        (["build", "tests"], ["Tests/EndToEnd/**/*.py", "Tests/EndToEnd/run", "Docs/dialects/sinch.md"],
         r'(?:which\(|\[)"(\w+)"|(?m:^ *"?(\w+) -)', {"apache2", "chromium", "curl", "git", "haproxy", "openssl", "python3"}),
    ],
)  # fmt: skip
def test_the_installer_brings_every_program_that_the_pages_and_the_tests_call(tmp_path, groups, files, command, some):
    text = "\n".join(path.read_text() for pattern in files for path in ROOT.glob(pattern) if ".build" not in str(path))
    called = {word for words in re.findall(command, text) for word in words} & PROGRAMS.keys()
    assert called == some
    _, calls = install(tmp_path, 0, "", groups=groups)
    assert {PROGRAMS[program] for program in called} <= set(calls[0].split())
