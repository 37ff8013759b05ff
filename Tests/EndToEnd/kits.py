"""The kits, built into the packages that a tool of their language installs."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

KITS = Path(__file__).resolve().parents[2] / "Kits"


def program(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here: Deploy/install-packages tests")
    return found


def ends(command, **options):
    """Runs a command to its end. Returns its exit status and its output."""
    outcome = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=600, **{"env": dict(os.environ)} | options)
    return outcome.returncode, outcome.stdout + outcome.stderr


def made(command, **options):
    """Runs a command that must succeed. Returns its output."""
    status, said = ends(command, **options)
    assert status == 0, f"{command}: {said}"
    return said


def copy(kit, folder):
    """The sources of a kit, without earlier build results."""
    ignored = shutil.ignore_patterns("build", "dist", "*.egg-info", "node_modules", "__pycache__") if kit == "python" else None
    return shutil.copytree(KITS / kit, folder, ignore=ignored)


def build_python(folder):
    """The wheel and the source distribution."""
    sources = copy("python", folder / "python")
    made([shutil.which("python3"), "-m", "venv", folder / "builder"])
    made([folder / "builder/bin/pip", "install", "-q", "build==1.3.0"])
    made([folder / "builder/bin/python", "-m", "build", "--outdir", folder / "dist", sources])
    [wheel], [archive] = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return wheel, archive


def build_javascript(folder):
    """npm's archive, written to a folder outside the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = json.loads(made([program("npm"), "pack", "--json", "--offline", KITS / "javascript"], cwd=folder))
    return folder / packed[0]["filename"]


def install_javascript(project):
    """Installs the archive into a project, without any registry."""
    archive = build_javascript(project / "kit")
    made([program("npm"), "install", "--offline", "--no-audit", "--no-fund", "--save-dev", archive], cwd=project)


def build_java(folder):
    """The jar, with its pom inside."""
    program("javac")
    return Path(made([KITS / "java/build", folder]).strip().splitlines()[-1])
