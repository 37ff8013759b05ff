"""The plugin runs pytest here, although pytest also uses it."""

import os

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def session(pytester, monkeypatch):
    """A separate pytest in a folder of its own; its process knows the program."""
    monkeypatch.setenv("POSTERN", os.environ["POSTERN"])
    pytester.makefile(".ini", pytest="[pytest]\naddopts = -p no:cacheprovider\n")
    return pytester
