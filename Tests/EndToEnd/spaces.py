"""A space that a gateway hosts, as tests use it."""

from clients import api, control, request


class Space:
    """A space that clients and requests use like a gateway; ends with the `with` block."""

    def __init__(self, host, **order):
        self.host = host
        answer = control(host, "POST", "/spaces", order)
        assert answer.status == 201, answer.body
        self.made = answer.json
        self.name, self.url, self.http_url = (self.made[name] for name in ("name", "url", "http_url"))
        self.port = self.made["port"]
        self.control_url = f"{host.control_url}/spaces/{self.name}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        return request(self.host.control_url, "DELETE", f"/spaces/{self.name}", document=None)

    def token(self, user="ann", life=3600):
        """A token of the space's own provider, in the space's own time."""
        return api(self, "POST", "/v1/tokens", {"user_id": user, "life_s": life}).json["token"]

    def advance(self, seconds, **members):
        answer = control(self.host, "POST", f"/spaces/{self.name}/clock/advance", {"by_s": seconds, **members})
        assert answer.status == 200, answer.body
        return answer.json

    def clock(self):
        return control(self.host, "GET", f"/spaces/{self.name}/clock").json
