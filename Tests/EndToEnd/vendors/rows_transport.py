"""What a client does in the rows of the transport, and of one failure told in nine ways."""

import time

from clients import control
from orders import until
from vendors.walk import SILENCE


def t1(walk):
    peer = walk.enters()
    walk.calls_and_hears(peer)


def t2(walk):
    peer = walk.enters()
    walk.call()
    walk.pings(peer)


def t3(walk):
    peer = walk.enters()
    walk.call()
    pong = peer.socket.ping()
    walk.pings(peer)
    walk.step("pings in the protocol", "a pong" if pong.wait(0.4) else peer.next(0.1) or "nothing")


def t4(walk):
    peer = walk.enters()
    walk.call()
    began = time.monotonic()
    peer.socket.close()
    walk.step("closes", "nothing" if time.monotonic() - began > 0.4 else "a close frame")


def t5(walk):
    walk.call()
    walk.patience_for_upgrades = 0.5
    walk.enters()


def t6(walk):
    walk.call()
    walk.enters()


def t7(walk):
    peer = walk.enters()
    walk.call()
    began = time.monotonic()
    walk.pings(peer)
    walk.step("is kept waiting", "0.3 s" if time.monotonic() - began > 0.25 else "no")


def t8(walk):
    peer = walk.enters()
    walk.call(2)
    walk.pings(peer)
    until(lambda: not control(walk, "GET", "/sessions?user=martin").json["sessions"])
    walk.step("the gateway", "0 sessions")


def t9(walk):
    peer = walk.enters()
    walk.call()
    peer.say(walk.wire.ping())
    time.sleep(0.1)
    walk.calls_and_hears(peer, name="pings")


def t10(walk):
    peer = walk.enters()
    walk.call()
    peer.say(walk.wire.ping())
    silent = peer.next(SILENCE) is None
    walk.step("pings", "nothing" if silent else "an answer")
    walk.calls_and_hears(peer, name="a second later")


def t11(walk):
    peer = walk.enters()
    walk.call()
    peer.say(walk.wire.odd)
    walk.waits(peer, "says something odd")
    peer.say(walk.wire.odd)
    walk.waits(peer, "again")


# The same failure, nine ways


def s1(walk):
    walk.call()
    walk.enters()
    walk.enters(name="again")


s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = s1
