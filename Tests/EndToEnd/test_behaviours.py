"""The table of Docs/behaviours.md is complete."""

import test_behaviours_refresh
import test_behaviours_storms
import test_behaviours_tokens
import test_behaviours_transport
from behaviours import IDS, ROWS

MODULES = (test_behaviours_refresh, test_behaviours_storms, test_behaviours_tokens, test_behaviours_transport)


def test_the_table_has_every_behaviour_and_each_is_tried_or_has_its_reason():
    assert list(ROWS) == IDS
    for name, (calls, text) in ROWS.items():
        is_tried = any(hasattr(module, f"test_{name.lower()}") for module in MODULES)
        assert is_tried == bool(calls), name
        assert is_tried or text.startswith("not applicable: "), name
