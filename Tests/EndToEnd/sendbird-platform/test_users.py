"""Users and tokens, by the vendor's Python SDK for servers."""

import json
import time

import pytest
from sendbird_platform_sdk import ApiException
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import (
    CreateAUserRequest,
    CreateUserMetadataRequest,
    CreateUserTokenRequest,
    UpdateAUserRequest,
    UpdateSpecificUserMetadataRequest,
    UpdateUserMetadataRequest,
)
from socket_client import SocketClient


@pytest.fixture
def users(client):
    return UserApi(client)


@pytest.fixture
def make(users, api_token, fresh):
    def make(name=None, **members):
        request = CreateAUserRequest(
            nickname="Nick", profile_url="https://example.com/a.png", user_id=name or fresh(), **members)
        return users.create_a_user(api_token=api_token, create_a_user_request=request)

    return make


def code_of(error):
    answer = json.loads(error.value.body)
    assert answer["error"] is True and answer["message"]
    return error.value.status, answer["code"]


def test_a_user_is_created_and_found_again(users, make, api_token, fresh):
    name = fresh()
    made = make(name, metadata={"font": "large"}, discovery_keys=["a"])
    assert made.user_id == name and made.nickname == "Nick" and made.is_active is True and made.is_online is False
    assert made.metadata == {"font": "large"} and made.discovery_keys == ["a"] and made.access_token == ""
    found = users.view_a_user(name, api_token=api_token)
    assert found.to_dict() == made.to_dict()


def test_a_user_who_exists_is_not_created_again(make, fresh):
    name = fresh()
    make(name)
    with pytest.raises(ApiException) as error:
        make(name)
    assert code_of(error) == (400, 400202)


def test_an_unknown_user_is_not_found(users, api_token):
    with pytest.raises(ApiException) as error:
        users.view_a_user("nobody", api_token=api_token)
    assert code_of(error) == (400, 400201)
    assert json.loads(error.value.body)["message"] == '"User" not found.'


@pytest.mark.parametrize("token", ["", "wrong", "x" * 1000])
def test_a_wrong_api_token_is_refused(users, token):
    with pytest.raises(ApiException) as error:
        users.list_users(api_token=token)
    assert code_of(error) == (400, 400401)


def test_a_missing_api_token_is_refused(users):
    with pytest.raises(ApiException) as error:
        users.list_users()
    assert code_of(error) == (400, 400401)
    assert json.loads(error.value.body)["message"] == "Api-Token is missing."


def test_users_are_listed_page_by_page(users, make, api_token):
    names = [make().user_id for _ in range(5)]
    seen, token = [], ""
    while True:
        page = users.list_users(api_token=api_token, limit=2, token=token)
        assert len(page.users) <= 2
        seen += [user.user_id for user in page.users]
        token = page.next
        if not token:
            break
    assert [name for name in seen if name in names] == names[::-1] and len(seen) == len(set(seen))


def test_users_are_listed_by_their_ids(users, make, api_token):
    names = {make().user_id for _ in range(3)}
    page = users.list_users(api_token=api_token, user_ids=",".join(names))
    assert {user.user_id for user in page.users} == names


def test_a_user_is_changed_and_deleted(users, make, api_token):
    name = make().user_id
    changed = users.update_a_user(
        name, api_token=api_token, update_a_user_request=UpdateAUserRequest(nickname="Other", discovery_keys=["b"]))
    assert changed.nickname == "Other" and changed.discovery_keys == ["b"]
    assert changed.profile_url == "https://example.com/a.png"
    users.delete_a_user(name, api_token=api_token)
    with pytest.raises(ApiException) as error:
        users.view_a_user(name, api_token=api_token)
    assert code_of(error) == (400, 400201)


def test_metadata_are_kept(users, make, api_token):
    name = make().user_id
    users.create_user_metadata(
        name, api_token=api_token, create_user_metadata_request=CreateUserMetadataRequest(metadata={"a": "1"}))
    users.update_user_metadata(
        name, api_token=api_token,
        update_user_metadata_request=UpdateUserMetadataRequest(metadata={"a": "2", "b": "3"}, upsert=True))
    assert users.view_a_user(name, api_token=api_token).metadata == {"a": "2", "b": "3"}
    users.update_specific_user_metadata(
        name, "b", api_token=api_token,
        update_specific_user_metadata_request=UpdateSpecificUserMetadataRequest(value="4"))
    assert users.view_specific_user_metadata(name, "b", api_token=api_token) == {"b": "4"}
    users.delete_specific_user_metadata(name, "a", api_token=api_token)
    assert users.view_a_user(name, api_token=api_token).metadata == {"b": "4"}


