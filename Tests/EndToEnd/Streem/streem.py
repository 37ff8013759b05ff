"""A gateway with a Streem platform, its clients, and the documents that every exchange is checked against."""

import documents
from builders import Key
from clients import control, request
from documented_socket import DocumentedSocket
from websockets.exceptions import ConnectionClosed

SOCKET = documents.SocketDocument("streem-asyncapi.yaml")
HTTP = documents.HTTPDocument("streem-openapi.yaml")


def make_key(gateway, **order):
    """An API key that the control port hands out."""
    answer = control(gateway, "POST", "/streem/api-keys", order)
    assert answer.status == 201, answer.body
    return Key(answer.json)


def api(gateway, method, path, body=None, token=None, key=None, **options):
    """Streem's HTTP side: `token` as Bearer, or an API key as Basic."""
    headers = options.pop("headers", {})
    if key is not None:
        import base64

        credentials = base64.b64encode(f"{key.id}:{key.secret}".encode()).decode()
        headers = headers | {"Authorization": f"Basic {credentials}"}
    return request(gateway.http_url, method, path, body, token, headers=headers, document=HTTP, **options)


class Client(DocumentedSocket):
    """One connection. Every message is checked against the document."""

    document, path = SOCKET, "/streem/v1/connect"

    def ask(self, kind, **members):
        self.send(kind, **members)
        return self.receive()

    def identify(self, token, **members):
        return self.ask("identify", token=token, **members)

    def until_closed(self):
        """Code and reason of the gateway's close frame, and the messages before it."""
        messages = []
        try:
            while True:
                messages.append(self.receive())
        except ConnectionClosed as end:
            assert end.rcvd is not None, "the connection ended without a close frame"
            return end.rcvd.code, end.rcvd.reason, messages
