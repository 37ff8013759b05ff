"""The examples in other languages: they pass, and fail if the client has a fault, with the journal that shows it."""

import shutil
from pathlib import Path

import pytest

import kits
from kits import ends, program

EXAMPLES = Path(__file__).resolve().parents[2] / "Examples"


def javascript(folder):
    kits.install_javascript(folder)
    return ends([program("node"), "--test", "--test-reporter", "tap"], cwd=folder)


def java(folder):
    kit, classes = kits.build_java(folder / "kit"), str(folder / "classes")
    compiler = [program("javac"), "-Xlint:all,-try", "-Werror", "-cp", str(kit), "-d", classes]
    status, said = ends([*compiler, *map(str, folder.glob("*.java"))])
    assert status == 0, said
    return ends([program("java"), "-cp", f"{classes}:{kit}", "RefreshTest"])


def kotlin(folder):
    """Uses the kit for Java."""
    kit, jar = kits.build_java(folder / "kit"), str(folder / "tests.jar")
    compiler = [program("kotlinc"), "-include-runtime", "-cp", str(kit), "-d", jar]
    status, said = ends([*compiler, *map(str, folder.glob("*.kt"))])
    assert status == 0, said
    return ends([program("java"), "-cp", f"{jar}:{kit}", "RefreshTestKt"])


RUNS = {"javascript": javascript, "java": java, "kotlin": kotlin}


@pytest.fixture(params=RUNS)
def example(request, tmp_path):
    """A copy of the example, which a test may break, and the command that runs it."""
    folder = tmp_path / request.param
    shutil.copytree(EXAMPLES / request.param, folder)
    return folder, RUNS[request.param]


def test_each_test_has_a_gateway_and_passes(example):
    folder, run = example
    status, said = run(folder)
    assert status == 0, said
    assert "# pass 5" in said or said.count("ok     it ") == 5, said


def test_a_client_that_asks_for_a_token_too_many_is_found(example):
    folder, run = example
    spoilt = {
        "client.js": ('"refresh", token: await provider()', '"refresh", token: await (provider(), provider())'),
        "Client.java": ('say("refresh");', 'provider.call(); say("refresh");'),
        "Client.kt": ('runAsync { say("refresh") }', 'runAsync { provider(); say("refresh") }'),
    }
    for name, (good, bad) in spoilt.items():
        if (folder / name).exists():
            text = (folder / name).read_text()
            assert text.count(good) == 1
            (folder / name).write_text(text.replace(good, bad))
    status, said = run(folder)
    assert status == 1, said
    assert "not ok 1 - asks its provider" in said or "FAILED it asks its provider" in said, said
    # The journal of the test that failed.
    assert said.count("provider_minted") >= 3 and "refresh_requested" in said, said
