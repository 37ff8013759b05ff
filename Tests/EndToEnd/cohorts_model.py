"""Several fleets before one token endpoint, or each before its own, as a list of events. It shares no code with Postern.

Times are whole nanoseconds. Nothing is drawn by chance, so its counts are those of `postern simulate` exactly.
"""

import heapq
import itertools
from collections import Counter, deque
from fractions import Fraction

SECOND = 1_000_000_000


def ns(seconds):
    return int(Fraction(str(seconds)) * SECOND)


class Endpoint:
    def __init__(self, provider):
        self.free, self.turn, self.waiting = provider["concurrency"], ns(provider["latency_ms"]) // 1000, deque()


def run(scenario):
    """The counts of each fleet by its name, and the longest refresh in seconds."""
    link, end = ns(scenario["world"]["latency_ms"]) // 1000, ns(scenario["world"]["duration_s"])
    shared = Endpoint(scenario["provider"])
    counts = {fleet["name"]: Counter() for fleet in scenario["fleets"]}
    longest = dict.fromkeys(counts, 0)
    events, number = [], itertools.count()

    def at(time, what, *more):
        if time < end:
            heapq.heappush(events, (time, next(number), what, more))

    def start(fleet):
        endpoint = Endpoint(fleet["provider"]) if "provider" in fleet else shared
        count, name, life = counts[fleet["name"]], fleet["name"], ns(fleet["life_s"])

        def ask(now, then, *more):
            count["provider.calls"] += 1
            at(now + link, asked, then, *more)

        def asked(now, then, *more):
            if endpoint.free:
                endpoint.free -= 1
                at(now + endpoint.turn, made, then, *more)
            else:
                endpoint.waiting.append((made, then, *more))

        def made(now, then, *more):
            at(now + link, then, now + life, *more)
            if endpoint.waiting:
                at(now + endpoint.turn, *endpoint.waiting.popleft())
            else:
                endpoint.free += 1

        def has_token(now, expiry):
            # The upgrade there and back, the token there and the acceptance back.
            at(now + 4 * link, logged_in, expiry)

        def logged_in(now, expiry):
            count["connects.ok"] += 1
            at(max(now - link, expiry) + link, told)

        def told(now):
            count["refresh.asked"] += 1
            ask(now, renews, now)

        def renews(now, expiry, since):
            at(now + 2 * link, renewed, expiry, since)

        def renewed(now, expiry, since):
            count["refresh.accepted"] += 1
            longest[name] = max(longest[name], now - since)
            at(max(now - link, expiry) + link, told)

        for client in range(fleet["clients"]):
            at(int(client * SECOND / fleet["rate"]), ask, has_token)

    for fleet in scenario["fleets"]:
        start(fleet)
    while events:
        now, _, what, more = heapq.heappop(events)
        what(now, *more)
    return counts, {name: time / SECOND for name, time in longest.items()}
