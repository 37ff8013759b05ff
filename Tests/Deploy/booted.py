#!/usr/bin/python3
"""The package under a systemd that is really booted, from the start of the machine to the purge: `booted.py TREE PACKAGE GROUP`.

In TREE the package and systemd are installed; PACKAGE is a later one, a path in the tree; GROUP is a cgroup of version 2 in which the
machine runs. All is asked of systemctl and journalctl inside."""

import ctypes
import errno
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from scene import CLIENTS, HERE, USER, get

UNIT = "postern.service"
DROP_IN = "etc/systemd/system/postern.service.d/watchdog.conf"
WATCHDOG = 3
# The line that Dispatch logs when it may not have the priority that it wants.
COMPLAINT = "Failed to set thread priority"


class Machine:
    """A booted machine, until it is switched off."""

    def __init__(self, tree, group):
        self.tree = tree
        self.boot = subprocess.Popen([HERE / "boot", tree, group], stdin=subprocess.DEVNULL)
        self.init = self.until(self.first_process, "systemd does not start")
        self.until(self.up, "systemd does not come up")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind and self.boot.poll() is None:
            sys.stderr.write(self.tell("journalctl", "--no-pager", "--boot", "--lines=40", f"--unit={UNIT}"))
        # If the first process of a namespace ends, all others end too.
        self.boot.kill()
        self.boot.wait()

    def first_process(self):
        assert self.boot.poll() is None, "there is no booting"
        children = Path(f"/proc/{self.boot.pid}/task/{self.boot.pid}/children").read_text().split()
        return children and Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n" and int(children[0])

    def up(self):
        assert self.boot.poll() is None, "systemd has ended"
        return self.tell("systemctl", "is-system-running").strip() in ("running", "degraded")

    def command(self, *words, user="0:0"):
        uid, gid = user.split(":")
        return [
            "nsenter", f"--target={self.init}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd",
            f"--setuid={uid}", f"--setgid={gid}", "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
            "DEBIAN_FRONTEND=noninteractive", *words]

    def tell(self, *words, **options):
        """The output of a command in the machine, whatever its exit status."""
        return subprocess.run(
            self.command(*words, **options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180).stdout

    def do(self, *words, **options):
        done = subprocess.run(
            self.command(*words, **options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}"
        return done.stdout

    def shown(self, *names):
        """Properties of the unit."""
        lines = self.do("systemctl", "show", UNIT, *(f"--property={name}" for name in names)).splitlines()
        said = dict(line.split("=", 1) for line in lines)
        return [said[name] for name in names]

    def signal(self, name):
        self.do("systemctl", "kill", "--kill-whom=main", f"--signal={name}", UNIT)

    def logged(self, words):
        return [line for line in self.do("journalctl", "--no-pager", "--boot", f"--unit={UNIT}").splitlines() if words in line]

    def until(self, what, complaint, patience=60):
        """Waits for output, and returns it."""
        end = time.monotonic() + patience
        while not (said := what()):
            assert time.monotonic() < end, complaint
            time.sleep(0.05)
        return said

    def until_active(self, patience=60):
        """Waits until the unit is active, and returns its main process."""

        def active():
            state, sub, pid = self.shown("ActiveState", "SubState", "MainPID")
            assert state != "failed", "the unit has failed"
            return (state, sub) == ("active", "running") and int(pid)

        return self.until(active, "the unit does not become active", patience)

    def status_of(self, pid):
        text = self.do("cat", f"/proc/{pid}/status")
        return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def enter_network(pid):
    """From here on this process is in the machine's network."""
    with open(f"/proc/{pid}/ns/net") as network:
        assert ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0) == 0, os.strerror(ctypes.get_errno())


def started(machine):
    """The unit after the boot: systemd's properties agree with the package's file."""
    pid = machine.until_active()
    # Only the gateway itself can have said both.
    kind, status, watchdog, dynamic, restart = machine.shown("Type", "StatusText", "WatchdogUSec", "DynamicUser", "Restart")
    assert kind in ("notify", "notify-reload") and "8080" in status, (kind, status)
    assert (watchdog, dynamic, restart) == ("30s", "yes", "on-failure"), (watchdog, dynamic, restart)
    machine.until(lambda: machine.logged("event=ready"), "the journal has nothing of its log")
    user = {int(uid) for uid in machine.status_of(pid)["Uid"].split()}
    assert len(user) == 1 and 61184 <= user.pop() <= 65519, "no dynamic user"
    enter_network(machine.init)
    assert get("/ready")[0] == 200
    return pid


def its_secret_is_the_credential(machine):
    token = machine.do("postern", "token", "mint", "--secret-file", "/etc/postern/secret", "--user", "ann", "--life", "1h").strip()
    try_it = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:8080/v1/calls/default/standup", "-d", "{}"]
    codes = [
        subprocess.run([*try_it, "-H", f"Authorization: Bearer {one}"], check=True, capture_output=True, text=True).stdout
        for one in (token, token[:-4] + "AAAA")]
    # The user must be known before the client connects.
    assert codes == ["409", "401"], f"a token of the secret, and one that is none: {codes}"


def stormed(machine):
    begun = time.monotonic()
    said = machine.do("postern", "storm", "--url", "ws://127.0.0.1:8080", "--control-url", "http://127.0.0.1:8081",
                      "--clients", str(CLIENTS), user=USER)
    figures = dict(line.rsplit(" ", 1) for line in get("/metrics")[1].splitlines() if line and not line.startswith("#"))
    refreshed = float(figures['postern_refreshes_total{dialect="plain",origin="asked"}'])
    assert refreshed == CLIENTS, f"{refreshed} refreshes\n{said}"
    return time.monotonic() - begun


def reloaded(machine, pid):
    machine.do("systemctl", "reload", UNIT)
    machine.until(lambda: machine.logged("Reloaded "), "systemd knows nothing of a reload")
    assert machine.logged("Reloading "), "systemd knows nothing of a reload's beginning"
    machine.until(lambda: machine.logged("event=keys_reloaded"), "the gateway knows nothing of a reload")
    assert machine.until_active() == pid, "a reload is a restart"


def killed(machine, pid):
    machine.signal("KILL")
    machine.until(lambda: machine.shown("NRestarts") == ["1"], "systemd does not restart what was killed")
    again = machine.until_active()
    assert again != pid and machine.logged("Failed with result 'signal'")
    return again


def stopped_dead(machine):
    """A gateway that hangs. The watchdog's time is shortened for this test."""
    file = machine.tree / DROP_IN
    file.parent.mkdir()
    file.write_text(f"[Service]\nWatchdogSec={WATCHDOG}\n")
    machine.do("systemctl", "daemon-reload")
    machine.do("systemctl", "restart", UNIT)
    pid = machine.until_active()
    # A gateway that is alive runs for longer than that.
    time.sleep(2 * WATCHDOG)
    assert machine.until_active() == pid and machine.shown("NRestarts") == ["0"], "the watchdog kills what lives"
    begun = time.monotonic()
    machine.signal("STOP")
    machine.until(lambda: machine.shown("NRestarts") == ["1"], "the watchdog does not see what is stopped")
    took = time.monotonic() - begun
    assert machine.until_active() != pid and machine.logged("Failed with result 'watchdog'")
    file.unlink()
    file.parent.rmdir()
    machine.do("systemctl", "daemon-reload")
    return took


def drained(machine):
    """The unit is stopped while a client is connected. The client is told. Then the unit is started again for the next
    steps."""
    client = subprocess.Popen(
        machine.command("postern", "connect", "--user", "ann", user=USER), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    machine.until(lambda: 'postern_connections{dialect="plain",phase="active"} 1' in get("/metrics")[1], "nobody connects")
    machine.do("systemctl", "stop", UNIT)
    state, result, code = machine.shown("ActiveState", "Result", "ExecMainStatus")
    assert (state, result, code) == ("inactive", "success", "0"), (state, result, code)
    assert machine.logged("event=drain_ended closed=1 cut_off=0"), machine.logged("event=drain")
    client.kill()
    client.wait()
    machine.do("systemctl", "start", UNIT)


def wrongly_set(machine):
    """A wrong setting ends the unit for good, and the journal names it. If the port is taken, the unit keeps trying."""
    file = machine.tree / "etc/postern/postern.json"
    good = file.read_text()
    file.write_text(good.replace('"port"', '"prot"', 1))
    machine.do("systemctl", "stop", UNIT)
    assert "failed" in machine.tell("systemctl", "start", UNIT)
    time.sleep(3)
    assert machine.shown("ActiveState", "ExecMainStatus", "NRestarts") == ["failed", "2", "0"]
    assert machine.logged("'prot': no such key")
    file.write_text(good)

    with socket.create_server(("127.0.0.1", 8080)):
        machine.do("systemctl", "start", "--no-block", UNIT)
        # systemd itself would give up after the fifth time in ten seconds.
        machine.until(lambda: int(machine.shown("NRestarts")[0]) > 6, "it is not restarted for as long as its port is taken")
    machine.until_active()


def upgraded(machine, package):
    before = machine.until_active()
    machine.do("dpkg", "--install", package)
    assert machine.until_active() != before, "an upgrade restarts nothing"
    assert machine.do("systemctl", "is-enabled", UNIT) == "enabled\n"


def purged(machine):
    machine.do("apt-get", "-q", "-y", "purge", "postern")
    assert machine.shown("LoadState", "ActiveState") == ["not-found", "inactive"]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", 8080)) == errno.ECONNREFUSED, "it runs on"
    for place in ("var/lib/private/postern", "var/lib/postern", "etc/postern"):
        assert not os.path.lexists(machine.tree / place), f"a purge leaves /{place}"


def priority(machine, pid):
    """The effect of LimitNICE: whether the urgent threads may have their priority, and whether Dispatch complains."""
    lines = machine.do("cat", f"/proc/{pid}/limits").splitlines()
    limit = int(next(line for line in lines if line.startswith("Max nice priority")).split()[-2])
    complaints = machine.logged(COMPLAINT)
    if limit < 24:
        assert complaints, "the journal hears nothing of Dispatch"
        return "where not even root may raise a limit, so that LimitNICE is not tried"
    assert not complaints, complaints
    return "its threads have the priority that they want"


def main(tree, package, group):
    begun = time.monotonic()
    with Machine(tree, group) as machine:
        pid = started(machine)
        booted = time.monotonic() - begun
        its_secret_is_the_credential(machine)
        nice = priority(machine, pid)
        took = stormed(machine)
        reloaded(machine, pid)
        killed(machine, pid)
        dead = stopped_dead(machine)
        drained(machine)
        wrongly_set(machine)
        assert not machine.logged("event=libwebsockets"), "the library complains"
        upgraded(machine, package)
        purged(machine)
    print(f"   active {booted:.1f} s after the start of the machine, {nice}; {CLIENTS} clients stormed it in {took:.1f} s")
    print(f"   restarted after kill -9, and when it had stood still for {dead:.1f} s; reloaded, drained, upgraded and purged")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
