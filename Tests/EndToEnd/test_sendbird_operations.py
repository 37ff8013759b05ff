"""The requests of Sendbird's clients beside the socket: over HTTP, with their session keys."""

import itertools
import time

import pytest

from clients import request
from gateway import SECRET, Gateway
from sendbird import SendbirdClient

numbers = itertools.count(1)


@pytest.fixture(scope="module")
def gateway():
    with Gateway() as gateway:
        yield gateway


class Caller:
    """A connected user, or a server."""

    def __init__(self, gateway, user=None):
        self.gateway = gateway
        self.headers = {"Api-Token": SECRET}
        if user:
            self.socket = SendbirdClient(gateway, {"p": "JS", "ai": "A", "user_id": user})
            self.headers = {"Session-Key": self.socket.receive("LOGI")["key"]}

    def ask(self, method, path, body=None, status=200, raw=None, **headers):
        answer = request(
            self.gateway.http_url, method, path, body, headers=self.headers | headers, document=None, raw=raw)
        assert answer.status == status, (method, path, answer.body)
        return answer if raw is not None or not answer.body.startswith(b"{") else answer.json

    def hear(self, command, category=None):
        """The next of these commands with that category; others are skipped."""
        while True:
            name, payload = self.socket.receive()
            if name == command and category in (None, payload.get("cat")):
                return payload


class Scene:
    """Two users of one group channel and of one open one."""

    def __init__(self, gateway):
        self.server = Caller(gateway)
        number = next(numbers)
        self.ann, self.bob, self.talk, self.square = f"ann{number}", f"bob{number}", f"talk{number}", f"square{number}"
        self.first, self.second = Caller(gateway, self.ann), Caller(gateway, self.bob)
        self.server.ask(
            "POST", "/v3/group_channels",
            {"channel_url": self.talk, "user_ids": [self.ann, self.bob], "operator_ids": [self.ann]})
        self.server.ask("POST", "/v3/open_channels", {"channel_url": self.square, "operator_ids": [self.ann]})

    def say(self, text, **members):
        """Bob sends a message; returns its number."""
        body = {"message_type": "MESG", "message": text, **members}
        return self.second.ask("POST", f"/v3/group_channels/{self.talk}/messages", body)["message_id"]

    def close(self):
        for caller in (self.first, self.second):
            caller.socket.stack.close()


@pytest.fixture
def scene(gateway):
    scene = Scene(gateway)
    yield scene
    scene.close()


def test_a_device_is_registered_at_login_and_taken_away(scene):
    ask, ann = scene.first.ask, scene.ann
    answer = ask("POST", f"/v3/users/{ann}/push/gcm", {"gcm_reg_token": "t", "is_unique": True, "always_push": True})
    assert answer["user"]["user_id"] == ann and answer["device_token_last_deleted_at"] == 0
    assert ask("GET", f"/v3/users/{ann}/push/gcm/device_tokens")["device_tokens"] == ["t"]
    ask("DELETE", f"/v3/users/{ann}/push/gcm/t")
    assert ask("DELETE", f"/v3/users/{ann}/push")["token"] == []
    assert ask("GET", f"/v3/users/{ann}/push/template") == {"name": "default"}
    assert ask("PUT", f"/v3/users/{ann}/push/template", {"name": "alternative"}) == {"name": "alternative"}


def test_a_file_is_uploaded_and_sent_and_fetched_by_anybody(scene):
    picture = bytes(range(256))
    head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a b.png"\r\nContent-Type: image/png\r\n\r\n'
    form = head.encode() + picture + b"\r\n--x--\r\n"
    kept = scene.first.ask(
        "POST", "/v3/storage/file", raw=form, **{"Content-Type": "multipart/form-data; boundary=x"}).json
    assert kept["file_size"] == 256 and kept["require_auth"] is False and kept["thumbnails"] == []
    path = kept["url"].removeprefix(scene.first.gateway.http_url)
    assert path.startswith("/v3/storage/file/") and path.endswith("/a%20b.png")
    served = request(scene.first.gateway.http_url, "GET", path, document=None)
    assert served.body == picture and dict(served.headers)["content-type"] == "image/png"
    assert request(scene.first.gateway.http_url, "GET", "/v3/storage/file/none/a.png", document=None).status == 400
    sent = scene.first.ask(
        "POST", f"/v3/group_channels/{scene.talk}/messages",
        {"message_type": "FILE", "url": kept["url"], "file_name": "a b.png", "file_size": 256})
    assert scene.second.hear("FILE")["url"] == kept["url"] == sent["file"]["url"]