def test_an_access_token_admits_until_it_is_replaced(gateway, users, make, api_token):
    user = make(issue_access_token=True)
    assert len(user.access_token) == 40
    with SocketClient(gateway, user.user_id, user.access_token) as client:
        assert client.login["user_id"] == user.user_id and client.login["nickname"] == "Nick"
        replaced = users.update_a_user(
            user.user_id, api_token=api_token, update_a_user_request=UpdateAUserRequest(issue_access_token=True))
        assert replaced.access_token != user.access_token
        assert client.next("EXPR")["reason"] == 400310
    with SocketClient(gateway, user.user_id, user.access_token) as client:
        assert client.login["error"] is True and client.login["code"] == 400302
    with SocketClient(gateway, user.user_id, replaced.access_token) as client:
        assert "error" not in client.login
        assert users.view_a_user(user.user_id, api_token=api_token).is_online is True
    with SocketClient(gateway, user.user_id) as client:
        assert client.login["code"] == 400302


def test_session_tokens_admit_until_they_are_revoked(gateway, users, make, api_token):
    name = make().user_id
    before = int(time.time() * 1000)
    token = users.create_user_token(name, api_token=api_token)
    week = 7 * 24 * 3600 * 1000
    assert 119 <= len(token.token) <= 168 and before + week <= token.expires_at <= time.time() * 1000 + week
    end = int(time.time() * 1000) + 3_600_000
    other = users.create_user_token(
        name, api_token=api_token, create_user_token_request=CreateUserTokenRequest(expires_at=end))
    assert other.expires_at == end and other.token != token.token
    with SocketClient(gateway, name, token.token) as client, SocketClient(gateway, name, other.token) as second:
        assert "error" not in client.login and "error" not in second.login
        delete_tokens(users, name, api_token)
        assert client.next("EXPR")["reason"] == 400310
        assert second.next("EXPR")["reason"] == 400310
        refused = client.ask("LOGI", token=token.token, expiring_session=1)
        assert refused["command"] == "EROR" and refused["code"] == 400310
        fresh = users.create_user_token(name, api_token=api_token)
        assert client.ask("LOGI", token=fresh.token, expiring_session=1)["new_key"]
    with SocketClient(gateway, name, token.token) as client:
        assert client.login["code"] == 400310


def test_a_revocation_spares_the_access_token(gateway, users, make, api_token):
    user = make(issue_access_token=True)
    with SocketClient(gateway, user.user_id, user.access_token) as client:
        delete_tokens(users, user.user_id, api_token)
        answer = client.ask("LOGI", token=user.access_token, expiring_session=1)
        assert answer["command"] == "LOGI" and answer["new_key"]


def delete_tokens(users, name, api_token):
    """A call that the SDK has no method for, sent with the SDK's own functions."""
    users.api_client.call_api(
        "/v3/users/{user_id}/token", "DELETE", path_params={"user_id": name}, header_params={"api-token": api_token},
        _check_type=False)


def test_a_deactivated_user_is_shown_the_door(gateway, users, make, api_token):
    name = make().user_id
    with SocketClient(gateway, name) as client:
        assert "error" not in client.login
        changed = users.update_a_user(
            name, api_token=api_token, update_a_user_request=UpdateAUserRequest(is_active=False))
        assert changed.is_active is False
        assert client.next("EXPR")["reason"] == 400300
        assert client.is_closed()
    with SocketClient(gateway, name) as client:
        assert client.login["code"] == 400300
    users.update_a_user(name, api_token=api_token, update_a_user_request=UpdateAUserRequest(is_active=True))
    with SocketClient(gateway, name) as client:
        assert "error" not in client.login


def test_a_deleted_user_is_logged_out(gateway, users, make, api_token):
    user = make(issue_access_token=True)
    with SocketClient(gateway, user.user_id, user.access_token) as client:
        users.delete_a_user(user.user_id, api_token=api_token)
        assert client.next("EXPR")["reason"] == 400310
        assert client.is_closed()
    with SocketClient(gateway, user.user_id, user.access_token) as client:
        assert client.login["code"] == 400301
