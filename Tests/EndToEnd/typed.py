"""A page's commands, typed from top to bottom in one shell, on a machine of their own: a copy of the sources without a build,
the program on the PATH, and a loopback that nobody else listens on."""

import dataclasses
import fcntl
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# An indented block, with the comment above it that says why it is not typed.
BLOCK = re.compile(r"(?:<!-- not typed: (?P<reason>.+?) -->\n\n)?(?P<code>(?:^    .*\n|^\n(?=\n*    ))+)", re.MULTILINE)

# The compiler has done its work: `swift build` says where the program is.
SWIFT = """#!/bin/sh
case "$*" in "build "*--show-bin-path*) echo "{bin}" ;; "build "*) ;; *) echo "no compiler here" >&2; exit 1 ;; esac
"""


@dataclasses.dataclass
class Block:
    line: int
    code: str
    reason: str | None


def blocks(page):
    text = page.read_text()
    found = []
    for match in BLOCK.finditer(text):
        code = re.sub(r"^    ", "", match["code"], flags=re.MULTILINE).strip("\n")
        if code:
            found.append(Block(text.count("\n", 0, match.start("code")) + 1, code, match["reason"]))
    return found


class Machine:
    """A folder with the sources, a home, and the programs that a page may call beside the system's."""

    def __init__(self, folder, program, wheels):
        self.sources, self.bin, self.home = folder / "postern", folder / "bin", folder / "home"
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).exists():
                (self.sources / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.sources / name)
        self.bin.mkdir()
        self.home.mkdir()
        (self.bin / "postern").symlink_to(Path(program).resolve())
        (self.bin / "swift").write_text(SWIFT.format(bin=self.bin))
        (self.bin / "swift").chmod(0o755)
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("POSTERN", "PYTHON", "PYTEST", "END_TO_END", "VIRTUAL_ENV"))
        } | {
            "HOME": str(self.home), "PATH": f"{self.bin}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CACHE_DIR": str(self.home / "pip"),
        }  # fmt: skip

    def type(self, typed, timeout):
        """Types blocks, and returns the shell's exit status and what each block has printed. The first command that fails ends it,
        and what was started in the background ends with it."""
        script = "\n".join(["set -Eeuo pipefail", *(f"echo '-- line {block.line}'\n{block.code}" for block in typed)])
        command = ["unshare", "--user", "--map-root-user", "--net", "--pid", "--mount-proc", "--fork", "--kill-child"]
        process = subprocess.Popen(
            [*command, sys.executable, __file__, script], cwd=self.sources, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, text=True, errors="replace")
        try:
            said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            said += f"\n-- not over after {timeout} s"
        return process.returncode, said


def can_be_typed():
    """Whether the system lets this user make a machine's loopback of his own."""
    return subprocess.run(["unshare", "--user", "--map-root-user", "--net", "--pid", "--mount-proc", "--fork", "true"]).returncode == 0


def raise_loopback():
    up, get, set_ = 1, 0x8913, 0x8914
    with socket.socket() as anything:
        flags = struct.unpack("16sh", fcntl.ioctl(anything, get, struct.pack("16sh", b"lo", 0))[:18])[1]
        fcntl.ioctl(anything, set_, struct.pack("16sh", b"lo", flags | up))


if __name__ == "__main__":
    raise_loopback()
    os.execvp("bash", ["bash", "-c", sys.argv[1]])
