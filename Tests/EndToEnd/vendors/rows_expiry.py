"""What a client does in the rows of expiry and of refreshes, in every wire."""

import time


def e1(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)
    walk.renews(peer)


def e2(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, len(walk.calls))
    walk.mends()
    walk.enters(name="connects again")


def e3(walk):
    old = walk.token()
    walk.call()
    walk.enters(old, name="connects with the old token")
    walk.enters(name="with a new one")


def e4(walk):
    walk.call()
    walk.enters(name="connects")
    walk.enters(name="with the next token")


def e5(walk):
    peer = walk.enters()
    walk.call()
    walk.asks(peer)
    walk.calls_and_hears(peer)
    walk.asks(peer, "commands again")


def e6(walk):
    peer = walk.enters(life=10)
    walk.calls_and_hears(peer)
    peer = walk.renews(peer, life=10)
    walk.waits(peer)


def e7(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)
    walk.pings(peer)
    walk.calls_and_hears(peer)


def e8(walk):
    peer = walk.enters()
    late = walk.enters(name="another connects")
    walk.call(2)
    walk.hears("both wait", peer, late)
    walk.renews(peer)
    walk.calls_and_hears(late, name="the other waits")


def e9(walk):
    peer = walk.enters(life=315_360_000)
    walk.calls_and_hears(peer)


def e10(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)


# The refresh


def r1(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    walk.renews(peer)


def r2(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    walk.renews(peer)
    walk.counts("refreshed", 1)


def r3(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    began = time.monotonic()
    walk.renews(peer)
    walk.step("is kept waiting", "0.7 s" if time.monotonic() - began > 0.6 else "no")


def r4(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, len(walk.calls))
    walk.renews(peer)


def r5(walk):
    walk.call()
    first = walk.token()
    peer = walk.enters(first)
    walk.calls_and_hears(peer)
    again = walk.token()
    assert again == first
    walk.renews(peer, again, "presents it again")


def r6(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    peer = walk.renews(peer)
    walk.renews(peer, name="renews again")


def r7(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    time.sleep(1.1)
    second = walk.token()
    peer = walk.renews(peer, second)
    walk.renews(peer, second, "presents the same again")


def r8(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    peer = walk.renews(peer, name="presents mallory's")
    walk.renews(peer)


def r9(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
    first, second = walk.token(), walk.token()
    peer.say(walk.wire.renewal(first))
    walk.renews(peer, second, name="renews twice at once")


def r10(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, len(walk.calls))
    walk.token()
    walk.waits(peer, "asks its provider")


def r11(walk):
    old = walk.enters()
    walk.call(2)
    new = walk.enters(name="connects again")
    walk.waits(old, "the old one waits")
    walk.pings(new, "the new one pings")


def r13(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer, 2)
