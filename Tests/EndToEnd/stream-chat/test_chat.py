"""Stream's Chat client for servers: users, guests, and revocation and its reversal, in Chat's form."""

import time
from datetime import datetime, timedelta, timezone

import pytest
from stream_chat import StreamChat
from stream_chat.base.exceptions import StreamAPIException

from gateway import SECRET, Gateway


@pytest.fixture(scope="module")
def gateway():
    with Gateway() as gateway:
        yield gateway


@pytest.fixture
def chat(gateway):
    return client(gateway)


def client(gateway, secret=SECRET):
    return StreamChat(api_key="chat", api_secret=secret, base_url=gateway.http_url)


def as_user(gateway, token):
    """A client with a user's token, not a server's."""
    chat = client(gateway)
    chat.auth_token = token
    return chat


def refused(body):
    with pytest.raises(StreamAPIException) as caught:
        body()
    return caught.value.error_code, caught.value.status_code


def test_users_have_their_own_members_among_the_others(chat):
    user = chat.upsert_user({"id": "ann", "role": "admin", "name": "Ann", "colour": "red", "tags": ["a"]})["users"]["ann"]
    assert user["colour"] == "red" and user["tags"] == ["a"] and user["role"] == "admin" and "custom" not in user
    assert datetime.fromisoformat(user["created_at"][:26] + "+00:00") > datetime.now(timezone.utc) - timedelta(minutes=1)
    update = {"id": "ann", "set": {"colour": "blue"}, "unset": ["tags"]}
    user = chat.update_user_partial(update)["users"]["ann"]
    assert user["colour"] == "blue" and "tags" not in user
    found = chat.query_users({"colour": {"$eq": "blue"}}, {"id": -1})["users"]
    assert [user["id"] for user in found] == ["ann"]


def test_guests_get_names_of_their_own_and_a_token(gateway, chat):
    answer = chat.set_guest_user({"id": "tommaso", "name": "T", "colour": "red"})
    assert answer["user"]["role"] == "guest" and answer["user"]["id"].endswith("-tommaso")
    assert answer["user"]["colour"] == "red"
    assert as_user(gateway, answer["access_token"]).get_app_settings()["app"]["name"] == "Postern"


def test_a_users_tokens_are_revoked_and_it_is_undone(gateway, chat):
    chat.upsert_user({"id": "bob"})
    bob = as_user(gateway, chat.create_token("bob", iat=int(time.time()) - 10))
    undated = as_user(gateway, chat.create_token("bob"))
    bob.get_app_settings()
    chat.revoke_user_token("bob", datetime.now(timezone.utc).replace(tzinfo=None))
    assert refused(bob.get_app_settings) == (40, 401)
    assert refused(undated.get_app_settings) == (40, 401)
    fresh = as_user(gateway, chat.create_token("bob", iat=int(time.time())))
    fresh.get_app_settings()
    chat.revoke_user_token("bob", None)
    bob.get_app_settings()
    undated.get_app_settings()


def test_all_tokens_are_revoked_and_the_revocation_is_undone(gateway, chat):
    carl = as_user(gateway, chat.create_token("carl", iat=int(time.time()) - 10))
    carl.get_app_settings()
    chat.revoke_tokens(datetime.now(timezone.utc).replace(tzinfo=None))
    try:
        assert refused(carl.get_app_settings) == (40, 401)
        assert "revoke_tokens_issued_before" in chat.get_app_settings()["app"]
    finally:
        chat.revoke_tokens(None)
    carl.get_app_settings()
    assert "revoke_tokens_issued_before" not in chat.get_app_settings()["app"]


def test_users_are_deactivated_deleted_and_restored(chat):
    chat.upsert_users([{"id": "d1"}, {"id": "d2"}])
    assert chat.deactivate_user("d1")["user"]["deactivated_at"]
    assert "deactivated_at" not in chat.reactivate_user("d1")["user"]
    assert chat.deactivate_users(["d1", "d2"])["task_id"]
    chat.restore_users(["d1", "d2"])
    assert chat.delete_user("d1")["user"]["deleted_at"]
    for change in (
        lambda: chat.upsert_user({"id": "d1"}), lambda: chat.update_user_partial({"id": "d1", "set": {"name": "D"}}),
        lambda: chat.reactivate_user("d1"),
    ):
        assert refused(change) == (16, 404)
    task = chat.delete_users(["d2"], "hard")["task_id"]
    assert chat.get_task(task)["status"] == "completed"
    assert refused(lambda: chat.deactivate_user("d2")) == (16, 404)


def test_users_are_banned(chat):
    chat.upsert_users([{"id": "b1"}, {"id": "b2"}])
    chat.ban_user("b1", banned_by_id="b2", timeout=1, reason="spam")
    banned = lambda: chat.query_users({"id": "b1"})["users"][0]["banned"]
    assert banned()
    chat.unban_user("b1")
    assert not banned()
    chat.shadow_ban("b1", banned_by_id="b2")
    assert not banned()
    assert refused(lambda: chat.ban_user("nobody", banned_by_id="b2")) == (16, 404)


def test_errors_by_cause(gateway, chat):
    assert refused(client(gateway, "another secret, long enough for PyJWT to like it").get_app_settings) == (43, 401)
    ann = as_user(gateway, chat.create_token("ann"))
    assert refused(lambda: ann.update_app_settings(disable_auth_checks=True)) == (17, 403)
    assert refused(lambda: chat.get("users/ann/no-such-thing")) == (16, 404)
    assert refused(lambda: chat.patch("hi")) == (4, 405)
