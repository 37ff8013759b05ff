"""Commands in one segment are run and answered in the order in which they were sent. Messages that many clients send at once,
on different loops, reach all clients in one order."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from clients import Client, control, request
from gateway import SECRET, Gateway, token
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
        """The next commands with these names, as many as given."""
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


@pytest.fixture(scope="module")
def wide():
    with Gateway("--sendbird-app-id", APPLICATION, loops=4) as gateway:
        yield gateway


SPEAKERS = 8


def loops(gateway):
    """The loops that the connections are on."""
    return {session["id"].split("_")[1] for session in control(gateway, "GET", "/sessions").json["sessions"]}


def heard(speak, speakers):
    """What each of the speakers has received. All begin at the same moment, and each sends ROUNDS messages."""
    begin = Barrier(len(speakers))

    def run(speaker):
        begin.wait()
        return speak(speaker)

    with ThreadPoolExecutor(len(speakers)) as threads:
        return list(threads.map(run, speakers))


def test_members_of_a_call_receive_concurrent_messages_in_one_order(wide):
    clients = [Client(wide, token=token(f"user{number}")) for number in range(SPEAKERS)]
    try:
        for client in clients:
            client.receive("connected")
            assert client.ask("join", cid="default:order")["type"] == "joined"
        assert len(loops(wide)) > 1

        def speak(client):
            for number in range(ROUNDS):
                client.send("publish", cid="default:order", content=number)
            messages = []
            while len(messages) < ROUNDS * SPEAKERS:
                message = client.receive()
                if message["type"] == "message":
                    messages.append((message["user_id"], message["content"]))
            return messages

        first, *others = heard(speak, clients)
        assert all(other == first for other in others)
        for user in range(SPEAKERS):
            assert [content for name, content in first if name == f"user{user}"] == list(range(ROUNDS))
    finally:
        for client in clients:
            client.__exit__()


def test_members_of_a_channel_receive_concurrent_messages_and_its_servers_in_one_order(wide):
    users = [f"u{number}" for number in range(SPEAKERS)]
    for user in users:
        platform(wide, "/v3/users", {"user_id": user, "nickname": user, "profile_url": ""})
    platform(wide, "/v3/group_channels", {"channel_url": "order", "user_ids": users})
    sockets = [Segment(wide, user) for user in users]
    try:
        assert len(loops(wide)) > 1

        def speak(socket):
            if socket is None:
                for number in range(ROUNDS):
                    message = {"message_type": "MESG", "user_id": users[0], "message": f"server {number}"}
                    platform(wide, "/v3/group_channels/order/messages", message)
                return None
            messages = []
            for number in range(ROUNDS):
                socket.say(("MESG", {"channel_url": "order", "message": f"m{number}", "req_id": f"r{number}"}))
                # A client that asks for more at once than a lane holds is refused.
                while not messages or messages[-1][1].get("req_id") != f"r{number}":
                    messages += socket.read_commands(1, "MESG")
            messages += socket.read_commands(ROUNDS * (SPEAKERS + 1) - len(messages), "MESG")
            return [(members["user"]["guest_id"], members["message"], members["msg_id"]) for _, members in messages]

        *all_heard, _ = heard(speak, [*sockets, None])
        first = all_heard[0]
        assert all(one == first for one in all_heard)
        numbers = [number for _, _, number in first]
        assert numbers == sorted(set(numbers))
        for user in users:
            said = [text for name, text, _ in first if name == user and text.startswith("m")]
            assert said == [f"m{number}" for number in range(ROUNDS)]
    finally:
        for socket in sockets:
            socket.__exit__()