@pytest.mark.parametrize("kind", ["group_channels", "open_channels"])
def test_metadata_and_counters_of_channels(scene, kind):
    url = scene.talk if kind == "group_channels" else scene.square
    ask, one = scene.first.ask, f"/v3/{kind}/{url}"
    assert ask("POST", f"{one}/metadata", {"metadata": {"color": "red"}}) == {"color": "red"}
    answer = ask("PUT", f"{one}/metadata?include_ts=true", {"metadata": {"size": "3"}, "upsert": True})
    assert answer["metadata"] == {"color": "red", "size": "3"} and answer["ts"] > 0
    assert ask("GET", f"{one}/metadata/color") == {"color": "red"}
    ask("PUT", f"{one}/metadata/color", {"value": "blue"})
    ask("DELETE", f"{one}/metadata/size")
    assert ask("GET", f"{one}/metadata") == {"color": "blue"}
    assert ask("DELETE", f"{one}/metadata") == {}
    assert ask("POST", f"{one}/metacounter", {"metacounter": {"likes": 1}}) == {"likes": 1}
    for caller in (scene.first, scene.second):
        caller.ask("PUT", f"{one}/metacounter", {"metacounter": {"likes": 2}, "mode": "increase"})
    assert ask("GET", f"{one}/metacounter/likes") == {"likes": 5}
    assert ask("PUT", f"{one}/metacounter/likes", {"value": 1, "mode": "decrease"}) == {"likes": 4}
    assert ask("GET", f"{one}/metacounter") == {"likes": 4}
    ask("DELETE", f"{one}/metacounter/likes")
    assert ask("DELETE", f"{one}/metacounter") == {}
    if kind == "group_channels":
        assert scene.second.hear("SYEV", 11100)["data"]["created"] == {"color": "red"}
        assert scene.second.hear("SYEV", 11200)["data"]["created"] == {"likes": 1}


def test_reactions_pins_and_translations(scene):
    number, ask = scene.say("hello"), scene.first.ask
    message = f"/v3/group_channels/{scene.talk}/messages/{number}"
    answer = ask("POST", f"{message}/reactions", {"reaction": "sendbird_emoji_sob", "user_id": scene.ann})
    heard = scene.second.hear("RXNS")
    assert heard["operation"] == answer["operation"] == "ADD" and heard["msg_id"] == number
    assert ask("GET", message)["reactions"][0]["user_ids"] == [scene.ann]
    changes = ask("GET", f"/v3/group_channels/{scene.talk}/messages/changelogs?change_ts=1")
    assert [found["message_id"] for found in changes["updated"]] == [number]
    ask("DELETE", f"{message}/reactions", {"reaction": "sendbird_emoji_sob"})
    categories = ask("GET", "/v3/emoji_categories")
    assert ask("GET", "/v3/emoji_categories/1") == categories["emoji_categories"][0]
    emoji = ask("GET", "/v3/emojis/sendbird_emoji_sob")
    assert emoji in categories["emoji_categories"][0]["emojis"] and emoji["url"].startswith("http://")
    picture = request(scene.first.gateway.http_url, "GET", "/v3/emojis/sendbird_emoji_sob/image", document=None)
    assert picture.body.startswith(b"<svg")
    ask("POST", f"{message}/pin", {})
    assert scene.second.hear("SYEV", 11300)["data"]["pinned_message_ids"] == [number]
    pinned = ask("GET", f"/v3/group_channels/{scene.talk}/pinned_messages")
    assert [entry["message"]["message_id"] for entry in pinned["pinned_messages"]] == [number]
    ask("DELETE", f"{message}/pin")
    assert ask("POST", f"{message}/translation", {"target_langs": ["de"]})["translations"] == {"de": "hello"}


