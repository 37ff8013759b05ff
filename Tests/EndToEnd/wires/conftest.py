"""What the tests share: the secret that clients mint with and servers check with, and the descriptions."""

from pathlib import Path

import pytest
from servers import SECRET

WIRES = Path(__file__).parents[3] / "Deploy" / "wires"


@pytest.fixture(scope="session")
def secret_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("secret") / "secret"
    path.write_text(SECRET)
    return str(path)


@pytest.fixture(scope="session")
def wires():
    return WIRES
