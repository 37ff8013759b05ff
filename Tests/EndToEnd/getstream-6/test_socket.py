"""Stream's own WebSocket client connects, stays, reconnects, and reads why it is refused."""

import asyncio
import time

import pytest
from conftest import KEY, Listener, server
from getstream.video.rtc.coordinator.errors import StreamWSAuthError

from gateway import SECRET, Gateway
import jwt


def run(body):
    return asyncio.run(body)


def mint(user="ann", secret=SECRET, **claims):
    return jwt.encode({"user_id": user, **claims}, secret, algorithm="HS256")


def refusal(gateway, **options):
    """The error with which a client of these parameters is refused."""

    async def body():
        async with Listener(gateway, **options) as listener:
            with pytest.raises(StreamWSAuthError):
                await listener.connect()
            [event] = listener.events
            assert event["type"] == "connection.error" and event["connection_id"] == ""
            assert isinstance(event["created_at"], int)
            error = event["error"]
            assert {"code", "message", "StatusCode", "duration", "more_info", "details"} <= set(error)
            return error

    return run(body())


def test_a_client_connects_and_is_told_its_user(gateway):
    async def body():
        async with Listener(gateway, details={"id": "zoe", "name": "Zoë", "custom": {"a": [1]}}) as listener:
            first = await listener.connect()
            assert first["type"] == "connection.ok"
            assert len(first["connection_id"]) == 36
            assert abs(first["created_at"] / 1e9 - time.time()) < 60
            assert first["me"]["id"] == "zoe" and first["me"]["name"] == "Zoë"
            assert first["me"]["custom"] == {"a": [1]} and first["me"]["role"] == "user"

    run(body())


def test_every_keep_alive_is_answered(gateway):
    async def body():
        async with Listener(gateway, healthcheck_interval=0.1, healthcheck_timeout=30) as listener:
            first = await listener.connect()
            for check in await listener.until("health.check", 5):
                assert check["connection_id"] == first["connection_id"]
                assert isinstance(check["created_at"], int) and check["cid"] == "*"
            assert listener.socket.connected

    run(body())


def test_at_expiry_it_hears_40_comes_back_after_a_second_and_with_the_same_token_gives_up(gateway):
    async def body():
        token = mint(exp=int(time.time()) + 10)
        async with Listener(gateway, token=token) as listener:
            first = await listener.connect()
            [asked, refused] = await listener.until("connection.error", 2)
            assert asked["connection_id"] == first["connection_id"] and refused["connection_id"] == ""
            for event in (asked, refused):
                assert event["error"]["code"] == 40 and event["error"]["StatusCode"] == 401
                assert event["error"]["message"] == "JWTAuth error: token is expired (exp)"
            assert (refused["created_at"] - asked["created_at"]) / 1e9 > 0.9
            await listener.until_given_up()

    run(body())


def test_with_another_token_it_is_back_a_second_later_under_another_name(gateway):
    async def body():
        async with Listener(gateway, token=mint(exp=int(time.time()) + 10)) as listener:
            listener.socket.on("connection.error", lambda _: setattr(listener.socket, "user_token", mint()))
            await listener.connect()
            [first, second] = (await listener.until("connection.ok", 2))[:2]
            assert first["connection_id"] != second["connection_id"]

    run(body())


@pytest.mark.parametrize("code", ["1000", "4001"])
def test_the_close_after_an_expiry_is_what_the_flags_say(code):
    flags = ["--stream-expiry-close-code", code, "--stream-expiry-silent"]
    with Gateway(*flags) as gateway:

        async def body():
            async with Listener(gateway, token=mint(exp=int(time.time()) + 10)) as listener:
                await listener.connect()
                closes = []
                listener.socket._logger = Closes(closes)
                [refused] = await listener.until("connection.error")
                assert refused["connection_id"] == "", "no event comes before the close"
                assert closes == [{"close_code": int(code), "close_reason": "" if code == "1000" else "refresh_timeout"}]

        run(body())


class Closes:
    """Searches the client's log for the close frame that it received."""

    def __init__(self, closes):
        self.closes = closes

    def error(self, message, extra=None, **_):
        if extra and "close_code" in extra:
            self.closes.append(extra)

    def __getattr__(self, name):
        return lambda *_, **__: None