def test_who_is_muted_banned_and_blocked(scene):
    ask, bob = scene.first.ask, scene.bob
    for url in (f"/v3/group_channels/{scene.talk}", f"/v3/open_channels/{scene.square}"):
        ask("POST", f"{url}/mute", {"user_id": bob, "seconds": 60, "description": "loud"})
        assert [user["user_id"] for user in ask("GET", f"{url}/mute")["muted_list"]] == [bob]
        assert scene.second.ask("GET", f"{url}/mute/{bob}")["is_muted"] is True
        ask("DELETE", f"{url}/mute/{bob}")
        assert scene.second.ask("GET", f"{url}/mute/{bob}") == {"is_muted": False}
        ask("POST", f"{url}/ban", {"user_id": bob, "seconds": 60})
        assert [entry["user"]["user_id"] for entry in ask("GET", f"{url}/ban")["banned_list"]] == [bob]
        assert ask("GET", f"{url}/ban/{bob}")["user"]["user_id"] == bob
        ask("DELETE", f"{url}/ban/{bob}")
    ask("POST", f"/v3/users/{scene.ann}/block", {"target_id": bob})
    assert [user["user_id"] for user in ask("GET", f"/v3/users/{scene.ann}/block")["users"]] == [bob]
    ask("DELETE", f"/v3/users/{scene.ann}/block/{bob}")


def test_counts_and_what_is_hidden(scene):
    scene.say("hi", mentioned_user_ids=[scene.ann])
    ask, ann = scene.first.ask, scene.ann
    keys = "group_channel_unread_message_count,group_channel_unread_mention_count,group_channel_invitation_count"
    counts = ask("GET", f"/v3/users/{ann}/unread_item_count?item_keys={keys}")
    assert counts == dict(zip(keys.split(","), [1, 1, 0]))
    assert ask("GET", f"/v3/users/{ann}/group_channel_count?state=joined") == {"group_channel_count": 1}
    ask("PUT", f"/v3/group_channels/{scene.talk}/hide", {"hide_previous_messages": True, "allow_auto_unhide": True})
    own = f"/v3/users/{ann}/my_group_channels?show_empty=true"
    assert ask("GET", own)["channels"] == []
    scene.say("again")
    shown = ask("GET", own)["channels"]
    assert [channel["channel_url"] for channel in shown] == [scene.talk] and shown[0]["unread_message_count"] == 1
    ask("DELETE", f"/v3/group_channels/{scene.talk}/hide")
    assert ask("PUT", f"/v3/group_channels/{scene.talk}/reset_user_history", {})["ts_message_offset"] > 0
    assert ask("GET", f"/v3/group_channels/{scene.talk}/messages?message_ts=9007199254740991")["messages"] == []


