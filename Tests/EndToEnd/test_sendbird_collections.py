"""A client's local copy of messages and channels after it was away, compared with the server's.

The client is a model of what the vendor's do with their local cache: it keeps what it has seen, asks what changed and what
is missing when it is back, and never reads again what it was not told to.
"""

import contextlib
import random
import threading
import time

import pytest

from gateway import Gateway
from test_sendbird_operations import Caller

FOREVER = 9007199254740991
NAMES = ("ann", "bob", "eve")


@pytest.fixture(scope="module")
def gateway():
    with Gateway() as gateway:
        yield gateway


class Messages:
    """The messages of a channel that a client keeps."""

    def __init__(self, caller, url):
        self.caller, self.path = caller, f"/v3/group_channels/{url}"
        self.kept, self.fresh_starts = {}, 0
        self.begin()
        self.token = caller.ask("GET", f"{self.path}/messages/changelogs?change_ts={self.now}")["next"]

    def begin(self):
        found = self.caller.ask(
            "GET", f"{self.path}/messages?message_ts={FOREVER}&prev_limit=50&next_limit=0&include_reply_type=all")
        self.kept = {message["message_id"]: message for message in found["messages"]}
        self.now = max((message["created_at"] for message in found["messages"]), default=0)

    def times(self):
        return [message["created_at"] for message in self.kept.values()] or [0]

    def come_back(self):
        while True:
            log = self.caller.ask("GET", f"{self.path}/messages/changelogs?token={self.token}&include_reply_type=all")
            for message in log["updated"]:
                if message["message_id"] in self.kept:
                    self.kept[message["message_id"]] = message
            for gone in log["deleted"]:
                self.kept.pop(gone["message_id"], None)
            self.token = log["next"]
            if not log["has_more"]:
                break
        first, last = min(self.times()), max(self.times())
        gap = self.caller.ask(
            "GET", f"{self.path}/messages_gap?prev_start_ts={first}&prev_end_ts={last}&prev_cache_count={len(self.kept)}"
            f"&next_start_ts={last}&next_end_ts={FOREVER}&next_cache_count=1&checking_continuous_messages=true"
            "&include_reply_type=all")
        if gap["is_huge_gap"]:
            self.fresh_starts += 1
            return self.begin()
        for message in gap["prev_messages"] + gap["next_messages"]:
            self.kept[message["message_id"]] = message

    def check(self):
        """The client's copy is what the server has of that range."""
        first = min(self.times())
        found, place = {}, FOREVER
        while True:
            page = self.caller.ask(
                "GET", f"{self.path}/messages?message_ts={place}&prev_limit=200&next_limit=0&include_reply_type=all"
            )["messages"]
            found |= {message["message_id"]: message for message in page}
            if len(page) < 200 or page[0]["created_at"] <= first:
                break
            place = page[0]["created_at"]
        theirs = {number: shown(message) for number, message in found.items() if message["created_at"] >= first}
        assert {number: shown(message) for number, message in self.kept.items()} == theirs


def shown(message):
    thread = message.get("thread_info") or {}
    reactions = {reaction["key"]: sorted(reaction["user_ids"]) for reaction in message.get("reactions", [])}
    return message["message"], thread.get("reply_count", 0), reactions


class Channels:
    """The channels that a client lists, without hidden ones."""

    def __init__(self, caller, user):
        self.caller, self.path = caller, f"/v3/users/{user}/my_group_channels"
        self.kept, self.token = self.listed(), ""
        self.come_back()

    def listed(self):
        found, token = {}, ""
        while True:
            page = self.caller.ask(
                "GET", f"{self.path}?limit=100&order=latest_last_message&show_empty=true&hidden_mode=unhidden_only"
                f"&show_member=true&token={token}")
            found |= {channel["channel_url"]: summary(channel) for channel in page["channels"]}
            token = page["next"]
            if not token:
                return found

    def come_back(self):
        while True:
            log = self.caller.ask("GET", f"{self.path}/changelogs?change_ts=0&token={self.token}&show_empty=true&show_member=true")
            for channel in log["updated"]:
                self.kept[channel["channel_url"]] = summary(channel)
                if channel["hidden_state"] != "unhidden":
                    del self.kept[channel["channel_url"]]
            for url in log["deleted"]:
                self.kept.pop(url, None)
            self.token = log["next"]
            if not log["has_more"]:
                break

    def check(self):
        assert self.kept == self.listed()


def summary(channel):
    last = channel["last_message"] or {}
    members = sorted((member["user_id"], member["is_muted"], member["role"]) for member in channel["members"])
    return (
        channel["name"], last.get("message_id"), last.get("message"), channel["unread_message_count"], channel["freeze"],
        channel["my_role"], channel["is_muted"], members)


