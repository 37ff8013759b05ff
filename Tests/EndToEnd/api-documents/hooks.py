"""Bounds what schemathesis sends, where the document allows more than a test can wait for."""

import schemathesis

WAIT_MAX_MS = 20


@schemathesis.hook
def before_call(context, case, kwargs):
    """A wait for the journal may last a minute, and most generated kinds never occur. A value above the maximum stays above
    it."""
    within = case.body.get("within_ms") if isinstance(case.body, dict) else None
    # 9824.0 is a whole number to JSON Schema.
    if isinstance(within, (int, float)) and not isinstance(within, bool) and WAIT_MAX_MS < within <= 60_000:
        case.body["within_ms"] = WAIT_MAX_MS
