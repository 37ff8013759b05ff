"""What the tests share: the descriptions that come with postern, copied beside users of the test's own."""

import shutil
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[3] / "Deploy" / "tokens"


@pytest.fixture
def description(tmp_path):
    """Copies one that comes with postern, with words replaced, into the test's folder."""

    def copy(name, *replacements):
        path = tmp_path / f"{name}.json"
        shutil.copy(TOKENS / path.name, path)
        text = path.read_text()
        for old, new in replacements:
            assert old in text, (old, text)
            text = text.replace(old, new)
        path.write_text(text)
        return str(path)

    return copy


def calls(result, kind):
    """The counts of a report's calls, with the answers that gave nothing added up."""
    tally = result["tokens"][kind]
    return {**tally, "refused": sum(tally["refused"].values()), "failed": sum(tally["failed"].values())}