def test_searches_reports_and_the_kit(scene):
    number, ask = scene.say("needle in a stack"), scene.first.ask
    found = ask("GET", f"/v3/search/messages?query=NEEDLE&channel_url={scene.talk}")
    assert [message["message_id"] for message in found["results"]] == [number] and found["has_next"] is False
    spam = {"report_category": "spam", "reporting_user_id": scene.ann}
    ask("POST", f"/v3/report/group_channels/{scene.talk}", spam)
    ask("POST", f"/v3/report/open_channels/{scene.square}", spam)
    ask("POST", f"/v3/report/group_channels/{scene.talk}/messages/{number}", {**spam, "offending_user_id": scene.bob})
    ask("POST", f"/v3/report/users/{scene.bob}", spam)
    serve = scene.server.ask
    assert [log["report_type"] for log in serve("GET", "/v3/report?limit=4")["report_logs"]] == [
        "user", "message", "channel", "channel"]
    for path in (f"group_channels/{scene.talk}", f"open_channels/{scene.square}", f"users/{scene.bob}"):
        assert len(serve("GET", f"/v3/report/{path}")["report_logs"]) == 1
    assert len(serve("GET", f"/v3/report/group_channels/{scene.talk}/messages/{number}")["report_logs"]) == 1
    assert serve("GET", f"/v3/report/users/{scene.ann}")["report_logs"] == []
    assert serve("GET", f"/v3/report/group_channels/{scene.talk}")["report_logs"][0]["report_category"] == "spam"
    assert serve("GET", f"/v3/report/open_channels/{scene.square}")["report_logs"][0]["report_type"] == "channel"
    kit = ask("GET", "/v3/sdk/ui_kit/configuration")
    assert kit["uikit_configurations"]["group_channel"]["channel"] == {}


def test_a_poll_from_its_making_to_its_end(scene):
    ask, bob = scene.second.ask, scene.bob
    poll = ask("POST", "/v3/polls", {"title": "Lunch?", "options": [{"text": "yes"}, {"text": "no"}], "close_at": -1})
    poll_id = poll["id"]
    number = scene.say("vote", poll_id=poll_id)
    assert scene.first.hear("MESG")["poll"]["title"] == "Lunch?"
    yes = poll["options"][0]["id"]
    scene.first.socket.say(
        "VOTE", channel_url=scene.talk, channel_type="group", poll_id=poll_id, option_ids=[yes], req_id="1")
    counts = [{"option_id": yes, "vote_count": 1}, {"option_id": yes + 1, "vote_count": 0}]
    for caller in (scene.first, scene.second):
        heard = caller.hear("VOTE")
        assert heard["updated_vote_counts"] == counts and heard["message_id"] == number
    voted = ask("PUT", f"/v3/polls/{poll_id}/vote", {"option_ids": [yes]})
    assert voted["voted_option_ids"] == [yes] and voted["voter_count"] == 2
    assert ask("GET", f"/v3/polls/{poll_id}/options/{yes}")["vote_count"] == 2
    voters = ask("GET", f"/v3/polls/{poll_id}/options/{yes}/voters")["voters"]
    assert [user["user_id"] for user in voters] == [scene.ann, bob]
    changed = ask("PUT", f"/v3/polls/{poll_id}", {"title": "Dinner?"})
    assert changed["title"] == "Dinner?" and scene.first.hear("PEDI")["poll"]["title"] == "Dinner?"
    assert len(ask("POST", f"/v3/polls/{poll_id}/options", {"text": "maybe"})["options"]) == 3
    ask("PUT", f"/v3/polls/{poll_id}/options/{yes + 2}", {"text": "perhaps"})
    assert len(ask("DELETE", f"/v3/polls/{poll_id}/options/{yes + 2}")["options"]) == 2
    listed = ask("GET", f"/v3/polls?channel_url={scene.talk}&channel_type=group_channels")
    assert [found["id"] for found in listed["polls"]] == [poll_id] and ask("GET", f"/v3/polls/{poll_id}") == listed["polls"][0]
    assert ask("PUT", f"/v3/polls/{poll_id}/close")["status"] == "closed"
    log = f"/v3/group_channels/{scene.talk}/polls/changelogs?change_ts=1"
    assert [found["status"] for found in ask("GET", log)["updated"]] == ["closed"]
    ask("DELETE", f"/v3/polls/{poll_id}")
    assert ask("GET", f"/v3/group_channels/{scene.talk}/polls/changelogs?change_ts=1")["deleted"] == [poll_id]


