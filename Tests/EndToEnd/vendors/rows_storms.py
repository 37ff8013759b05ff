"""What comes of the rows of storms, and of a gateway that ends."""

import json
import time

from clients import control
from vendors.walk import PATIENCE, Peer


def storm(word, bound="120s"):
    """A row whose report says this, after `bound` at the latest: who takes longer to come back than its tokens live never settles."""

    def script(walk):
        walk.calls[-1] += f" --dialect {walk.wire.name} --timeout {bound}"
        walk.step("the report", word(walk.storm(expected=(0, 1))))

    return script


def came_back(result):
    returns = result["returns"]
    lost = returns["interrupted"] - returns["returned"]
    return f"{lost} lost" if returns["interrupted"] else "nobody cut off"


def refreshes(count):
    """Where a refresh is a new connection, some take a second try."""
    return lambda result: f"{count} refreshes" if result["refreshes"]["accepted"] >= count else "too few"


def wave(result):
    """How long the wave of refreshes took, in bins of the report."""
    bins = [number for number, count in result["bins"]["accepted"] if count]
    return (bins[-1] - bins[0] + 1) * result["bins"]["bin_ms"] / 1000


def refusals(result):
    connects = result["connects"]
    return "refusals" if sum(connects["failed"].values()) + connects["again"] else "none"


def spread(result):
    return f"a wave of {'more than' if wave(result) > 0.5 else 'less than'} 0.5 s"


x1, x11 = storm(refreshes(40)), storm(refreshes(80), "30s")
x2, x3 = storm(spread, "40s"), storm(spread)
x4 = x6 = storm(came_back)
x7 = storm(lambda result: f"{sum(result['provider']['refused'].values())} refused by the provider")
x8 = x9 = storm(refusals)


def x10(walk):
    walk.step("the journal", json.loads(walk.call())["verdict"])


def x12(walk):
    walk.call()
    for _ in range(3):
        walk.peers.append(Peer(walk, walk.token(), "martin"))
    for peer in walk.peers:
        peer.next(PATIENCE)
    walk.step("connects three times", f"{len(json.loads(walk.call())['sessions'])} sessions")


def x13(walk):
    walk.call()
    walk.enters("x.y.z", name="connects with a dead token")
    walk.enters("x.y.z", name="again")
    counted = [line for line in walk.call().splitlines() if "refused" in line and line.endswith(" 2")]
    walk.step("the metrics", "2 counted" if counted else "none")


def x14(walk):
    peer = walk.enters()
    other = walk.enters(walk.token("ann"), "ann", name="so does ann")
    walk.call()
    walk.hears("both wait", peer, other)


def x15(walk):
    time.sleep(1.1)
    old = walk.token()
    peer = walk.enters(walk.token())
    time.sleep(1.1)
    walk.calls_and_hears(peer, 2)
    walk.enters(old, name="connects with a token of before")
    time.sleep(1.1)
    walk.renews(peer)


# A gateway that ends


def r12(walk):
    first = walk.token()
    peer = walk.enters(first)
    control(walk, "POST", "/revocations", {"user_id": "martin"})
    walk.waits(peer, "is revoked")
    other = walk.enters(user="ann", name="ann connects")
    walk.ends("ann waits for the end", other)
    walk.make(None)
    walk.enters(first, name="martin comes back with the old token")
    time.sleep(1.1)
    walk.enters(name="with a new one")


def x5(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)


h3 = x5
