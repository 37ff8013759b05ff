"""The kits as packages: built, installed from the packages alone, and used by a project outside the sources."""

import os
import shutil
import tarfile
import zipfile
from xml.etree import ElementTree

import pytest

import kits
from kits import ends, made, program

# A container runtime that runs the program directly, and records its arguments.
RUNTIME = """#!/bin/sh
echo "$@" > "{folder}/asked"
while [ "$1" != postern:1.0 ]; do shift; done
shift
exec "{program}" "$@"
"""


@pytest.fixture
def runtime(tmp_path):
    """It is on the PATH as `docker`."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    file = folder / "docker"
    file.write_text(RUNTIME.format(folder=folder, program=os.environ["POSTERN"]))
    file.chmod(0o755)
    return folder


def beside(runtime):
    """An environment in which a gateway can only come from an image."""
    environment = {name: value for name, value in os.environ.items() if name not in ("POSTERN", "PYTHONPATH", "PYTEST_ADDOPTS")}
    return environment | {"PATH": f"{runtime}:{os.environ['PATH']}"}


PYTHON_TEST = """
def test_a_token_is_minted_and_told(postern_space):
    mark = postern_space.journal.mark()
    postern_space.token("ann")
    assert postern_space.journal.count("provider_minted", user="ann", after=mark) == 1
"""


@pytest.fixture(scope="module")
def python_files(tmp_path_factory):
    return kits.build_python(tmp_path_factory.mktemp("python"))


@pytest.mark.parametrize("index", [0, 1], ids=["wheel", "sdist"])
def test_the_python_kit_is_installed_from_a_file_and_starts_the_program_and_the_image(python_files, index, tmp_path, runtime):
    project = tmp_path / "project"
    made([shutil.which("python3"), "-m", "venv", project])
    made([project / "bin/pip", "install", "-q", python_files[index], "pytest"])
    (project / "test_it.py").write_text(PYTHON_TEST)
    for more in ([], ["--postern-image", "postern:1.0"]):
        environment = beside(runtime) | ({} if more else {"POSTERN": os.environ["POSTERN"]})
        status, said = ends([project / "bin/pytest", "test_it.py", *more], cwd=project, env=environment)
        assert status == 0 and "1 passed" in said, said
    assert (runtime / "asked").read_text().startswith("run --rm --interactive --network host postern:1.0 serve --spaces ")


def test_the_python_files_have_the_package_its_types_and_nothing_else(python_files):
    wheel, archive = python_files
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert "postern_testing/py.typed" in inside and {name.split("/")[0] for name in inside} == {"postern_testing"}
    with tarfile.open(archive) as files:
        names = {name.split("/", 1)[1] for name in files.getnames() if "/" in name}
    assert {"pyproject.toml", "README.md", "postern_testing/py.typed"} <= names


JAVASCRIPT_TEST = """
import assert from "node:assert/strict";
import { it } from "node:test";
import { Postern } from "postern-testing";

it("mints a token and tells so", async () => {
  const postern = await Postern.start({ image: process.env.IMAGE });
  const space = await postern.space();
  const mark = await space.mark();
  await space.token("ann");
  assert.equal((await space.happens("provider_minted", { user: "ann", after: mark })).length, 1);
  await space.end();
  await postern.stop();
});
"""


def test_the_javascript_kit_is_installed_from_a_file_and_starts_the_program_and_the_image(tmp_path, runtime):
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text('{"name": "outside", "private": true, "type": "module"}')
    (project / "it.test.js").write_text(JAVASCRIPT_TEST)
    kits.install_javascript(project)
    for more in ({"POSTERN": os.environ["POSTERN"]}, {"IMAGE": "postern:1.0"}):
        status, said = ends([program("node"), "--test", "--test-reporter", "tap", "it.test.js"], cwd=project, env=beside(runtime) | more)
        assert status == 0 and "# pass 1" in said, said
    assert (runtime / "asked").read_text().startswith("run --rm --interactive --network host postern:1.0 serve --spaces ")


def test_the_javascript_kit_passes_its_own_tests():
    status, said = ends([program("node"), "--test", "--test-reporter", "tap"], cwd=kits.KITS / "javascript")
    assert status == 0 and "# pass 4" in said, said


def test_the_types_of_the_javascript_kit_are_what_it_has(tmp_path):
    kits.install_javascript(tmp_path)
    use = """
