"""What the checks of `Deploy` share: where it is, programs, and copies that are broken on purpose."""

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest

from ports import free_port

DEPLOY = Path(__file__).resolve().parents[3] / "Deploy"


def program(name):
    """The path of a Debian program, in the administrator's folders too."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    assert found, f"no {name}; Deploy/install-packages tests installs it"
    return found


def run(*command, **options):
    """The program's output on both streams, and its exit status."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, **options)
    return done.returncode, done.stdout


def passes(*command, **options):
    status, said = run(*command, **options)
    assert status == 0, said
    return said


def fails(*command, **options):
    status, said = run(*command, **options)
    assert status != 0, f"nobody minds: {said}"
    return said


@contextlib.contextmanager
def redis_server(conf, secrets, folder):
    """A Redis server with that configuration of a container, but on loopback and a free port, with its secrets and files in
    these folders. Gives the port."""
    port = free_port()
    places = {"bind * -::*": "bind 127.0.0.1", "tls-port 6379": f"tls-port {port}", "/run/secrets/redis": secrets, "/data": folder}
    for old, new in places.items():
        assert old in conf, f"no {old} in the configuration"
        conf = conf.replace(old, str(new))
    file = Path(folder) / "here.conf"
    file.write_text(conf)
    server = subprocess.Popen([program("redis-server"), file], stdout=subprocess.PIPE, text=True)
    try:
        while "Ready to accept connections" not in (line := server.stdout.readline()):
            assert line, "the server has ended"
        yield port
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def copied(tmp_path):
    """Copies a file or a folder of Deploy, and replaces `old` by `new` in one file of it."""

    def copy(source, old, new, file=None):
        path = tmp_path / Path(source).name
        if (DEPLOY / source).is_dir():
            shutil.copytree(DEPLOY / source, path)
        else:
            shutil.copy(DEPLOY / source, path)
        broken = path / file if file else path
        text = broken.read_text()
        assert old in text, f"{broken.name} has no {old!r} to break"
        broken.write_text(text.replace(old, new, 1))
        return path

    return copy
