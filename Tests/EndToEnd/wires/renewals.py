"""Servers and clients of two home-made wires whose clients send no message to renew: one renews by a request over HTTP, the other's
gateway pushes the next token.

Each counts what it did, to be held against what the storm says.
"""

import asyncio
import json
import time
import urllib.error
import urllib.request
import uuid
from collections import Counter
from urllib.parse import parse_qs

import jwt
from servers import SECRET, claims_of
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocketDisconnect
from websockets.asyncio.client import connect

HTTP = """
{ "wire": 1, "name": "keys",
  "before": { "path": "/keys/negotiate", "headers": { "Authorization": "Bearer {{token}}" }, "take": { "key": "/key" } },
  "connect": { "path": "/keys/socket", "query": { "key": "{{taken.key}}", "access_token": "{{token}}" } },
  "hear": [
    { "when": { "json": { "/type": "hello" } }, "is": "logged_in", "as": { "json": { "type": "hello" } } },
    { "when": { "json": { "/type": "bye" } }, "is": "goodbye", "then": "renew", "as": { "json": { "type": "bye" } } },
  ],
  "ends": [{ "http": 401, "then": "renew" }, { "http": 403, "then": "give_up" }, { "code": 4401, "then": "renew" }],
  "refresh": { "how": "http", "lead": "50%", "grace": "1s",
    "request": { "path": "/keys/refresh", "json": { "key": "{{taken.key}}", "token": "{{token}}" }, "take": { "life_s": "/expires_in" },
                 "as": { "json": { "expires_in": "{{life_s:number}}" } } } },
  "comeback": { "first": "100ms", "factor": 2, "cap": "1s" },
  "serve": { "closes": { "expired": 4401 } },
}
"""

PUSHED = """
{ "wire": 1, "name": "pushes",
  "connect": { "path": "/pushes/socket", "query": { "access_token": "{{token}}" } },
  "hear": [
    { "when": { "json": { "/type": "hello" } }, "is": "logged_in", "as": { "json": { "type": "hello" } } },
    { "when": { "json": { "/type": "token" } }, "is": "pushed", "take": { "token": "/refresh_token" },
      "as": { "json": { "type": "token", "refresh_token": "{{token}}" } } },
  ],
  "ends": [{ "http": [401, 403], "then": "renew" }, { "code": 4401, "then": "renew" }],
  "refresh": { "how": "pushed", "lead": "50%", "grace": "1s" },
  "comeback": { "first": "100ms", "factor": 2, "cap": "1s", "token": "unless_over" },
  "serve": { "closes": { "expired": 4401 } },
}
"""


def minted(user, life):
    now = time.time()
    return jwt.encode({"user_id": user, "iat": now, "exp": now + life, "jti": uuid.uuid4().hex}, SECRET, algorithm="HS256")


def keys(log, refusing=0, status=401):
    """The first wire's server. It answers the first `refusing` renewals of each connection with `status`."""
    ends, refused = {}, Counter()

    def shown(request):
        try:
            return claims_of(request.headers.get("authorization", "").removeprefix("Bearer "))
        except jwt.InvalidTokenError:
            return None

    async def negotiate(request):
        if not shown(request):
            return JSONResponse({}, 401)
        return JSONResponse({"key": uuid.uuid4().hex})

    async def refresh(request):
        said = await request.json()
        try:
            claims = claims_of(said["token"])
        except jwt.InvalidTokenError:
            log["refused"] += 1
            return JSONResponse({}, 401)
        if refused[said["key"]] < refusing:
            refused[said["key"]] += 1
            log["unwilling"] += 1
            return JSONResponse({}, status, {"Retry-After": "1"} if status == 503 else {})
        if said["key"] not in ends:
            return JSONResponse({}, 404)
        ends[said["key"]] = claims["exp"]
        log["renewed"] += 1
        log[said["token"]] += 1
        return JSONResponse({"expires_in": claims["exp"] - time.time()})

    async def feed(socket):
        await socket.accept()
        key = socket.query_params["key"]
        ends[key] = claims_of(socket.query_params["access_token"])["exp"]
        log["accepted"] += 1
        await socket.send_json({"type": "hello"})
        try:
            while ends[key] + 1 > time.time():
                try:
                    await asyncio.wait_for(socket.receive_text(), max(0.01, ends[key] + 1 - time.time()))
                except asyncio.TimeoutError:
                    continue
            log["over"] += 1
            await socket.send_json({"type": "bye"})
            await socket.close(4401)
        except WebSocketDisconnect:
            pass
        finally:
            del ends[key]

    return Starlette(
        routes=[
            Route("/keys/negotiate", negotiate, methods=["POST"]),
            Route("/keys/refresh", refresh, methods=["POST"]),
            WebSocketRoute("/keys/socket", feed),
        ]
    )


