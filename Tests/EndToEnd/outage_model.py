"""A list of events that models a fleet whose token provider is away for a while. It shares no code with Postern.

Times are whole nanoseconds. Nothing is drawn by chance, so its counts are those of `postern simulate` exactly.
"""

import heapq
from collections import Counter, deque
from fractions import Fraction

SECOND = 1_000_000_000


def ns(seconds):
    return int(Fraction(str(seconds)) * SECOND)


class Client:
    def __init__(self):
        # The latest request, whether it is for a login, and until when the gateway waits for a token.
        self.request, self.logs_in, self.until = None, True, None


class Request:
    def __init__(self, client, at):
        self.client, self.at, self.is_over = client, at, False


def run(scenario):
    """The counts of a scenario: what the fleet saw, and what the provider did."""
    client, provider = scenario["client"], scenario["provider"]
    link, end = ns(scenario["world"]["latency_ms"]) // 1000, ns(scenario["world"]["duration_s"])
    patience, base, life = ns(client["fetch_timeout_s"]), ns(client["backoff"]["base_s"]), ns(scenario["life_s"])
    timeout = ns(scenario["gateway"]["refresh_timeout_s"])
    places, work, room = provider["concurrency"], ns(provider["latency_ms"]) // 1000, provider["queue_max"]
    away = [(ns(p["at_s"]), ns(p["at_s"]) + ns(p["for_s"]), p.get("refuses", False)) for p in provider["pauses"]]
    # What a full queue has every client wait for: whole seconds.
    told = ns(min(60, max(1, -(-Fraction(room) * work // (places * SECOND)))))
    drops = provider["abandoned"] == "drop"
    count, events, waiting, vain, busy, number = Counter(), [], deque(), [], 0, 0

    def at(time, what, *more):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, more))

    def pause(now):
        return next((refuses for start, stop, refuses in away if start <= now < stop), None)

    def ask(who, now):
        count["provider.calls"] += 1
        who.request = Request(who, now)
        at(now + link, "arrive", who.request)
        at(now + patience, "timeout", who.request)

    def again(who, wait, now):
        if who.logs_in or now + wait < who.until:
            at(now + wait, "ask", who)

    def serve(now):
        nonlocal busy
        while waiting and busy < places and pause(now) is None:
            request = waiting.popleft()
            if drops and request.is_over:
                continue
            busy += 1
            at(now + work, "made", request)

    for who in range(scenario["clients"]):
        at(int(Fraction(who) / Fraction(str(scenario["rate"])) * SECOND), "ask", Client())
    for _, stop, _ in away:
        at(stop, "back")
    while events:
        now, _, what, more = heapq.heappop(events)
        if now >= end:
            break
        if what == "ask":
            ask(more[0], now)
        elif what == "arrive":
            if pause(now) or (len(waiting) >= room and (busy >= places or pause(now) is not None)):
                at(now + link, "busy", more[0])
            else:
                waiting.append(more[0])
                serve(now)
                count["length_peak"] = max(count["length_peak"], len(waiting))
        elif what == "made":
            request = more[0]
            count["made"] += 1
            busy -= 1
            at(now + link, "token", request, (now + life) // 1000 * 1000)
            serve(now)
        elif what == "back":
            serve(now)
        elif what == "busy" and not more[0].is_over:
            more[0].is_over = True
            count["http_503"] += 1
            again(more[0].client, told, now)
        elif what == "timeout" and not more[0].is_over:
            more[0].is_over = True
            count["timed_out"] += 1
            again(more[0].client, base, now)
        elif what == "token":
            request, expiry = more
            vain.append(request.is_over)
            if request.is_over:
                continue
            request.is_over = True
            count["provider.granted"] += 1
            who = request.client
            at(now + (3 if who.logs_in else 1) * link, "accepted", who, expiry)
        elif what == "accepted":
            who, expiry = more
            count["connects.ok" if who.logs_in else "refresh.accepted"] += 1
            who.logs_in = False
            at(expiry, "asked", who)
        elif what == "asked":
            more[0].until = now + link + timeout
            at(now + link, "ask", more[0])
    count["made_for_nobody"] = sum(vain)
    count["is_down"] = sum(vain[-100:]) > 50
    return count
