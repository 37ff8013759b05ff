"""Files that come with postern, found by name: in a checkout, and beside the program in a package."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

POSTERN = os.environ["POSTERN"]
ROOT = Path(__file__).parents[2]
WIRES = sorted(path.stem for path in (ROOT / "Deploy" / "wires").glob("*.json") if path.name != "wire.schema.json")
TOKENS = sorted(path.stem for path in (ROOT / "Deploy" / "tokens").glob("*.json") if path.name != "tokens.schema.json")


def run(program, *words, cwd):
    return subprocess.run([str(program), *words], cwd=cwd, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The program as a package installs it, below a separate prefix."""
    prefix = tmp_path_factory.mktemp("prefix")
    (prefix / "bin").mkdir()
    shutil.copy(POSTERN, prefix / "bin" / "postern")
    for name in ("wires", "tokens"):
        shutil.copytree(ROOT / "Deploy" / name, prefix / "share" / "postern" / name)
    return prefix / "bin" / "postern"


def test_an_installed_program_finds_its_descriptions_from_any_folder(installed, tmp_path):
    listed = run(installed, "wire", "list", "--names", cwd=tmp_path)
    assert listed.returncode == 0 and listed.stdout.split() == WIRES, listed
    assert run(installed, "wire", "list", "--names", "--tokens", cwd=tmp_path).stdout.split() == TOKENS
    table = run(installed, "wire", "list", cwd=tmp_path).stdout.splitlines()
    assert table[0].split()[:2] == ["NAME", "RENEWAL"] and len(table) == len(WIRES) + 1
    wires = json.loads(run(installed, "wire", "list", "--json", cwd=tmp_path).stdout)["wires"]
    assert [wire["name"] for wire in wires] == WIRES and all(wire["about"] and wire["renewal"] for wire in wires), wires
    assert all(Path(wire["path"]).parent.name == "wires" for wire in wires)
    for name in WIRES:
        checked = run(installed, "wire", "check", name, cwd=tmp_path)
        assert checked.returncode == 0, checked
        shown = run(installed, "wire", "show", name, cwd=tmp_path)
        assert shown.stdout == (ROOT / "Deploy" / "wires" / f"{name}.json").read_text(), name


def test_a_name_means_what_comes_with_postern_and_a_path_means_a_file(installed, tmp_path):
    (tmp_path / "socketio").write_text("{}")
    (tmp_path / "mine.json").write_text((ROOT / "Deploy" / "wires" / "nats.json").read_text())
    assert "socketio: " in run(installed, "wire", "check", "socketio", cwd=tmp_path).stdout
    assert "nats: " in run(installed, "wire", "check", "mine.json", cwd=tmp_path).stdout
    assert "nats: " in run(installed, "wire", "check", "./mine.json", cwd=tmp_path).stdout
    assert run(installed, "wire", "check", "./socketio", cwd=tmp_path).returncode == 2
    wrong = run(installed, "wire", "check", "sockeio", cwd=tmp_path)
    assert wrong.returncode == 2 and "did you mean 'socketio'?" in wrong.stderr and "./sockeio.json" in wrong.stderr
    wrong = run(installed, "storm", "--provider-only", "--tokens", "simplejwd", "--provider", "http://127.0.0.1:1", cwd=tmp_path)
    assert wrong.returncode == 2 and "did you mean 'simplejwt'?" in wrong.stderr


def test_a_checkout_of_the_current_folder_wins_over_what_is_installed(installed, tmp_path):
    folder = tmp_path / "Deploy" / "wires"
    folder.mkdir(parents=True)
    (folder / "nats.json").write_text((ROOT / "Deploy" / "wires" / "nats.json").read_text().replace('"name": "nats"', '"name": "changed"'))
    assert "changed: " in run(installed, "wire", "check", "nats", cwd=tmp_path).stdout
    assert "socketio: " in run(installed, "wire", "check", "socketio", cwd=tmp_path).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_offer_the_names_when_they_are_asked_for(shell):
    script = subprocess.run([POSTERN, "completions", shell], capture_output=True, text=True, timeout=30).stdout
    assert "postern wire list --names 2>/dev/null" in script and "postern wire list --names --tokens 2>/dev/null" in script
    if shutil.which(shell):
        assert subprocess.run([shell, "-n", "/dev/stdin"], input=script, capture_output=True, text=True, timeout=30).returncode == 0


def test_bash_completes_the_names_of_descriptions(installed):
    script = f"""
      PATH={installed.parent}:$PATH; cd /; eval "$(postern completions bash)"
      COMP_WORDS=(postern storm --wire sock) COMP_CWORD=3; _postern; echo "${{COMPREPLY[@]}}"
      COMP_WORDS=(postern wire check cent) COMP_CWORD=3; _postern; echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30)
    assert done.stdout.splitlines() == ["socketio", "centrifuge-v1 centrifugo"], done


def test_the_help_of_wire_try_has_its_own_flags_and_none_of_a_fleets():
    text = subprocess.run([POSTERN, "wire", "try", "--help"], capture_output=True, text=True, timeout=30).stdout
    assert "--wire FILE|NAME" in text and "--life DURATION" in text
    for flag in ("--clients", "--threshold", "--worker", "--scenario", "--report", "--sdk", "--jitter"):
        assert f"{flag} " not in text, flag
    assert "fleet" not in text and "how the storm runs" not in text
    refused = subprocess.run([POSTERN, "wire", "try", "--clients", "5"], capture_output=True, text=True, timeout=30)
    assert refused.returncode == 2 and "no flag of this command, but of postern storm" in refused.stderr


def test_the_first_line_of_a_start_is_no_warning(tmp_path):
    from gateway import Gateway

    with Gateway(loops=1) as gateway:
        gateway.logged("event=ready")
        first = gateway.log().splitlines()[0]
    assert "event=ready" in first and "level=info" in first, first


def test_a_build_of_the_sources_finds_their_descriptions_from_any_folder(tmp_path):
    program = tmp_path / "sources" / ".build" / "release" / "postern"
    program.parent.mkdir(parents=True)
    shutil.copy(POSTERN, program)
    shutil.copytree(ROOT / "Deploy" / "wires", tmp_path / "sources" / "Deploy" / "wires")
    assert run(program, "wire", "list", "--names", cwd="/").stdout.split() == WIRES
    assert run(program, "wire", "check", "socketio", cwd="/").returncode == 0


def test_a_program_without_its_descriptions_says_where_it_has_looked(tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(POSTERN, tmp_path / "bin" / "postern")
    listed = run(tmp_path / "bin" / "postern", "wire", "list", cwd="/")
    assert listed.returncode == 1 and listed.stdout == ""
    assert f"{tmp_path}/share/postern/wires" in listed.stderr and "install the package" in listed.stderr
