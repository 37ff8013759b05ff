"""The statements of Docs/behaviours-of-vendors.md about four vendors' wires are what their clients receive."""

import pytest

from at_once import working
from behaviours import ROWS, host  # noqa: F401
from vendors import table
from vendors.rows import SCRIPTS
from vendors.walk import Walk
from vendors.wires import WIRES

CELLS, STEPS = table.cells()
TRIED = [key for key, cell in CELLS.items() if cell.is_tried]
# Cases where a message of the wire itself proves that a feature is missing.
WITHOUT = [
    (row, wire) for (row, wire), cell in CELLS.items()
    if not cell.is_tried and any('"what": "reply:refresh"' in call or '"what": "command"' in call for call in ROWS[row][0])
]


@pytest.fixture(scope="module")
def walks(host, request):
    """All selected rows, some at the same time."""

    def walk(row, wire):
        return table.walk(host, row, wire, CELLS[row, wire])

    with working(request, test_a_vendors_client_gets_what_the_table_says, walk, table.AT_ONCE) as walks:
        yield walks


def test_every_row_has_a_cell_for_every_wire_that_is_tried_or_has_its_reason():
    assert list(STEPS) == [row for row, (calls, _) in ROWS.items() if calls]
    assert {row for row, _ in TRIED} == set(SCRIPTS)
    for (row, wire), cell in CELLS.items():
        assert cell.outcome and cell.outcome != "?", (row, wire)


@pytest.mark.parametrize("row, wire", TRIED)
def test_a_vendors_client_gets_what_the_table_says(walks, request, row, wire):
    steps, outcome = walks[request.node.callspec.id].result()
    assert outcome == CELLS[row, wire].outcome
    assert steps == STEPS[row] or wire != "sinch"


@pytest.mark.parametrize("row, wire", WITHOUT)
def test_a_behaviour_that_is_not_applicable_affects_no_client(host, row, wire):
    walk = Walk(host, [call for call in ROWS[row][0] if not call.startswith("space")], WIRES[wire])
    peer = walk.enters()
    walk.call(len(walk.calls))
    peer = walk.renews(peer)
    walk.pings(peer)
    assert walk.count("faulted") == 0
    walk.end()
