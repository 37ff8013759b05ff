"""The descriptions that come with postern, and the flags for serving one."""

import re
from pathlib import Path

WIRES = Path(__file__).parents[2] / "Deploy" / "wires"
TIMES = ["--any-refresh-timeout", "--refresh-timeout", "5s", "--journal"]


def secrets(folder):
    """The values of the secrets in the descriptions."""
    path = folder / "key"
    path.write_text("k")
    return ["--template-secret", f"app_key={path}", "--template-secret", f"apikey={path}"]


def serving(name, folder):
    return ["--wire", str(WIRES / f"{name}.json"), *secrets(folder), *TIMES]


def hasty(name, folder):
    """The description with a reconnect delay of at most a second, for clients that are refused repeatedly."""
    path = folder / f"{name}.json"
    text, count = re.subn(
        r'"comeback": \{ "first": "[^"]+", "factor": [\d.]+, "cap": "[^"]+"', '"comeback": { "first": "100ms", "factor": 2, "cap": "1s"',
        (WIRES / f"{name}.json").read_text())
    assert count == 1, name
    path.write_text(text)
    return str(path)
