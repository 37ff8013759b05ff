"""The image's file is checked by hadolint, and the scripts of `Deploy` and of the package by shellcheck."""

import sys
from pathlib import Path

import pytest

from conftest import DEPLOY, fails, passes

IMAGE = "image/Dockerfile"


def tool(name):
    """A program of this suite's environment."""
    return Path(sys.executable).parent / name


def scripts():
    """Every shell script of Deploy."""
    for file in sorted(DEPLOY.rglob("*")):
        if file.is_file():
            with file.open("rb") as head:
                if head.readline().split(b"/")[-1].strip() in (b"sh", b"env bash", b"bash"):
                    yield file


def test_hadolint_finds_nothing_in_the_images_file():
    passes(tool("hadolint"), DEPLOY / IMAGE)


@pytest.mark.parametrize(
    "old, new",
    [
        ("USER 65532:65532", "USER root"), ("--no-install-recommends ", ""), ("COPY . .", "ADD . ."), ("WORKDIR /postern", "WORKDIR postern"),
        ("FROM system AS prebuilt", "FROM system AS build"), ("ENTRYPOINT [", "ENTRYPOINTS ["),
    ],
)
def test_a_broken_file_of_the_image_is_seen(copied, old, new):
    fails(tool("hadolint"), copied(IMAGE, old, new))


def test_no_script_says_what_it_does_not_mean():
    found = list(scripts())
    names = {str(file.relative_to(DEPLOY)) for file in found}
    assert {"build-release", "build-deb", "install-packages", "debian/postinst", "debian/postrm", "compose/make-secrets"} <= names
    passes(tool("shellcheck"), "-x", *found)


@pytest.mark.parametrize(
    "file, old, new",
    [
        ("debian/postinst", '[ "$1" = configure ]', '[ $1 = configure ]'), ("debian/postrm", '"$1" = purge ]', '"$1" == purge ]'),
        ("build-release", '[ -z "${SOURCE_COMMIT:-}" ]', '[ -z "${SOURCE_COMMIT:-} ]'),
    ],
)
def test_a_broken_script_is_seen(copied, file, old, new):
    fails(tool("shellcheck"), "-x", copied(file, old, new))