def test_messages_are_scheduled_sent_and_taken_back(scene):
    ask, soon, later = scene.second.ask, int(time.time() * 1000) + 6_000, int(time.time() * 1000) + 3_600_000
    body = {"message_type": "MESG", "user_id": scene.bob}
    first = ask("POST", f"/v3/group_channels/{scene.talk}/scheduled_messages", {**body, "message": "1", "scheduled_at": soon})
    assert first["scheduled_status"] == "pending" and first["scheduled_at"] == soon and first["message"] == "1"
    assert scene.first.hear("MESG")["message"] == "1"
    number = first["scheduled_message_id"]
    assert ask("GET", f"/v3/group_channels/{scene.talk}/scheduled_messages/{number}")["scheduled_status"] == "sent"
    second = ask("POST", f"/v3/group_channels/{scene.talk}/scheduled_messages", {**body, "message": "2", "scheduled_at": later})
    number = second["scheduled_message_id"]
    ask("PUT", f"/v3/group_channels/{scene.talk}/scheduled_messages/{number}", {"message_type": "MESG", "message": "two"})
    listed = ask("GET", f"/v3/scheduled_messages?channel_url={scene.talk}&status=pending")
    assert [entry["message"] for entry in listed["scheduled_messages"]] == ["two"]
    assert ask("GET", f"/v3/scheduled_messages/count?channel_url={scene.talk}&status=pending") == {"count": 1}
    ask("POST", f"/v3/group_channels/{scene.talk}/scheduled_messages/{number}/send_now", {})
    assert scene.first.hear("MESG")["message"] == "two"
    third = ask("POST", f"/v3/group_channels/{scene.talk}/scheduled_messages", {**body, "message": "3", "scheduled_at": later})
    number = third["scheduled_message_id"]
    gone = ask("DELETE", f"/v3/group_channels/{scene.talk}/scheduled_messages/{number}")
    assert gone["scheduled_status"] == "canceled"


def test_a_collection_is_right_after_an_absence(scene):
    """Messages, edits, reactions, deletions and a ban, while a client's socket was closed."""
    kept = [scene.say(f"kept {number}") for number in range(3)]
    last = scene.first.ask("GET", f"/v3/group_channels/{scene.talk}/messages/{kept[2]}")["created_at"]
    scene.server.ask(
        "POST", "/v3/group_channels", {"channel_url": f"x{scene.talk}", "user_ids": [scene.ann, scene.bob]})
    scene.first.socket.vanish()
    missed = scene.say("missed")
    one = f"/v3/group_channels/{scene.talk}"
    scene.second.ask("PUT", f"{one}/messages/{kept[0]}", {"message_type": "MESG", "message": "edited"})
    scene.second.ask("POST", f"{one}/messages/{kept[1]}/reactions", {"reaction": "x"})
    scene.second.ask("DELETE", f"{one}/messages/{kept[2]}")
    scene.server.ask("POST", f"/v3/group_channels/x{scene.talk}/ban", {"user_id": scene.ann})
    ask = scene.first.ask
    gap = ask(
        "GET",
        f"{one}/messages_gap?next_start_ts={last + 1}&next_end_ts=9007199254740991&next_cache_count=0&prev_start_ts=0"
        f"&prev_end_ts={last}&prev_cache_count=3")
    assert missed in [message["message_id"] for message in gap["next_messages"]] and gap["is_huge_gap"] is False
    changes = ask("GET", f"{one}/messages/changelogs?change_ts={last}")
    assert [(found["message_id"], found["message"]) for found in changes["updated"]] == [
        (kept[0], "edited"), (kept[1], "kept 1")]
    assert [entry["message_id"] for entry in changes["deleted"]] == [kept[2]]
    channels = ask("GET", f"/v3/users/{scene.ann}/my_group_channels/changelogs?change_ts={last}")
    assert channels["deleted"] == [f"x{scene.talk}"]
    assert [channel["channel_url"] for channel in channels["updated"]] == [scene.talk]


