"""The table of Docs/behaviours-of-vendors.md: what stands in it, what really comes, and how it is made anew:
`POSTERN=… python -m vendors.table` in this folder's parent tries every row and writes its outcome where it is not as it stands."""

import concurrent.futures
import re
import sys
from pathlib import Path

from behaviours import DOCUMENT, ROWS
from gateway import Gateway
from vendors.rows import ALONE, SCRIPTS
from vendors.walk import Alone, Walk
from vendors.wires import WIRES

VENDORS = DOCUMENT.with_name("behaviours-of-vendors.md")
HEAD = "| Id | The client |"
# They wait more than they work, but the times of their storms are short.
AT_ONCE = 6


class Cell:
    """What the table says of one row in one wire: calls of its own, if it has some, and the outcome; or why there is none."""

    def __init__(self, row, text):
        self.is_tried = not text.startswith("not applicable: ")
        own = re.findall(r"`([^`]+)`", text) if self.is_tried else []
        self.calls = own or ROWS[row][0]
        self.prefix = "".join(f"`{call}` " for call in own)
        self.text = text
        self.outcome = text.removeprefix(self.prefix)


def cells():
    """By row and wire; and the steps of each row."""
    found, steps = {}, {}
    for line in VENDORS.read_text().splitlines():
        row, *rest = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if row in ROWS:
            steps[row], *outcomes = rest
            found.update({(row, wire): Cell(row, text) for wire, text in zip(WIRES, outcomes, strict=True)})
    return found, steps


def walk(host, row, wire, cell, is_new=False):
    """What the client of that wire does in this row: its steps, and what comes of them."""
    expected = None if is_new else cell.outcome.split("; ")
    kind = Alone if row in ALONE else Walk
    walk = kind(host, list(cell.calls), WIRES[wire], expected)
    try:
        SCRIPTS[row](walk)
    except IndexError as error:
        if is_new or len(walk.steps) < len(expected):
            raise
        walk.step("more steps than the table has", repr(error))
    finally:
        try:
            walk.end()
        except AssertionError:
            # What has failed before says more.
            if not is_new and walk.heard == expected:
                raise
    return "; ".join(walk.steps), "; ".join(walk.heard)


def main(only):
    found, steps = cells()
    with Gateway("--spaces", loops=1) as host, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = {
            (row, wire): pool.submit(walk, host, row, wire, cell, is_new=True)
            for (row, wire), cell in found.items() if cell.is_tried and (not only or row in only or wire in only)
        }
        for (row, wire), job in jobs.items():
            try:
                done, outcome = job.result()
            except Exception as error:
                print(row, wire, repr(error)[:500])
                continue
            if steps[row] == "?" or wire == "sinch":
                steps[row] = done
            if outcome != found[row, wire].outcome:
                print(row, wire, f"{found[row, wire].outcome} -> {outcome}")
            found[row, wire].text = found[row, wire].prefix + outcome
    lines = VENDORS.read_text().splitlines()
    for number, line in enumerate(lines):
        row = line.strip("| ").split(" | ")[0].strip()
        if row in ROWS:
            lines[number] = f"| {' | '.join([row, steps[row], *(found[row, wire].text for wire in WIRES)])} |"
    VENDORS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
