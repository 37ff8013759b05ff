"""A list of events that models clients which come and go before a token endpoint. It shares no code with Postern.

Times are seconds. An arrival's time is found by halving, not by a formula. `chance` draws how long clients stay.
"""

import functools
import heapq
import itertools
from collections import deque


def expected(points, until):
    """The number of clients that have come by then: the area below the rate."""
    area = 0.0
    for (start, rate), (end, other) in itertools.pairwise([*points, (max(until, points[-1][0]), points[-1][1])]):
        if start >= until or end <= start:
            continue
        stop = min(end, until)
        at_stop = rate + (other - rate) * (stop - start) / (end - start)
        area += (rate + at_stop) / 2 * (stop - start)
    return area


@functools.cache
def times(points, length):
    """When each client comes."""
    found = []
    while expected(points, length) > (number := len(found)) + 1e-6:
        low, high = 0.0, length
        for _ in range(60):
            middle = (low + high) / 2
            if expected(points, middle) > number:
                high = middle
            else:
                low = middle
        found.append(high)
    return found


class Client:
    def __init__(self):
        self.present, self.asking = True, 0


def run(scenario, stay, life=lambda: 3600.0):
    """The counts of one storm; `stay` and `life` return seconds."""
    link = scenario["world"]["latency_ms"] / 1000
    length, most = scenario["for_s"], scenario["clients"]
    places, turn, room = scenario["provider"]["concurrency"], scenario["provider"]["latency_ms"] / 1000, scenario["provider"]["queue_max"]
    events, order = [], itertools.count()
    counts = dict.fromkeys(["arrivals.planned", "arrivals.started", "arrivals.not_started", "arrivals.left", "connects.ok",
                            "provider.calls", "refresh.accepted"], 0)
    serving, waiting, present = 0, deque(), 0

    def at(time, what, *more):
        if time < length:
            heapq.heappush(events, (time, next(order), what, more))

    def ask(now, client, then):
        counts["provider.calls"] += 1
        at(now + link, asked, client, then)

    def come(now):
        nonlocal present
        counts["arrivals.planned"] += 1
        if present >= most:
            counts["arrivals.not_started"] += 1
            return
        present += 1
        counts["arrivals.started"] += 1
        client = Client()
        client.life = life()
        ask(now, client, logs_in)

    def asked(now, client, then):
        nonlocal serving
        if serving < places:
            serving += 1
            at(now + turn, made, client, then)
        else:
            assert len(waiting) < room, "the model knows no full queue"
            waiting.append((client, then))

    def made(now, client, then):
        nonlocal serving
        at(now + link, then, client, now + client.life)
        if waiting:
            at(now + turn, made, *waiting.popleft())
        else:
            serving -= 1

    def logs_in(now, client, end):
        # The upgrade there and back, the request for a token, and the acceptance back.
        at(now + 4 * link, logged_in, client, end)

    def logged_in(now, client, end):
        counts["connects.ok"] += 1
        at(now + stay(), leave, client)
        at(end, asks_again, client)

    def asks_again(now, client):
        at(now + link, must_renew, client)

    def must_renew(now, client):
        if client.present:
            ask(now, client, renews)

    def renews(now, client, end):
        if client.present:
            at(now + 2 * link, renewed, client, end)

    def renewed(now, client, end):
        if client.present:
            counts["refresh.accepted"] += 1
            at(end, asks_again, client)

    def leave(now, client):
        nonlocal present
        client.present = False
        present -= 1
        counts["arrivals.left"] += 1

    for time in times(tuple(map(tuple, scenario["arrivals"])), length):
        at(time, come)
    while events:
        now, _, what, more = heapq.heappop(events)
        what(now, *more)
    # In this model nobody fails.
    counts["arrivals.unfinished"] = counts["arrivals.started"] - counts["connects.ok"]
    return counts


def drawn_stay(stays, chance):
    """A function that draws how long a client stays."""
    if isinstance(stays, (int, float)):
        return lambda: stays
    if isinstance(stays, dict):
        return lambda: chance.expovariate(1 / stays["mean_s"])

    def draw():
        share, before = chance.random(), 0.0
        for seconds, part in stays:
            if share < part:
                return chance.uniform(before, seconds)
            share, before = share - part, seconds
        return stays[-1][0]

    return draw
