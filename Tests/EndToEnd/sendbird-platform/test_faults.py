"""Sendbird's Python SDK for servers while the gateway is too busy for it."""

import pytest
from sendbird_platform_sdk import ApiClient, ApiException, Configuration
from sendbird_platform_sdk.api.user_api import UserApi
from sendbird_platform_sdk.models import CreateAUserRequest

from gateway import SECRET
from http_faults import broken


def test_it_reads_again_when_it_is_told_to_and_writes_once():
    """Its urllib3 obeys Retry-After for requests that may be repeated. The application does not notice."""
    with broken() as gateway, ApiClient(Configuration(host=gateway.http_url)) as client:
        users = UserApi(client)
        gateway.fail("answer_with", route="GET /v3/users", status=429, retry_after_s=1, times=1)
        assert users.list_users(api_token=SECRET).users == []
        (refused, began), (status, ended) = gateway.answers("GET /v3/users")
        assert (refused, status) == (429, 200) and ended - began >= 1000
        gateway.fail("answer_with", route="POST /v3/users", status=429, retry_after_s=1, times=1)
        with pytest.raises(ApiException) as refusal:
            users.create_a_user(
                api_token=SECRET,
                create_a_user_request=CreateAUserRequest(nickname="n", profile_url="", user_id="ann"))
        assert refusal.value.status == 429 and refusal.value.headers["Retry-After"] == "1"
        assert [status for status, _ in gateway.answers("POST /v3/users")] == [429]
