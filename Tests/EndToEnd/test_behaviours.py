"""The table of Docs/behaviours.md is complete."""

import itertools

import test_behaviours_refresh
import test_behaviours_storms
import test_behaviours_tokens
import test_behaviours_transport
from behaviours import ROWS

MODULES = (test_behaviours_refresh, test_behaviours_storms, test_behaviours_tokens, test_behaviours_transport)


def test_the_table_has_every_behaviour_and_each_is_tried_or_has_its_reason():
    assert len(ROWS) > 80
    for letter, names in itertools.groupby(ROWS, lambda name: name[0]):
        names = list(names)
        numbered = [f"{letter}{number}" for number in range(1, len(names) + 1)]
        assert names == numbered, f"the rows of {letter} in Docs/behaviours.md are not numbered from 1 on, in order"
    for name, (calls, text) in ROWS.items():
        is_tried = any(hasattr(module, f"test_{name.lower()}") for module in MODULES)
        assert is_tried == bool(calls), f"{name}: a row with calls needs test_{name.lower()} in a test_behaviours_*.py"
        assert is_tried or text.startswith("not applicable: "), name