def pushes(log, life=30):
    """The second wire's server. It pushes a token of `life` seconds at once, and cuts the connection off a second later. The
    next connection of the user has to show that token; it gets another one, and stays."""
    given = {}

    async def feed(socket):
        await socket.accept()
        token = socket.query_params["access_token"]
        claims = claims_of(token)
        user = claims["user_id"]
        log["accepted"] += 1
        await socket.send_json({"type": "hello"})
        try:
            if user in given:
                log["came back with the pushed one" if given[user] == token else "came back with another"] += 1
                await socket.send_json({"type": "token", "refresh_token": minted(user, life)})
                return await socket.receive_text()
            given[user] = minted(user, life)
            await socket.send_json({"type": "token", "refresh_token": given[user]})
            log["pushed"] += 1
            await asyncio.sleep(1)
            await socket.close(1012)
        except WebSocketDisconnect:
            pass

    return Starlette(routes=[WebSocketRoute("/pushes/socket", feed)])


def post(url, body=None, **fields):
    """Status and JSON of an answer."""
    fields = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in fields.items()}}
    request = urllib.request.Request(url, json.dumps(body).encode() if body is not None else b"", fields)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


class KeysClient:
    """A client of the first wire."""

    def __init__(self, gateway, token):
        self.gateway, self.token = gateway, token

    async def __aenter__(self):
        status, answer = await asyncio.to_thread(post, f"{self.gateway.http_url}/keys/negotiate", Authorization=f"Bearer {self.token}")
        assert status == 200, answer
        self.key = answer["key"]
        self.socket = await connect(f"{self.gateway.url}/keys/socket?key={self.key}&access_token={self.token}", proxy=None)
        assert json.loads(await self.socket.recv()) == {"type": "hello"}
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def renew(self, token, key=None):
        body = {"token": token, "key": key or self.key, "sdk": "ours"}
        return await asyncio.to_thread(post, f"{self.gateway.http_url}/keys/refresh", body)


def sessions(log):
    """A server that names each connection in its hello, asks for the next token before the end of the present one, and takes it
    over HTTP, in a header beside the name."""
    ends = {}

    async def refresh(request):
        said = await request.json()
        try:
            claims = claims_of(request.headers.get("authorization", "").removeprefix("Bearer "))
        except jwt.InvalidTokenError:
            return JSONResponse({}, 401)
        if said["session"] not in ends:
            return JSONResponse({}, 404)
        ends[said["session"]] = claims["exp"]
        log["renewed"] += 1
        return JSONResponse({"ok": True, "token": {"ttl": int(claims["exp"] - time.time())}})

    async def feed(socket):
        await socket.accept()
        session = f"session-{uuid.uuid4().hex[:6]}"
        ends[session] = claims_of(socket.headers["authorization"].removeprefix("Bearer "))["exp"]
        log["accepted"] += 1
        await socket.send_json({"type": "hello", "session": session, "ttl": int(ends[session] - time.time())})
        asked = None
        try:
            while (left := ends[session] + 1 - time.time()) > 0:
                if left < 5 and asked != ends[session]:
                    asked = ends[session]
                    await socket.send_json({"type": "expiring"})
                try:
                    await asyncio.wait_for(socket.receive_text(), max(0.01, left - 5 if left > 5 else left))
                except asyncio.TimeoutError:
                    continue
            await socket.close(4401)
        except WebSocketDisconnect:
            pass
        finally:
            del ends[session]

    return Starlette(routes=[Route("/api/refresh", refresh, methods=["POST"]), WebSocketRoute("/api/socket", feed)])


# The life of the tokens of the clients below. They renew after some three seconds, and a busy machine has five more.
LIFE = 8


