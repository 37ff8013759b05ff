#!/usr/bin/python3
"""Runs a unit's ExecStart as systemd would, in a tree that is no system's root: `unit.py ROOT UNIT [start|check]`.

As far as a process may do so without systemd: as an unprivileged user without capabilities, with the credentials, the state
folder, the limit of descriptors, the umask, the filters of system calls and of address families, no memory that can be written
and executed, and a socket for its news. What it says there is written to standard output, a line each; a word on standard input
is done to it: `reload`, `stop`. Ends with its exit status.
"""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import seccomp

USER = 61184  # As systemd chooses for DynamicUser: 61184 to 65519.
PROT_WRITE, PROT_EXEC = 2, 4
FAMILIES = {"AF_UNIX": socket.AF_UNIX, "AF_INET": socket.AF_INET, "AF_INET6": socket.AF_INET6}


class Unit:
    """Parses the lines of a unit: the values of each name, in order. An empty value deletes the earlier ones."""

    def __init__(self, file):
        self.values = {}
        for line in file.read_text().splitlines():
            name, sign, value = line.partition("=")
            if not sign or line.startswith(("#", ";", "[")):
                continue
            if not value:
                self.values[name] = []
            self.values.setdefault(name, []).append(value)

    def one(self, name, default=None):
        return self.values.get(name, [default])[-1]

    def all(self, name):
        return [value for value in self.values.get(name, []) if value]

    def says(self, name):
        return self.one(name) == "yes"


def seconds(text):
    return float(text.removesuffix("s"))


def system_calls(group):
    """The names of system calls in a set and its subsets, as this machine's systemd knows them."""
    said = subprocess.run(
        ["systemd-analyze", "syscall-filter", group], check=True, capture_output=True, text=True).stdout.splitlines()
    names = [line.strip() for line in said[1:] if line.strip() and not line.strip().startswith("#")]
    return {call for name in names for call in (system_calls(name) if name.startswith("@") else [name])}


def allowed_calls(unit):
    allowed = set()
    for value in unit.all("SystemCallFilter"):
        for name in value.removeprefix("~").split():
            calls = system_calls(name) if name.startswith("@") else {name}
            allowed = allowed - calls if value.startswith("~") else allowed | calls
    return allowed


def filtered(unit):
    """The filter, ready to be loaded."""
    calls = allowed_calls(unit)
    assert len(calls) > 200, "the sets of systemd are not as they were"
    rules = seccomp.SyscallFilter(defaction=seccomp.ERRNO(1))
    families = {FAMILIES[name] for value in unit.all("RestrictAddressFamilies") for name in value.split()}
    for name in calls:
        if name == "socket" and families:
            for family in families:
                rules.add_rule(seccomp.ALLOW, name, seccomp.Arg(0, seccomp.EQ, family))
        elif name == "mmap" and unit.says("MemoryDenyWriteExecute"):
            for bits in range(8):
                if bits & (PROT_WRITE | PROT_EXEC) != PROT_WRITE | PROT_EXEC:
                    rules.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, 7, bits))
        elif name in ("mprotect", "pkey_mprotect") and unit.says("MemoryDenyWriteExecute"):
            rules.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, 0))
        else:
            try:
                rules.add_rule(seccomp.ALLOW, name)
            except (RuntimeError, OSError, ValueError):
                # A call of another architecture, or a newer one than the library knows.
                pass
    return rules


class Service:
    """Prepares what the unit needs before it starts."""

    def __init__(self, root, unit):
        self.root, self.unit = root, unit
        name = unit.one("StateDirectory")
        self.state = root / "var/lib/private" / name
        self.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        link = root / "var/lib" / name
        if not link.is_symlink():
            link.symlink_to(f"private/{name}")
        # systemd does this for a dynamic user, which could not enter the folder otherwise.
        self.state.parent.chmod(0o755)
        os.chown(self.state, USER, USER)
        self.credentials = Path("/run/credentials/postern.service")
        inside = self.inside(self.credentials)
        inside.mkdir(mode=0o755, parents=True, exist_ok=True)
        for value in unit.all("LoadCredential"):
            key, _, path = value.partition(":")
            copy = inside / key
            copy.unlink(missing_ok=True)
            copy.write_bytes(self.inside(path).read_bytes())
            copy.chmod(0o400)
            os.chown(copy, USER, USER)
        self.notify = Path("/run/postern-notify")
        self.inside(self.notify).unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.inside(self.notify)))
        self.inside(self.notify).chmod(0o777)

    def inside(self, path):
        return self.root / str(path).lstrip("/")

    def command(self):
        words = self.unit.one("ExecStart").replace("%d", str(self.credentials)).split()
        return words

    def environment(self):
        pairs = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "NOTIFY_SOCKET": str(self.notify),
            "CREDENTIALS_DIRECTORY": str(self.credentials), "STATE_DIRECTORY": "/var/lib/" + self.unit.one("StateDirectory"),
        }
        if watchdog := self.unit.one("WatchdogSec"):
            pairs["WATCHDOG_USEC"] = str(int(seconds(watchdog) * 1e6))
        return pairs

    def become(self, rules):
        """Runs in the child before the program: applies all restrictions of the unit."""
        limit = int(self.unit.one("LimitNOFILE"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        os.chroot(self.root)
        os.chdir(self.unit.one("WorkingDirectory", "/"))
        os.umask(int(self.unit.one("UMask", "0022"), 8))
        assert self.unit.one("CapabilityBoundingSet") == "", "the set of capabilities is to be empty"
        for capability in range(64):
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
        ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        rules.load()


def main(root, file):
    unit = Unit(root / file.lstrip("/"))
    service = Service(root, unit)
    rules = filtered(unit)
    words = service.command()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(2, 1)
            service.become(rules)
            os.execve(words[0], words, service.environment())
        except BaseException as error:
            os.write(2, f"unit.py: {error!r}\n".encode())
        os._exit(203)

    def hear():
        while True:
            for line in service.socket.recv(4096).decode().splitlines():
                try:
                    print(line, flush=True)
                except BrokenPipeError:
                    return

    def do():
        for line in sys.stdin:
            os.kill(child, {"reload": signal.SIGHUP, "stop": signal.SIGTERM}[line.strip()])
        # The process that started this one is gone.
        try:
            os.kill(child, signal.SIGTERM)
        except ProcessLookupError:
            pass

    print(f"PID={child}", flush=True)
    for job in (hear, do):
        threading.Thread(target=job, daemon=True).start()
    _, status = os.waitpid(child, 0)
    print(f"EXIT={os.waitstatus_to_exitcode(status)}", flush=True)
    return 0 if status == 0 else 1


if __name__ == "__main__":
    code = main(Path(sys.argv[1]), sys.argv[2])
    sys.stdout.flush()
    os._exit(code)
