"""Lines of the log that say who gave an order: the address, the key, the session."""

import re

from clients import Client, control, request
from gateway import Gateway, token
from spaces import Space

SECRET = "a control secret of this test"


def test_an_order_on_an_open_port_is_logged_with_its_address(tmp_path):
    with Gateway("--spaces", "--faults", loops=1) as gateway:
        with Client(gateway, token=token("ann")) as ann:
            ann.receive("connected")
            assert control(gateway, "POST", "/users/ann/refresh", {}).status == 200
            assert control(gateway, "POST", "/users/ann/say", {"text": "a private word"}).status == 200
            assert control(gateway, "POST", "/sessions/say", {"text": "a private word"}).json == {"sessions": 1}
        assert control(gateway, "POST", "/revocations", {"user_id": "ann"}).status == 200
        with Space(gateway, name="t1") as space:
            assert control(space, "POST", "/revocations", {"user_id": "ann"}).status == 200
            assert control(space, "POST", "/signals", {"signal": "logout", "user_id": "ann"}).status == 200
        assert control(gateway, "DELETE", "/faults").status == 200
        # Questions and refusals are no orders.
        control(gateway, "GET", "/sessions")
        assert control(gateway, "DELETE", "/faults/77").status == 404
        who = r"from=127\.0\.0\.1 key=none"
        for words in ("order=refresh user=ann", "order=say user=ann", 'order="POST /spaces"', 'order="DELETE /spaces/t1"', 'order="DELETE /faults"'):
            [line] = gateway.logged(words)
            assert re.search(who, line), line
        for line in gateway.logged("event=signal ") + gateway.logged("event=revocation", 2):
            assert re.search(who, line), line
        assert len(gateway.logged("event=revocation", 2)) == 2
        assert "/faults/77" not in gateway.log() and "/sessions" not in gateway.log()
        assert "private" not in gateway.log() and "/say" not in gateway.log()


def test_an_order_with_the_control_secret_is_logged_without_the_secret(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    with Gateway("--control-secret-file", str(secret)) as gateway:
        assert control(gateway, "POST", "/sessions/refresh", {}, SECRET).status == 200
        assert control(gateway, "POST", "/sessions/refresh", {}).status == 401
        [line] = gateway.logged("order=refresh")
        assert "from=127.0.0.1 key=control_secret" in line and SECRET not in gateway.log()


def test_an_order_of_a_dashboards_session_is_logged_with_a_name_of_the_session_and_not_its_key(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    with Gateway("--control-secret-file", str(secret)) as gateway:
        own = gateway.control_url
        origin = {"Origin": own, "X-Postern-Dashboard": "1"}
        entered = request(own, "POST", "/dashboard/login", {"secret": SECRET}, headers=origin, document=None)
        assert entered.status == 204
        cookie = entered.headers["set-cookie"].split(";")[0]
        order = {"from": 1, "before": 2}
        answer = request(own, "POST", "/horizon/spread", order, headers={**origin, "Cookie": cookie}, document=None)
        assert answer.status == 200, answer.body
        [line] = gateway.logged("order=spread")
        assert re.search(r"from=127\.0\.0\.1 key=dashboard session=[0-9a-f]{8}$", line), line
        assert cookie.split("=", 1)[1] not in gateway.log()
