"""Says what the tests need and this machine does not have, before any test begins. Exit status 1 if something is missing."""

import os
import resource
import shutil
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The largest test keeps 2,000 clients and a gateway's ends of them in one process, and tables twice as long.
DESCRIPTORS = 8192
# An optimised build of the largest module beside another compiler.
MEMORY_GIB = 4
# Three builds, the environments of the suites, and their reports.
DISK_GIB = 8
PROGRAMS = {
    "curl": "curl", "git": "git", "openssl": "openssl", "chromium": "chromium", "node": "nodejs", "tsc": "node-typescript",
    "tidy": "tidy",
    "java": "default-jdk-headless", "javac": "default-jdk-headless", "kotlinc": "kotlin", "nats-server": "nats-server",
    "haproxy": "haproxy", "nginx": "nginx-light", "prometheus": "prometheus", "apache2": "apache2-bin",
}  # fmt: skip


def descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < DESCRIPTORS:
        return f"a process may open {hard} files; the tests need {DESCRIPTORS}: raise the hard limit, e.g. in /etc/security/limits.conf"


def memory():
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    available = int(fields["MemAvailable"].split()[0]) / 1024**2
    if available < MEMORY_GIB:
        return f"{available:.1f} GiB of memory are available; the builds need {MEMORY_GIB}: end other programs or add swap space"


def disk():
    free = shutil.disk_usage(ROOT).free / 1024**3
    # A later run needs less, because the builds are there.
    if free < DISK_GIB and not (ROOT / ".build/tests").is_dir():
        return f"{free:.1f} GiB are free below {ROOT}; builds and environments need {DISK_GIB}: free some space"


def loopback(address, family):
    try:
        with socket.socket(family) as listener:
            listener.bind((address, 0))
    except OSError as error:
        return f"cannot bind to {address}: {error.strerror}; the tests talk over loopback, IPv4 and IPv6"


def programs():
    # Servers are in /usr/sbin, which is not on everybody's PATH.
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    for program, package in PROGRAMS.items():
        if not shutil.which(program, path=path):
            yield f"no program '{program}': install the package {package}"


def main():
    faults = [
        descriptors(), memory(), disk(), loopback("127.0.0.1", socket.AF_INET), loopback("::1", socket.AF_INET6), *programs(),
    ]
    faults = [fault for fault in faults if fault]
    for fault in faults:
        print(f"Tests/run: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
