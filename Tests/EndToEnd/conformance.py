"""What `postern ctl conform` prints, as tests read it."""

WORDS = ("passed", "failed", "undecided", "not applicable")


def chosen(behaviours):
    """The flags that select these behaviours."""
    return [part for name in behaviours for part in ("--only", name)]


def verdicts(done):
    """The verdict of each behaviour, read from the table of a finished run."""
    rows = done.stdout.split("\n\n")[0].splitlines()[1:]
    return {row.split()[0]: next(word for word in WORDS if f"  {word}" in row) for row in rows}
