"""Users and the application's settings through Stream's own client."""

import time

import pytest
from conftest import KEY, server
from getstream.exceptions import StreamApiException, StreamRateLimitException
from getstream.config import RetryConfig
from getstream.models import QueryUsersPayload, UpdateUserPartialRequest, UserRequest

from gateway import Gateway


def refused(body):
    with pytest.raises(StreamApiException) as caught:
        body()
    return caught.value


def test_users_are_made_changed_and_found(stream):
    users = {name: UserRequest(id=name, role="teacher", custom={"n": index}) for index, name in enumerate(["u1", "u2"])}
    made = stream.update_users(users).data.users
    assert made["u2"].custom == {"n": 1} and made["u1"].role == "teacher"
    assert abs(made["u1"].created_at.timestamp() - time.time()) < 60
    change = UpdateUserPartialRequest(id="u1", set={"name": "One", "n": 7}, unset=["image"])
    assert stream.update_users_partial([change]).data.users["u1"].custom == {"n": 7}
    found = stream.query_users(QueryUsersPayload(filter_conditions={"role": "teacher", "n": {"$gt": 5}})).data.users
    assert [(user.id, user.name, user.online) for user in found] == [("u1", "One", False)]


def test_users_are_deactivated_reactivated_blocked_and_deleted(stream):
    stream.update_users({name: UserRequest(id=name) for name in ("v1", "v2")})
    assert stream.deactivate_user("v1").data.user.deactivated_at is not None
    ids = lambda **options: [
        user.id
        for user in stream.query_users(
            QueryUsersPayload(filter_conditions={"id": {"$in": ["v1", "v2"]}}, **options)
        ).data.users
    ]
    assert ids() == ["v2"] and ids(include_deactivated_users=True) == ["v1", "v2"]
    assert stream.reactivate_user("v1", name="back").data.user.name == "back"
    assert stream.block_users("v2", user_id="v1").data.blocked_user_id == "v2"
    [block] = stream.get_blocked_users("v1").data.blocks
    assert block.blocked_user.id == "v2" and block.user.id == "v1"
    stream.unblock_users("v2", user_id="v1")
    assert stream.get_blocked_users("v1").data.blocks == []
    stream.delete_users(["v1"], user="soft")
    error = refused(lambda: stream.update_users({"v1": UserRequest(id="v1")}))
    assert error.code == 16 and error.message.endswith('"the user v1 was deleted"')
    task = stream.delete_users(["v1"], user="hard").data.task_id
    assert stream.get_task(task).data.status == "completed"
    assert refused(lambda: stream.deactivate_user("v1")).code == 16


def test_the_application_has_settings(stream):
    try:
        stream.update_app(guest_user_creation_disabled=True)
        assert stream.get_app().data.app.guest_user_creation_disabled is True
        assert refused(lambda: stream.create_guest(UserRequest(id="nobody"))).code == 17
    finally:
        stream.update_app(guest_user_creation_disabled=False)
    assert stream.create_guest(UserRequest(id="somebody")).data.access_token


def test_a_user_may_change_no_other_user(gateway, stream):
    ann = stream.clone_for_token(stream.create_token("ann"))
    assert ann.update_users({"ann": UserRequest(id="ann", name="Ann")}).data.users["ann"].name == "Ann"
    error = refused(lambda: ann.update_users({"bob": UserRequest(id="bob")}))
    assert (error.code, error.status_code) == (17, 403)


def test_an_error_is_the_object_that_the_client_reads(gateway, stream):
    error = refused(lambda: stream.update_users({}))
    assert (error.code, error.status_code) == (4, 400)
    assert error.message.startswith("UpdateUsers failed with error:")
    assert "users" in error.exception_fields
    assert refused(lambda: server(gateway, key="other").get_app()).code == 2
    forged = server(gateway, secret="another secret, long enough for PyJWT to like it")
    assert refused(lambda: forged.get_app()).code == 43
    expired = stream.clone_for_token(stream.create_token("ann", expiration=-1))
    assert refused(lambda: expired.get_app()).code == 40


def test_rate_limits_are_told_and_kept_to():
    with Gateway("--stream-rate-limits", "--stream-rate-limit-scale", "0.05") as gateway:
        first = server(gateway)
        ann = first.clone_for_token(first.create_token("ann"))
        answers = [ann.get_app() for _ in range(3)]
        limits = [answer.rate_limit() for answer in answers]
        if limits[0].reset == limits[2].reset:
            assert [(limit.limit, limit.remaining) for limit in limits] == [(3, 2), (3, 1), (3, 0)]
        with pytest.raises(StreamRateLimitException) as caught:
            for _ in range(4):
                ann.get_app()
        assert caught.value.code == 9 and 0 < caught.value.retry_after.total_seconds() <= 60
        assert all(first.get_app().data.app.name for _ in range(5)), "a server is exempt"
