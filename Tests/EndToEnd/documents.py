"""The API documents. Messages on the wire are checked against their schemas."""

import json
import re
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parent.parent.parent / "Deploy" / "api"


def load(name):
    return yaml.safe_load((FOLDER / name).read_text())


def validator(schema, document):
    return Draft202012Validator({**schema, "components": document["components"]})


# By name. Processes that share the tests merge what they have seen by these names.
ALL = {}


def dump(file):
    """Writes what has been seen."""
    seen = {name: sorted(map(list, document.seen)) if isinstance(document, HTTPDocument) else sorted(document.seen)
            for name, document in ALL.items()}
    file.write_text(json.dumps(seen))


def load_seen(file):
    """Takes over what another process has seen."""
    for name, seen in json.loads(file.read_text()).items():
        ALL[name].seen.update(map(tuple, seen) if isinstance(ALL[name], HTTPDocument) else seen)


class SocketDocument:
    """asyncapi.yaml, or that of a vendor's dialect."""

    def __init__(self, name="asyncapi.yaml"):
        ALL[name] = self
        self.document = load(name)
        schemas = self.document["components"]["schemas"]
        self.validators = {
            name: validator(schemas[name], self.document) for name in self.document["components"]["messages"]
        }
        operations = self.document["operations"].values()
        names = lambda refs: {ref["$ref"].split("/")[-1] for ref in refs}
        self.from_client = set().union(*(names(o["messages"]) for o in operations if o["action"] == "receive"))
        self.from_gateway = set(self.validators) - self.from_client
        self.close_codes = {entry["code"]: entry for entry in self.document.get("x-close-codes", [])}
        self.seen = set()

    def check(self, message, allowed):
        """`message` is one of the documented messages that `allowed` may send, and matches its schema."""
        kind = message["type"]
        assert kind in allowed, f"{kind} is not documented for this direction"
        self.validators[kind].validate(message)
        self.seen.add(kind)


class HTTPDocument:
    """openapi.yaml or control.yaml."""

    def __init__(self, name):
        ALL[name] = self
        self.document = load(name)
        self.paths = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"), path, item)
            for path, item in self.document["paths"].items()
        ]
        # A literal path wins over one with a parameter.
        self.paths.sort(key=lambda entry: entry[1].count("{"))
        self.seen = set()

    def operation(self, method, path):
        for pattern, template, item in self.paths:
            if pattern.match(path) and method.lower() in item:
                return template, item[method.lower()]
        return None, None

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for name in node["$ref"][2:].split("/"):
                target = target[name]
            node = target
        return node

    def check(self, method, path, request_body, answer):
        """Checks the exchange against the document: the answer always, the request if it was accepted."""
        template, operation = self.operation(method, path)
        if operation is None:
            assert answer.status in (404, 405), f"{method} {path} is not documented"
            return
        assert str(answer.status) in operation["responses"], f"{method} {template} may not answer {answer.status}"
        self.seen.add((method, template, answer.status))
        if answer.status < 400 and request_body is not None:
            body = self.resolve(operation["requestBody"])
            validator(body["content"]["application/json"]["schema"], self.document).validate(request_body)
        response = self.resolve(operation["responses"][str(answer.status)])
        for name, header in response.get("headers", {}).items():
            assert name.lower() in answer.headers or not header.get("required"), f"{name} is missing"
            if name.lower() in answer.headers:
                validator(header["schema"], self.document).validate(answer.headers[name.lower()])
        for media_type, content in response.get("content", {}).items():
            assert answer.headers["content-type"].split(";")[0] == media_type
            if media_type == "application/json":
                validator(content["schema"], self.document).validate(answer.json)


SOCKET = SocketDocument()
HTTP = HTTPDocument("openapi.yaml")
CONTROL = HTTPDocument("control.yaml")
