"""The process of a Postern gateway."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Sequence, Type

from .control import Control
from .space import Space


_LAST_LINES = 30


class NotStarted(Exception):
    """The program is missing, or ended before it was ready; the message contains its output."""


class Gateway:
    """A process that hosts spaces: gateways, or routes to gateways elsewhere. Ends with its `with` block, and with the process
    that started it."""

    def __init__(self, control: Control, process: Optional["_Process"] = None):
        self.control = control
        self._process = process

    @classmethod
    def start(
        cls,
        *flags: str,
        program: Optional[str] = None,
        image: Optional[str] = None,
        runtime: str = "docker",
        patience: float = 30,
    ) -> "Gateway":
        """Starts a gateway on free loopback ports. `flags` are further ones of `postern serve`; `program` is the executable, else
        the variable POSTERN, else `postern` on the PATH. With `image` it is a container, started by `runtime`, `docker` or
        `podman`, on the network of this machine: every space has a port on loopback, and no secret is needed."""
        if image is not None:
            command = [_found(runtime, "give its path as runtime"), "run", "--rm", "--interactive", "--network", "host", image]
        else:
            command = [_program(program)]
        process = _Process([*command, "serve", *_SERVE], flags, patience)
        return cls(Control(process.control_url), process)

    @classmethod
    def proxy(cls, *flags: str, program: Optional[str] = None, patience: float = 30) -> "Gateway":
        """Starts a proxy on free loopback ports, whose spaces are routes to a real gateway. `flags` are further ones of
        `postern proxy`: `--to URL`, and `--i-may-proxy HOST` for each host that is not this machine."""
        process = _Process([_program(program), "proxy", *_PROXY], flags, patience)
        return cls(Control(process.control_url), process)

    @classmethod
    def at(cls, control_url: str, secret: Optional[str] = None) -> "Gateway":
        """Connects to a running gateway, started with `--spaces`."""
        return cls(Control(control_url, secret))

    def space(
        self,
        *,
        name: Optional[str] = None,
        upstream: Optional[str] = None,
        settings: Optional[Mapping[str, Any]] = None,
        frozen: bool = False,
        seed: Optional[int] = None,
        idle_s: Optional[float] = None,
        port: int = 0,
        wall: Optional[str] = None,
    ) -> Space:
        """Creates a space. `wall` is its initial time of day: "2000-01-01T00:00:00Z". `settings` are options of `postern serve`:
        {"refresh-timeout": "2s", "any-refresh-timeout": True}. At a proxy, `upstream` is the gateway that the route leads to
        (default: that of `--to`), and `settings` are options of `postern proxy`: {"wire": "centrifugo"}."""
        order: Dict[str, Any] = {
            "name": name, "upstream": upstream, "settings": settings, "seed": seed, "idle_s": idle_s, "wall": wall,
        }
        order = {name: value for name, value in order.items() if value is not None}
        made = self.control.post("/spaces", {**order, "frozen": frozen, "port": port})
        return Space(self.control, made)

    def log(self) -> str:
        """Returns the standard error of the process; empty for one that was not started here."""
        return self._process.log() if self._process else ""

    def obituary(self) -> Optional[str]:
        """Describes how the process ended, with its last output; None while it runs, and for one that was not started here."""
        return self._process.obituary() if self._process else None

    def stop(self) -> None:
        """Shuts the process down. One that was not started here goes on."""
        if self._process:
            self._process.stop()

    def __enter__(self) -> "Gateway":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()


_PROXY = ["--spaces", "--end-with-input", "--port", "0", "--control-port", "0"]
_SERVE = [*_PROXY, "--drain-window", "0s"]


class _Process:
    """The process `postern serve` or `postern proxy`. It ends when our end of its standard input closes: with this process,
    however that ends."""

    def __init__(self, program: Sequence[str], flags: Sequence[str], patience: float):
        command = [*program, *flags]
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True
        )
        assert self._process.stdout is not None
        timer = threading.Timer(patience, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        # The proxy's lines are for people: ready, control, and others.
        while line.startswith(b"ready "):
            line = self._process.stdout.readline()
        timer.cancel()
        if not line:
            self._process.wait()
            self._close()
            raise NotStarted(f"{' '.join(command)} ended with {self._process.returncode}:\n{self.log()}")
        try:
            self.control_url = _control_url(line)
        except ValueError:
            self._process.kill()
            self._process.wait()
            self._close()
            raise NotStarted(f"{command[0]} printed {line[:200]!r} in place of the ready line; is it postern?") from None

    def log(self) -> str:
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def obituary(self) -> Optional[str]:
        with contextlib.suppress(subprocess.TimeoutExpired):
            # A process whose connections have just broken may end in a moment.
            self._process.wait(timeout=0.2)
        if self._process.returncode is None:
            return None
        last = "\n".join(self.log().splitlines()[-_LAST_LINES:])
        return f"postern ended with {self._process.returncode} (below 0: by that signal); it said last:\n{last}"

    def stop(self) -> None:
        self._close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def _control_url(line: bytes) -> str:
    """Returns the address in the ready line of `serve` or in the line of `proxy` about its control port."""
    found = re.match(rb"control +(http://[^;\s]+)", line)
    return found[1].decode() if found else str(json.loads(line)["control_url"])


def _program(named: Optional[str]) -> str:
    return _found(named or os.environ.get("POSTERN") or "postern", "give its path, set POSTERN, or have postern on the PATH")


def _found(program: str, otherwise: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise NotStarted(f"no program {program!r}: {otherwise}")
    return found
