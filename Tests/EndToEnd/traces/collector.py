"""A collector of traces on loopback. It parses each body with the messages of `opentelemetry-proto`, and keeps the spans."""

import base64
import http.server
import json
import threading
import time

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

ID_FIELDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_base64_ids(value):
    """OTLP's JSON has numbers of traces and spans in hexadecimal, and protobuf's own JSON wants base64."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for name, item in value.items():
        if name in ID_FIELDS:
            assert item == item.lower() and len(item) == 2 * ID_FIELDS[name], item
            changed[name] = base64.b64encode(bytes.fromhex(item)).decode()
        else:
            changed[name] = with_base64_ids(item)
    return changed


def parse(body):
    """The request of a body. Unknown members, enumerations by name and other mistakes raise."""
    return ParseDict(with_base64_ids(json.loads(body)), ExportTraceServiceRequest())


class Span:
    def __init__(self, message, service):
        self.trace, self.id, self.parent = message.trace_id.hex(), message.span_id.hex(), message.parent_span_id.hex()
        self.name, self.kind, self.service = message.name, message.kind, service
        self.state, self.flags = message.trace_state, message.flags
        self.start, self.end = message.start_time_unix_nano, message.end_time_unix_nano
        self.links = [(link.trace_id.hex(), link.span_id.hex()) for link in message.links]
        self.failed = message.status.code == 2
        self.attributes = {
            one.key: getattr(one.value, one.value.WhichOneof("value")) for one in message.attributes}
        assert len(self.attributes) == len(message.attributes), "an attribute twice"

    def __repr__(self):
        return f"<{self.name} {self.trace[:6]}/{self.id[:6]} below {self.parent[:6] or '-'} {self.attributes}>"


class Collector:
    """Answers with `status`, `headers` and `body`, or never if `hangs` is set."""

    def __init__(self, port=0):
        self.status, self.headers, self.body, self.hangs = 200, {}, b'{"partialSuccess":{}}', threading.Event()
        self.bodies, self.times, self.requests = [], [], []
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with outer.lock:
                    outer.bodies.append(body)
                    outer.times.append(time.monotonic())
                    outer.requests.append((self.path, dict(self.headers)))
                    status, headers, answer = outer.status, dict(outer.headers), outer.body
                if outer.hangs.is_set():
                    time.sleep(30)
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def say(self, status=200, body=b'{"partialSuccess":{}}', **headers):
        with self.lock:
            self.status, self.body = status, body
            self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    @property
    def spans(self):
        with self.lock:
            bodies = list(self.bodies)
        spans = []
        for body in bodies:
            for resource in parse(body).resource_spans:
                names = {one.key: one.value.string_value for one in resource.resource.attributes}
                assert names["service.version"]
                for scope in resource.scope_spans:
                    spans += [Span(message, names["service.name"]) for message in scope.spans]
        return spans

    def named(self, name, count=1, patience=60):
        """The spans of that name, once there are `count` of them."""
        deadline = time.monotonic() + patience
        while len(found := [span for span in self.spans if span.name == name]) < count:
            assert time.monotonic() < deadline, (name, self.spans)
            time.sleep(0.05)
        return found

    def text(self):
        with self.lock:
            return b"\n".join(self.bodies).decode()
