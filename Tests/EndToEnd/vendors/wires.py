"""Four vendors' wires as the table of Docs/behaviours-of-vendors.md needs them: how a client logs in, renews and asks for
something, which tokens its backend signs, and what each message of the gateway is called there."""

import base64
import itertools
import json
import time
import urllib.parse
import uuid

import jwt

import sendbird
import sinch
import stream
from clients import control, request
from websockets.sync.client import connect


class Wire:
    """What one vendor's clients do. Its tokens are the gateway's own provider's, of the vendor's `scheme`."""

    name = scheme = ""
    path = "/"
    # Whether a new token goes over the connection that it is asked on.
    renews_in_place = True
    devices = itertools.count(1)

    def query(self, token, user):
        return ""

    def options(self, token, user):
        """What the upgrade has beside its address."""
        return {}

    def login(self, case, token, user):
        """The first message; None where the upgrade says it all."""

    def renewal(self, token): ...

    def ping(self):
        return json.dumps({"type": "ping"})

    def command(self):
        """Something that is answered."""

    odd = None

    def word(self, text):
        message = json.loads(text)
        reason = message.get("reason") or message.get("error", {}).get("reason") or message.get("number")
        return f"{message['type']} {reason}" if reason else message["type"]

    def own_token(self, case, user="martin", life=3600):
        """One that the application's backend signs, by a clock of its own."""

    def anonymous_token(self, case):
        return self.own_token(case, "!anon")

    def guest(self, case):
        """A guest's name and token."""

    def asks_unknown(self, walk):
        """What the client hears that asks for something before it has logged in."""
        peer = walk.connects(None, None)
        walk.asks(peer, "commands before it has logged in")


class Stream(Wire):
    name = scheme = "stream-video"
    path = "/video/connect"
    renews_in_place = False
    odd = json.dumps({"type": "health.check", "cid": "\u0000"})

    def query(self, token, user):
        return urllib.parse.urlencode({"api_key": "k", "stream-auth-type": "jwt", "X-Stream-Client": "stream-video-x"})

    def login(self, case, token, user):
        return json.dumps({"token": token, "user_details": {"id": user}})

    def ping(self):
        return json.dumps([{"type": "health.check", "client_id": "c"}])

    def word(self, text):
        message = json.loads(text)
        if not (error := message.get("error")):
            return message["type"]
        return " ".join(map(str, [message["type"], error["code"], *error["details"]]))

    def asks_unknown(self, walk):
        walk.hears("says nothing", walk.connects(None, None))

    def own_token(self, case, user="martin", life=3600):
        return stream.mint(user, life, secret=case.made["secret"], iat=int(time.time()))

    def guest(self, case):
        answer = request(
            case.http_url, "POST", "/video/guest?api_key=k", {"user": {"id": "tom"}},
            headers={"stream-auth-type": "anonymous"}, document=None).json
        return answer["user"]["id"], answer["access_token"]


class Sendbird(Wire):
    name = scheme = "sendbird"

    def query(self, token, user):
        query = {"p": "JS", "pv": "x", "sv": "4.22.7", "ai": sendbird.APPLICATION, "expiring_session": "1", "user_id": user}
        return urllib.parse.urlencode(query)

    def options(self, token, user):
        return {"subprotocols": [sendbird.subprotocol(token=token)]}

    def renewal(self, token):
        return self.say("LOGI", token=token, expiring_session=1)

    def ping(self):
        return "PING" + json.dumps({"id": int(time.time() * 1000), "active": 1}) + "\n"

    def command(self):
        return self.say("MESG", channel_url="none", message="hello")

    @property
    def odd(self):
        return self.say("MESG", channel_url="none", message="odd\u0000")

    def say(self, command, **members):
        return command + json.dumps({**members, "req_id": str(next(self.devices))}) + "\n"

    def word(self, text):
        if text[:1] == "{":
            return json.loads(text)["type"]
        command, payload = text[:4], json.loads(text[4:])
        code = payload.get("reason" if command == "EXPR" else "code")
        return f"{command} {code}" if code else command

    def own_token(self, case, user="martin", life=3600):
        return sendbird.session_token(user, life, secret=case.made["secret"])

    def anonymous_token(self, case):
        return ""

    def guest(self, case):
        # Who was never given a token comes by name alone.
        return "tom", ""

    def asks_unknown(self, walk):
        """A living session key without a socket."""
        key = json.loads(walk.connects(walk.token(), "martin", closing=True)[4:])["key"]
        answer = request(
            walk.http_url, "GET", "/v3/users/martin/my_group_channels", headers={"Session-Key": key}, document=None)
        walk.step("asks over HTTP behind its socket", f"HTTP {answer.status} {answer.json['code']}")