def exchange(log):
    """A server whose answer brings the next token to who shows the present one, in a form."""
    ends = {}

    async def trade(request):
        shown = parse_qs((await request.body()).decode())["token"][0]
        try:
            user = claims_of(shown)["user_id"]
        except jwt.InvalidTokenError:
            return JSONResponse({}, 401)
        if shown not in ends:
            return JSONResponse({}, 404)
        following = minted(user, LIFE)
        ends[following] = ends.pop(shown)
        ends[following]["end"] = claims_of(following)["exp"]
        log["renewed"] += 1
        return JSONResponse({"next": {"token": following}, "expires_in": LIFE})

    async def feed(socket):
        await socket.accept()
        token = socket.query_params["access_token"]
        place = ends[token] = {"end": claims_of(token)["exp"]}
        log["accepted"] += 1
        await socket.send_json({"type": "hello"})
        try:
            while (left := place["end"] + 1 - time.time()) > 0:
                try:
                    await asyncio.wait_for(socket.receive_text(), max(0.01, left))
                except asyncio.TimeoutError:
                    continue
            await socket.close(4401)
        except WebSocketDisconnect:
            pass

    return Starlette(routes=[Route("/exchange/token", trade, methods=["POST"]), WebSocketRoute("/exchange/socket", feed)])


# Clients that log in, renew twice and leave. `mint(user, life)` makes their tokens.


class Place:
    """Where a gateway, a server or a proxy is."""

    def __init__(self, there):
        self.url = there.url
        self.http_url = there.url.replace("ws", "http", 1)


async def still_open(socket, seconds):
    """Waits; the connection must not end."""
    try:
        await asyncio.wait_for(socket.wait_closed(), seconds)
    except asyncio.TimeoutError:
        return
    raise AssertionError(f"closed with {socket.close_code}")


async def keys_client(there, mint):
    async with KeysClient(Place(there), mint("ann", LIFE)) as client:
        for _ in range(2):
            await still_open(client.socket, 3)
            status, answer = await client.renew(mint("ann", LIFE))
            assert status == 200 and 0 < answer["expires_in"] <= LIFE, (status, answer)
        # Past the end of the first token.
        await still_open(client.socket, 3.5)


async def sessions_client(there, mint):
    place = Place(there)
    fields = {"Authorization": f"Bearer {mint('ann', LIFE)}"}
    async with connect(f"{place.url}/api/socket", additional_headers=fields, proxy=None) as socket:
        hello = json.loads(await socket.recv())
        assert hello["type"] == "hello" and 0 < hello["ttl"] <= LIFE, hello
        for _ in range(2):
            assert json.loads(await asyncio.wait_for(socket.recv(), 60)) == {"type": "expiring"}
            body = {"session": hello["session"], "sent_at": int(time.time())}
            status, answer = await asyncio.to_thread(post, f"{place.http_url}/api/refresh", body, Authorization=f"Bearer {mint('ann', LIFE)}")
            assert status == 200 and answer["ok"] and 0 < answer["token"]["ttl"] <= LIFE, (status, answer)
        await still_open(socket, 3.5)


async def exchange_client(there, mint):
    place, token = Place(there), mint("ann", LIFE)
    async with connect(f"{place.url}/exchange/socket?access_token={token}", proxy=None) as socket:
        assert json.loads(await socket.recv()) == {"type": "hello"}
        for _ in range(2):
            await still_open(socket, 3)
            form = f"grant=next&token={token}".encode()
            request = urllib.request.Request(f"{place.http_url}/exchange/token", form)
            with await asyncio.to_thread(urllib.request.urlopen, request, timeout=30) as answer:
                following = json.loads(answer.read())["next"]["token"]
            assert following != token
            token = following
        await still_open(socket, 3.5)


async def pushes_client(there, mint):
    place, token = Place(there), mint("ann", LIFE)
    for _ in range(2):
        async with connect(f"{place.url}/pushes/socket?access_token={token}", proxy=None) as socket:
            assert json.loads(await socket.recv()) == {"type": "hello"}
            message = json.loads(await asyncio.wait_for(socket.recv(), 60))
            assert message["type"] == "token" and message["refresh_token"] != token, message
            token = message["refresh_token"]


CIRCLES = {"keys": (keys, keys_client), "sessions": (sessions, sessions_client), "exchange": (exchange, exchange_client), "pushes": (pushes, pushes_client)}
