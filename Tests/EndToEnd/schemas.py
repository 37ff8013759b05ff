"""A JSON Schema that editors use to check descriptions, and the descriptions that it is for."""

import json

import json5
from jsonschema import Draft202012Validator


class DescriptionSchema:
    """The schema in a folder, beside the descriptions that come with postern."""

    def __init__(self, folder, name):
        self.schema = json.loads((folder / name).read_text())
        self.shipped = sorted(path for path in folder.glob("*.json") if path.name != name)

    def check(self):
        """Fails if it is not a valid schema."""
        Draft202012Validator.check_schema(self.schema)

    def validate(self, path):
        Draft202012Validator(self.schema).validate(json5.loads(path.read_text()))

    def tells_apart(self, good, change):
        """Whether it accepts the description, and rejects the one with that mistake."""
        validator = Draft202012Validator(self.schema)
        return validator.is_valid(good) and not validator.is_valid(good | change)