def test_open_channels_have_reactions_and_reports(scene):
    said = scene.server.ask(
        "POST", f"/v3/open_channels/{scene.square}/messages",
        {"message_type": "MESG", "user_id": scene.ann, "message": "hi"})["message_id"]
    one = f"/v3/open_channels/{scene.square}/messages/{said}"
    body = {"reaction": "x", "user_id": scene.bob}
    assert scene.server.ask("POST", f"{one}/reactions", body)["operation"] == "ADD"
    assert scene.server.ask("GET", one)["reactions"][0]["user_ids"] == [scene.bob]
    answer = scene.server.ask("DELETE", f"/v3/open_channels/{scene.square}/messages/{said}/reactions", body)
    assert answer["operation"] == "DELETE"
    assert scene.server.ask("GET", one)["reactions"] == []
    scene.first.ask("POST", f"/v3/report/open_channels/{scene.square}/messages/{said}", {"report_category": "harassing"})
    log = scene.server.ask("GET", f"/v3/report/open_channels/{scene.square}/messages/{said}")["report_logs"]
    assert [entry["offending_user"]["user_id"] for entry in log] == [scene.ann]


@pytest.mark.parametrize("kind", ["group_channels", "open_channels"])
def test_operators_come_and_go(scene, kind):
    url = scene.talk if kind == "group_channels" else scene.square
    scene.first.ask("POST", f"/v3/{kind}/{url}/operators", {"operator_ids": [scene.bob]})
    operators = scene.first.ask("GET", f"/v3/{kind}/{url}/operators")["operators"]
    assert [user["user_id"] for user in operators] == [scene.ann, scene.bob]
    scene.first.ask("DELETE", f"/v3/{kind}/{url}/operators?operator_ids={scene.bob}")
    assert len(scene.first.ask("GET", f"/v3/{kind}/{url}/operators")["operators"]) == 1
    scene.second.ask("POST", f"/v3/{kind}/{url}/ban", {"user_id": scene.ann}, status=400)


def test_members_are_told_of_typing_deliveries_and_declined_invitations(scene):
    body = {"user_ids": [scene.ann]}
    scene.server.ask("POST", f"/v3/group_channels/{scene.talk}/typing", body)
    assert scene.second.hear("SYEV", 10900)["data"]["user_id"] == scene.ann
    scene.server.ask("DELETE", f"/v3/group_channels/{scene.talk}/typing", body)
    assert scene.second.hear("SYEV", 10901)["data"]["user_id"] == scene.ann
    scene.say("hi")
    assert scene.first.ask("GET", f"/v3/users/{scene.ann}/unread_channel_count") == {"unread_count": 1}
    scene.first.ask("PUT", f"/v3/group_channels/{scene.talk}/messages/mark_as_delivered", {"user_id": scene.ann})
    assert scene.ann in scene.second.hear("DLVR")["updated"]
    scene.server.ask("POST", "/v3/group_channels", {"channel_url": f"y{scene.talk}", "user_ids": [scene.ann]})
    scene.first.ask(
        "POST", f"/v3/group_channels/y{scene.talk}/invite",
        {"user_ids": [scene.bob], "invitation_status": {scene.bob: "invited"}})
    scene.second.ask("PUT", f"/v3/group_channels/y{scene.talk}/decline", {})
    assert scene.first.hear("SYEV", 10022)["data"]["user_id"] == scene.bob
    scene.first.ask("PUT", f"/v3/users/{scene.ann}/my_group_channels/leave", {})
    assert scene.second.hear("SYEV", 10001)["data"]["user_id"] == scene.ann
    older = scene.first.ask("PUT", f"/v3/users/{scene.ann}/my_group_channels/changelogs", {"change_ts": 1})
    assert older["updated"] == [] and set(older["deleted"]) == {scene.talk, f"y{scene.talk}"}


def test_a_login_over_http_opens_the_api(gateway):
    key = request(gateway.http_url, "POST", "/v3/users/zoe/login", {}, document=None).json["key"]
    own = request(gateway.http_url, "GET", "/v3/users/zoe", headers={"Session-Key": key}, document=None)
    assert own.json["user_id"] == "zoe"