class Others:
    """Random actions of other clients."""

    def __init__(self, gateway, names, seed):
        self.chance, self.server = random.Random(seed), Caller(gateway)
        self.ann, self.bob, self.eve = names
        self.talk = f"talk-{self.ann}"
        self.made, self.numbers = 0, []
        for name in names:
            self.server.ask("POST", "/v3/users", {"user_id": name, "nickname": name, "profile_url": ""})
        self.make(self.talk)

    def make(self, url):
        body = {"channel_url": url, "name": url, "user_ids": [self.ann, self.bob, self.eve], "operator_ids": [self.bob]}
        self.server.ask("POST", "/v3/group_channels", body)

    def others(self):
        page = self.server.ask("GET", f"/v3/users/{self.bob}/my_group_channels?limit=100&show_empty=true")
        return [channel["channel_url"] for channel in page["channels"] if channel["channel_url"] != self.talk]

    def message(self, method, number="", **body):
        path = f"/v3/group_channels/{self.talk}/messages" + (f"/{number}" if number else "")
        return self.server.ask(method, path, {"message_type": "MESG", **body} if body else None)

    def say(self, **members):
        said = self.message("POST", user_id=self.bob, message=f"m{self.chance.random()}", **members)
        self.numbers.append(said["message_id"])

    def change(self):
        kinds = ("say", "edit", "delete", "react", "reply", "make", "end", "rename", "hide", "leave", "moderate", "speak")
        weights = (6, 4, 4, 2, 2, 2, 1, 1, 1, 1, 2, 2)
        getattr(self, "do_" + self.chance.choices(kinds, weights)[0])()

    def do_say(self):
        self.say()

    def do_edit(self):
        if self.numbers:
            self.message("PUT", self.chance.choice(self.numbers), message=f"e{self.chance.random()}")

    def do_delete(self):
        if self.numbers:
            number = self.numbers.pop(self.chance.randrange(len(self.numbers)))
            self.message("DELETE", number)

    def do_react(self):
        if self.numbers:
            path = f"/v3/group_channels/{self.talk}/messages/{self.chance.choice(self.numbers)}/reactions"
            self.server.ask("POST", path, {"reaction": self.chance.choice(("up", "down")), "user_id": self.eve})

    def do_reply(self):
        if self.numbers:
            self.say(parent_message_id=self.chance.choice(self.numbers))

    def do_make(self):
        self.made += 1
        self.make(f"c{self.made}-{self.ann}")

    def one(self):
        return self.chance.choice(self.others() or [None])

    def do_end(self):
        if url := self.one():
            self.server.ask("DELETE", f"/v3/group_channels/{url}")

    def do_rename(self):
        if url := self.one():
            self.server.ask("PUT", f"/v3/group_channels/{url}", {"name": f"n{self.chance.random()}"})

    def do_hide(self):
        if (url := self.one()) and self.is_in(url):
            if self.chance.random() < 0.5:
                body = {"user_id": self.ann, "allow_auto_unhide": self.chance.random() < 0.5}
                self.server.ask("PUT", f"/v3/group_channels/{url}/hide", body)
            else:
                self.server.ask("DELETE", f"/v3/group_channels/{url}/hide?user_id={self.ann}")

    def do_speak(self):
        if url := self.one():
            body = {"message_type": "MESG", "user_id": self.bob, "message": "hello"}
            self.server.ask("POST", f"/v3/group_channels/{url}/messages", body)

    def is_in(self, url):
        answer = self.server.ask("GET", f"/v3/group_channels/{url}/members/{self.ann}", raw=b"", status=200)
        return answer.json["is_member"] and answer.json["state"] == "joined"

    def do_leave(self):
        if url := self.one():
            if self.is_in(url):
                self.server.ask("PUT", f"/v3/group_channels/{url}/leave", {"user_ids": [self.ann]})
            else:
                self.server.ask("POST", f"/v3/group_channels/{url}/invite", {"user_ids": [self.ann]})

    def do_moderate(self):
        url = self.one()
        if not url:
            return
        path = f"/v3/group_channels/{url}"
        kind = self.chance.choice(("mute", "unmute", "ban", "freeze", "role"))
        if kind == "freeze":
            self.server.ask("PUT", f"{path}/freeze", {"freeze": self.chance.random() < 0.5})
        elif not self.is_in(url):
            return
        elif kind == "mute":
            self.server.ask("POST", f"{path}/mute", {"user_id": self.ann, "seconds": -1})
        elif kind == "unmute":
            self.server.ask("DELETE", f"{path}/mute/{self.ann}")
        elif kind == "role":
            self.server.ask("POST", f"{path}/operators", {"operator_ids": [self.ann]})
        else:
            self.server.ask("POST", f"{path}/ban", {"user_id": self.ann, "seconds": -1})
            if self.chance.random() < 0.5:
                self.server.ask("DELETE", f"{path}/ban/{self.ann}")
                self.server.ask("POST", f"{path}/invite", {"user_ids": [self.ann]})


