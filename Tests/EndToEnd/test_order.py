"""Commands that arrive in one segment are done, answered and heard in the order in which they were sent."""

import json

import pytest

from clients import request
from gateway import SECRET, Gateway
from raw import RawSocket
from sendbird import APPLICATION

ROUNDS = 100


class Segment(RawSocket):
    """A Sendbird client that sends several commands in one segment."""

    def __init__(self, gateway, user):
        super().__init__(gateway)
        assert " 101 " in self.upgrade(path=f"/?p=JS&sv=4.22.7&ai={APPLICATION}&user_id={user}")
        assert self.read_command()[0] == "LOGI"

    def say(self, *commands):
        send, held = self.send, []
        self.send = held.append
        for name, members in commands:
            self.frame(1, f"{name}{json.dumps(members)}\n".encode())
        self.send = send
        self.send(b"".join(held))

    def read_command(self):
        opcode, payload = self.read_frame()
        assert opcode == 1
        return payload[:4].decode(), json.loads(payload[4:])

    def read_commands(self, count, *names):
        """The next so many commands of these names."""
        heard = []
        while len(heard) < count:
            name, members = self.read_command()
            assert name != "EROR", members
            if name in names:
                heard.append((name, members))
        return heard


@pytest.fixture(scope="module", params=[1, 2])
def gateway(request):
    with Gateway("--sendbird-app-id", APPLICATION, loops=request.param) as gateway:
        yield gateway


def platform(gateway, path, body):
    answer = request(gateway.http_url, "POST", path, body, headers={"Api-Token": SECRET}, document=None)
    assert answer.status == 200, answer.body


def test_a_reply_and_a_plain_message(gateway):
    for user in ["ann", "bob"]:
        platform(gateway, "/v3/users", {"user_id": user, "nickname": user, "profile_url": ""})
    platform(gateway, "/v3/group_channels", {"channel_url": "talk", "user_ids": ["ann", "bob"]})
    with Segment(gateway, "ann") as ann, Segment(gateway, "bob") as bob:
        ann.say(("MESG", {"channel_url": "talk", "message": "parent", "req_id": "p"}))
        parent = ann.read_commands(1, "MESG")[0][1]["msg_id"]
        bob.read_commands(1, "MESG")
        for number in range(ROUNDS):
            ann.say(
                ("MESG", {"channel_url": "talk", "message": "reply", "parent_message_id": parent, "req_id": f"r{number}"}),
                ("MESG", {"channel_url": "talk", "message": "plain", "req_id": f"m{number}"}),
            )
            assert [members["req_id"] for _, members in ann.read_commands(2, "MESG")] == [f"r{number}", f"m{number}"]
            assert [members["message"] for _, members in bob.read_commands(2, "MESG")] == ["reply", "plain"]


def test_a_message_and_the_exit_from_an_open_channel(gateway):
    platform(gateway, "/v3/open_channels", {"channel_url": "hall"})
    with Segment(gateway, "eve") as eve, Segment(gateway, "dan") as dan:
        dan.say(("ENTR", {"channel_url": "hall", "req_id": "e"}))
        dan.read_commands(1, "ENTR")
        for number in range(ROUNDS):
            eve.say(
                ("ENTR", {"channel_url": "hall", "req_id": f"a{number}"}),
                ("MESG", {"channel_url": "hall", "message": f"m{number}", "req_id": f"b{number}"}),
                ("EXIT", {"channel_url": "hall", "req_id": f"c{number}"}),
            )
            answers = eve.read_commands(3, "ENTR", "MESG", "EXIT")
            assert [name for name, _ in answers] == ["ENTR", "MESG", "EXIT"]
            assert dan.read_commands(1, "MESG")[0][1]["message"] == f"m{number}"
