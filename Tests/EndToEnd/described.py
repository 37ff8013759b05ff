"""Descriptions that come with postern, and the flags with which it serves one."""

from pathlib import Path

WIRES = Path(__file__).parents[2] / "Deploy" / "wires"
TIMES = ["--any-refresh-timeout", "--refresh-timeout", "5s", "--journal"]


def secrets(folder):
    """What stands for the secrets in the descriptions."""
    path = folder / "key"
    path.write_text("k")
    return ["--template-secret", f"app_key={path}", "--template-secret", f"apikey={path}"]


def serving(name, folder):
    return ["--wire", str(WIRES / f"{name}.json"), *secrets(folder), *TIMES]
