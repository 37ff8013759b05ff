"""What a client does in each row of Docs/behaviours-of-vendors.md: a function each, whose steps the table names in its second
column and whose outcome, step by step, in one column for each vendor."""

from vendors import rows_expiry, rows_storms, rows_tokens, rows_transport

SCRIPTS = {
    name.upper(): value
    for module in (rows_expiry, rows_tokens, rows_transport, rows_storms)
    for name, value in vars(module).items()
    if name[0] in "erpvctsxh" and name[1:].isdigit()
}

# The rows that want a gateway of their own.
ALONE = {"R12", "X5", "H3"}