@pytest.mark.parametrize("seed, changes", [(1, 5), (2, 40), (3, 300), (4, 300), (5, 600)])
def test_after_an_absence_a_client_shows_what_the_server_has(gateway, seed, changes):
    others = Others(gateway, [f"{name}-{seed}" for name in NAMES], seed)
    for _ in range(60):
        others.do_say()
    for _ in range(8):
        others.do_make()
    ann = Caller(gateway, others.ann)
    messages, channels = Messages(ann, others.talk), Channels(ann, others.ann)
    for absence in range(3):
        ann.socket.stack.close()
        for _ in range(changes):
            others.change()
        ann = Caller(gateway, others.ann)
        messages.caller = channels.caller = ann
        messages.come_back()
        channels.come_back()
        messages.check()
        channels.check()
    ann.socket.stack.close()
    assert messages.fresh_starts == 0 or changes > 100


def test_a_client_hears_of_all_that_went_while_it_was_away(gateway):
    others = Others(gateway, [f"{name}-many" for name in NAMES], 1)
    for _ in range(350):
        others.say()
    for _ in range(120):
        others.do_make()
    ann = Caller(gateway, others.ann)
    messages, channels = Messages(ann, others.talk), Channels(ann, others.ann)
    # Scrolls back to the first message.
    for _ in range(2):
        page = ann.ask("GET", f"{messages.path}/messages?message_ts={min(messages.times())}&prev_limit=150&next_limit=0")
        messages.kept |= {message["message_id"]: message for message in page["messages"]}
    assert len(messages.kept) == 350
    ann.socket.stack.close()
    for number in others.numbers[:300]:
        others.message("DELETE", number)
    for number in range(1, 116):
        others.server.ask("DELETE", f"/v3/group_channels/c{number}-{others.ann}")
    others.say()
    ann = Caller(gateway, others.ann)
    messages.caller = channels.caller = ann
    messages.come_back()
    channels.come_back()
    assert messages.fresh_starts == 0 and len(messages.kept) == 51
    messages.check()
    channels.check()
    ann.socket.stack.close()


@contextlib.contextmanager
def at_once(count, work):
    """Runs `work(number)` in this many threads, and waits for them at the end."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_nothing_is_lost_of_what_many_write_at_once(tmp_path, kind):
    flags = ["--store", f"sqlite:{tmp_path}/store"] if kind == "sqlite" else []
    with Gateway(*flags) as gateway:
        others = Others(gateway, NAMES, 1)
        path = f"/v3/group_channels/{others.talk}/messages"
        with at_once(8, lambda _: [others.say() for _ in range(40)]):
            pass
        # Scrolls back by the times of the outermost messages, as clients do that skip what they have.
        seen, place = {}, FOREVER
        while True:
            page = others.server.ask("GET", f"{path}?message_ts={place}&prev_limit=7&next_limit=0&include=false")["messages"]
            if not page:
                break
            assert not seen.keys() & {message["message_id"] for message in page}
            seen |= {message["message_id"]: message for message in page}
            place = page[0]["created_at"]
        assert sorted(seen) == sorted(others.numbers)
        times = [seen[number]["created_at"] for number in sorted(seen)]
        assert times == sorted(times)

        # Asks for changes repeatedly while others make them.
        kept, token = {}, others.server.ask("GET", f"{path}/changelogs?change_ts=1")["next"]

        def come_back():
            nonlocal token
            while True:
                log = others.server.ask("GET", f"{path}/changelogs?token={token}")
                kept.update({message["message_id"]: message["message"] for message in log["updated"]})
                token = log["next"]
                if not log["has_more"]:
                    return

        begun = time.monotonic()

        def goes_on():
            return time.monotonic() < begun + (2 if len(kept) > 50 else 60)

        def edit(number):
            chance = random.Random(number)
            while goes_on():
                others.message("PUT", chance.choice(others.numbers), message=f"e{chance.random()}")

        with at_once(6, edit):
            while goes_on():
                come_back()
        come_back()
        theirs = {number: others.message("GET", number)["message"] for number in kept}
        assert len(kept) > 50 and kept == theirs