import { Postern, withSpace } from "postern-testing";
const postern: Postern = await Postern.start({ flags: ["--faults"] });
const space = await postern.space({ settings: { "refresh-timeout": "90s" } });
const lines = await space.happens("refreshed", { user: "ann" });
const first: number = lines[0].n + (await space.mark());
withSpace(() => postern, {}, async (one) => { await one.end(); });
export { first };
"""
    (tmp_path / "use.mts").write_text(use)
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16"]
    made([program("tsc"), *options, "use.mts"], cwd=tmp_path)
    (tmp_path / "use.mts").write_text(use.replace("{ user: ", "{ usr: "))
    status, said = ends([program("tsc"), *options, "use.mts"], cwd=tmp_path)
    assert status != 0 and "usr" in said, said
    listed = "import * as kit from 'postern-testing'; const own = (thing) => Object.getOwnPropertyNames(thing);\n" \
        "console.log(Object.keys(kit).sort().join(' '), own(kit.Space.prototype).join(' '), own(new kit.Space('', {})).join(' '))"
    there = made([program("node"), "--input-type=module", "-e", listed], cwd=tmp_path).split()
    types = (kits.KITS / "javascript/index.d.ts").read_text()
    assert [name for name in there if name not in types and name not in ("constructor", "control")] == []


JAVA_TEST = """
import java.util.Map;
import postern.testing.Postern;

final class Outside {
  public static void main(String[] words) throws Exception {
    try (var postern = words.length == 0 ? Postern.start() : Postern.startImage(words[0]); var space = postern.space(Map.of())) {
      var mark = space.mark();
      space.token("ann", 60);
      space.happens("provider_minted", "ann", mark);
      System.out.println(space.journal("provider_minted", "ann", mark).size() + " minted");
    }
  }
}
"""

KOTLIN_TEST = """
import postern.testing.Postern

fun main(words: Array<String>) {
    val postern = if (words.isEmpty()) Postern.start() else Postern.startImage(words[0])
    val space = postern.space(emptyMap<String, Any>())
    val mark = space.mark()
    space.token("ann", 60)
    space.happens("provider_minted", "ann", mark)
    println("${space.journal("provider_minted", "ann", mark).size} minted")
    space.close()
    postern.close()
}
"""


@pytest.mark.parametrize("language", ["java", "kotlin"])
def test_the_java_kit_is_used_from_its_jar_and_starts_the_program_and_the_image(language, tmp_path, runtime):
    jar = kits.build_java(tmp_path / "kit")
    if language == "java":
        (tmp_path / "Outside.java").write_text(JAVA_TEST)
        made([program("javac"), "-cp", jar, "-d", tmp_path / "classes", tmp_path / "Outside.java"])
        command = [program("java"), "-cp", f"{tmp_path / 'classes'}:{jar}", "Outside"]
    else:
        (tmp_path / "outside.kt").write_text(KOTLIN_TEST)
        made([program("kotlinc"), "-include-runtime", "-cp", jar, "-d", tmp_path / "outside.jar", tmp_path / "outside.kt"])
        command = [program("java"), "-cp", f"{tmp_path / 'outside.jar'}:{jar}", "OutsideKt"]
    for words, more in ([], {"POSTERN": os.environ["POSTERN"]}), (["postern:1.0"], {}):
        status, said = ends([*command, *words], env=beside(runtime) | more)
        assert status == 0 and "1 minted" in said, said
    assert (runtime / "asked").read_text().startswith("run --rm --interactive --network host postern:1.0 serve --spaces ")


def test_the_jar_has_the_pom_that_maven_installs_it_by(tmp_path):
    jar = kits.build_java(tmp_path)
    with zipfile.ZipFile(jar) as inside:
        pom = ElementTree.fromstring(inside.read("META-INF/maven/postern/postern-testing/pom.xml"))
        properties = inside.read("META-INF/maven/postern/postern-testing/pom.properties").decode().splitlines()
    name = "{http://maven.apache.org/POM/4.0.0}"
    told = [f"{key}={pom.findtext(name + key)}" for key in ("groupId", "artifactId", "version")]
    assert properties == told == ["groupId=postern", "artifactId=postern-testing", "version=0.1.0"]
    folder = tmp_path / "repository/postern/postern-testing/0.1.0"
    assert sorted(file.name for file in folder.iterdir()) == [
        "postern-testing-0.1.0-sources.jar", "postern-testing-0.1.0.jar", "postern-testing-0.1.0.pom"]
