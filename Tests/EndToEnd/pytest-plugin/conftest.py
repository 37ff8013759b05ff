"""The plugin runs pytest itself here, beside being used by it."""

import os

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def session(pytester, monkeypatch):
    """A pytest of its own in a folder of its own; its process knows the program."""
    monkeypatch.setenv("POSTERN", os.environ["POSTERN"])
    pytester.makefile(".ini", pytest="[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester
