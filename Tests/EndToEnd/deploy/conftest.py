"""What the checks of `Deploy` share: where it is, programs, and copies that are broken on purpose."""

import shutil
import subprocess
from pathlib import Path

import pytest

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