class Sinch(Wire):
    name = scheme = "sinch"
    path = "/sinch/v1/connect"
    application = "postern"
    odd = json.dumps({"type": "joinCall", "callId": "odd\u0000"})

    def login(self, case, token, user):
        # Each connection is another device, which registers by its token.
        device = f"d{next(self.devices)}"
        return json.dumps(
            {"type": "start", "applicationKey": self.application, "userId": user, "deviceId": device, "jwt": token})

    def renewal(self, token):
        return json.dumps({"type": "register", "jwt": token})

    def command(self):
        return json.dumps({"type": "joinCall", "callId": "default:standup"})

    def own_token(self, case, user="martin", life=3600):
        secret = case.made["secret"]
        # base64 in either alphabet, as the gateway takes it.
        secret = base64.b64encode(base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))).decode()
        claims = sinch.claims(user, self.application, instance_life=life, life=min(life, 600))
        return sinch.sign(
            {"alg": "HS256", "kid": sinch.kid()}, {**claims, "postern:life": "any"}, secret, separators=(",", ":"))

    def guest(self, case):
        guest = request(
            case.http_url, "POST", f"/sinch/v1/applications/{self.application}/guests", document=None).json
        return guest["userId"], guest["jwt"]


class Streem(Wire):
    name = scheme = "streem"
    path = "/streem/v1/connect"
    odd = json.dumps({"type": "createInvitation", "id": "1", "toUserName": "odd\u0000"})

    def login(self, case, token, user):
        return json.dumps({"type": "identify", "token": token})

    def renewal(self, token):
        return json.dumps({"type": "token", "id": str(next(self.devices)), "token": token})

    def command(self):
        return json.dumps({"type": "getRecentlyIdentifiedUsers", "id": str(next(self.devices))})

    def guest(self, case):
        """An invited customer's."""
        with connect(case.url + self.path, proxy=None) as expert:
            expert.send(json.dumps({"type": "identify", "token": case.token("ann"), "isExpert": True}))
            expert.recv(timeout=60)
            expert.send(json.dumps({"type": "createInvitation", "toUserName": "Tom"}))
            code = json.loads(expert.recv(timeout=60))["invitationCode"]
        answer = request(
            case.http_url, "POST", f"/streem/v1/invitations/{code}/login", {"appId": "a"}, document=None).json
        return "", answer["identity"]["token"]

    def own_token(self, case, user="martin", life=3600):
        key = control(case, "POST", "/streem/api-keys", {}).json
        members = json.loads(base64.b64decode(key["secret"] + "=" * (-len(key["secret"]) % 4)))
        now = int(time.time())
        claims = {
            "iss": f"streem:api:{key['id']}", "sub": user, "aud": f"https://api.{key['environment']}.streem.cloud/",
            "iat": now, "exp": now + min(life, 300), "session_exp": now + life,
        }
        return jwt.encode(claims, jwt.PyJWK(members, "ES256").key, algorithm="ES256")


WIRES = {wire.name: wire for wire in (Stream(), Sendbird(), Sinch(), Streem())}