def test_a_user_whose_tokens_are_revoked_hears_so_and_may_come_back_once_it_is_undone(gateway, stream):
    async def body():
        async with Listener(gateway, user="rae") as listener:
            await listener.connect()
            limit = "2030-01-01T00:00:00Z"
            await asyncio.to_thread(revoke, stream, "rae", {"set": {"revoke_tokens_issued_before": limit}})
            [asked] = (await listener.until("connection.error"))[:1]
            assert asked["error"]["code"] == 40
            assert asked["error"]["message"] == "This token has been revoked, please generate a new token"
            await listener.until_given_up()
        assert stream.query_users().data is not None, "the server's own tokens are not the user's"
        await asyncio.to_thread(revoke, stream, "rae", {"unset": ["revoke_tokens_issued_before"]})
        async with Listener(gateway, user="rae") as listener:
            assert (await listener.connect())["type"] == "connection.ok"

    run(body())


def revoke(stream, user, change):
    from getstream.models import UpdateUserPartialRequest

    stream.update_users_partial([UpdateUserPartialRequest(id=user, **change)])


def test_errors_by_cause(gateway):
    now = int(time.time())
    cases = [
        (dict(key="other"), 2, "api_key not valid"),
        (dict(token="a.b"), 5, "JWTAuth error: token contains an invalid number of segments"),
        (dict(token=mint(exp=1.5)), 5, None),
        (dict(token=mint(secret="another secret, long enough for PyJWT to like it")), 43, f'API key "{KEY}"'),
        (dict(token=mint(exp=now - 1)), 40, "JWTAuth error: token is expired (exp)"),
        (dict(token=mint(nbf=now + 60)), 41, None),
        (dict(token=mint(iat=now + 60)), 42, "JWTAuth error: token used before issue at (iat)"),
        (dict(token=mint(user="bob")), 5, None),
        (dict(user="!anon", token=mint(user="!anon", exp=now + 60, call_cids=["default:a"])), 17, None),
        (dict(token=jwt.encode({}, SECRET)), 5, None),
        (dict(token=mint(call_cids=["default:a"])), 5, None),
        (dict(token=mint(exp=now + 60, call_cids=[f"default:{n}" for n in range(101)])), 5, None),
        (dict(details={"name": "no id"}, token=mint()), 4, None),
    ]
    for options, code, words in cases:
        error = refusal(gateway, **options)
        assert error["code"] == code, (options, error)
        assert error["StatusCode"] == {4: 400, 17: 403}.get(code, 401)
        assert words is None or words in error["message"]


def test_a_call_token_of_a_user_connects(gateway, stream):
    token = stream.create_call_token("ann", call_cids=["default:standup"], role="admin", expiration=60)

    async def body():
        async with Listener(gateway, token=token) as listener:
            assert (await listener.connect())["me"]["role"] == "user"

    run(body())


def test_a_guest_connects(gateway, stream):
    from getstream.models import UserRequest

    guest = stream.create_guest(UserRequest(id="tommaso", name="Tommaso")).data
    assert guest.user.role == "guest" and "tommaso" in guest.user.id

    async def body():
        async with Listener(gateway, user=guest.user.id, token=guest.access_token) as listener:
            me = (await listener.connect())["me"]
            assert me["id"] == guest.user.id and me["role"] == "guest" and me["name"] == "Tommaso"

    run(body())


def test_a_development_token_connects_only_without_verification(gateway):
    header, payload, _ = mint().split(".")
    token = f"{header}.{payload}.devtoken"
    assert refusal(gateway, token=token)["code"] == 43
    with Gateway("--stream-no-auth-checks") as lenient:

        async def body():
            async with Listener(lenient, token=token) as listener:
                assert (await listener.connect())["me"]["id"] == "ann"

        run(body())


def test_two_api_keys_have_a_secret_each(tmp_path):
    secrets = {"one": "the secret of key one", "two": "the secret of key two"}
    flags = []
    for key, secret in secrets.items():
        path = tmp_path / key
        path.write_text(secret)
        flags += ["--stream-api-key", key, "--stream-secret-file", str(path)]
    with Gateway(*flags) as gateway:
        for key, secret in secrets.items():
            other = next(name for name in secrets if name != key)
            assert server(gateway, secret, key).query_users().data.users is not None
            assert refusal(gateway, key=key, secret=secrets[other])["code"] == 43
