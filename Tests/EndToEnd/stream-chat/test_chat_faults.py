"""Stream's Chat client for servers while the gateway is too busy for it."""

import pytest
from stream_chat import StreamChat
from stream_chat.base.exceptions import StreamAPIException

from gateway import SECRET
from http_faults import broken


def test_it_reads_again_when_it_is_told_to_and_writes_once():
    """The application does not notice the first refusal, nor the second one if it may come back."""
    with broken() as gateway:
        chat = StreamChat(api_key="chat", api_secret=SECRET, base_url=gateway.http_url)
        gateway.fail("answer_with", route="GET /users", status=429, retry_after_s=1, times=1)
        assert chat.query_users({"id": {"$in": ["ann"]}})["users"] == []
        (refused, began), (status, ended) = gateway.answers("GET /users")
        assert (refused, status) == (429, 200) and ended - began >= 1000
        gateway.fail("answer_with", route="POST /users", status=429, retry_after_s=1, times=1)
        with pytest.raises(StreamAPIException) as refusal:
            chat.upsert_user({"id": "ann"})
        assert refusal.value.status_code == 429 and not hasattr(refusal.value, "headers")
        assert [status for status, _ in gateway.answers("POST /users")] == [429]
