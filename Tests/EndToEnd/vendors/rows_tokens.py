"""What a client does in the rows of the token provider, of revocation and kinds of users, and of clocks."""

import json
import socket
import threading
import time
import urllib.parse

import jwt

import openid_login
import stream
from clients import control, request


def provider(walk, name="asks for a token"):
    address = urllib.parse.urlsplit(walk.http_url)
    body = json.dumps({"user_id": "martin", "scheme": walk.wire.scheme}).encode()
    # The table is made anew with the shorter wait.
    patience = 1 if walk.expected is None or walk.expected[len(walk.steps)] == "no answer" else 60
    with socket.create_connection((address.hostname, address.port), timeout=patience) as peer:
        head = f"POST /v1/tokens HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: {len(body)}\r\n"
        peer.sendall(head.encode() + b"Content-Type: application/json\r\nConnection: close\r\n\r\n" + body)
        try:
            text = peer.recv(65536).decode()
        except TimeoutError:
            return walk.step(name, "no answer")
    fields = dict(line.lower().split(": ", 1) for line in text.partition("\r\n\r\n")[0].split("\r\n")[1:])
    word = f"HTTP {text.split()[1]}"
    walk.step(name, word + (f" after {fields['retry-after']} s" if "retry-after" in fields else ""))


def p1(walk):
    walk.call()
    provider(walk)
    provider(walk, "again")


def p2(walk):
    walk.call()
    provider(walk)
    provider(walk, "again")


p3 = p1


def p4(walk):
    walk.call()
    provider(walk)
    provider(walk, "again")
    provider(walk, "again")


def p5(walk):
    walk.call(4)
    for number in ("first", "second", "third", "fourth", "fifth"):
        walk.enters(walk.token() or "x", name=f"connects with the {number} token")


def p6(walk):
    walk.call()
    walk.enters(name="connects as martin")


def p7(walk):
    def words(answer):
        tokens = answer.json
        return tokens.get("error") or ("two tokens" if {"access_token", "refresh_token"} <= set(tokens) else str(tokens))

    used = openid_login.log_in(walk).json["refresh_token"]
    walk.step("logs in and refreshes", words(openid_login.refresh(walk, used)))
    again = openid_login.refresh(walk, used)
    walk.step("with the used token", words(again))
    walk.call()
    walk.step("after the window", words(openid_login.refresh(walk, used)))
    walk.step("with the newest", words(openid_login.refresh(walk, again.json["refresh_token"])))


def p8(walk):
    # Dates of tokens may be whole seconds.
    old = walk.token()
    walk.enters(walk.token())
    time.sleep(1.1)
    walk.call()
    walk.enters(old, name="with a token of before")
    time.sleep(1.1)
    walk.enters(name="with a new one")


def p9(walk):
    walk.call()
    route = json.loads(walk.row[0].split("'")[1])["route"]
    answer = request(walk.http_url, "GET", route, document=None)
    walk.step("asks for the keys", f"HTTP {answer.status} after {answer.headers['retry-after']} s")
    walk.enters()


def p10(walk):
    walk.call()
    began = time.monotonic()
    threads = [threading.Thread(target=walk.token) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    walk.step("asks for 8 tokens", "the last later" if time.monotonic() - began > 0.3 else "all at once")


# Revocation, and kinds of users


def v1(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)


def v2(walk):
    old = walk.token()
    time.sleep(1.1)
    walk.call()
    walk.enters(old, name="connects with a token of before")
    walk.enters(old, name="again")


def v3(walk):
    walk.call()
    walk.enters(walk.wire.anonymous_token(walk), "!anon", name="connects as nobody")


def v4(walk):
    walk.call()
    walk.wire.asks_unknown(walk)


def v5(walk):
    name, token = walk.wire.guest(walk)
    peer = walk.enters(token, name, name="connects as a guest")
    walk.calls_and_hears(peer)


def v6(walk):
    walk.call()
    token = stream.mint("!anon", 3600, secret=walk.made["secret"], call_cids=["default:standup"])
    headers = {"stream-auth-type": "anonymous", "Authorization": token}
    answer = request(walk.http_url, "GET", "/video/call/default/other?api_key=k", headers=headers, document=None)
    walk.step("asks for another call", f"HTTP {answer.status} {answer.json['code']}")


def v7(walk):
    peer = walk.enters()
    walk.enters(name="connects again")
    walk.pings(peer, "the first pings")


# Clocks


def c1(walk):
    walk.call(2)
    walk.enters()


def c2(walk):
    walk.call()
    walk.enters(name="connects")
    walk.mends()
    walk.enters(name="when the clock is right again")


def c3(walk):
    walk.call()
    walk.enters(walk.own_token(life=1800), name="connects with a token of its backend")


def c4(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)


def c5(walk):
    walk.call(2)
    claims = jwt.decode(walk.token(), options={"verify_signature": False})
    wall = control(walk.host, "GET", f"/spaces/{walk.name}/clock").json["wall"]
    end = next(claims[name] for name in ("sinch:rtc:instance:exp", "session_exp", "e", "exp") if name in claims)
    walk.step("asks for a token", f"{round((end - wall - 3600) / 60)} min ahead")
    walk.enters()
