"""A list of events that models logins at a token endpoint under retry budgets and circuit breakers. It shares no code with
Postern.

Times are whole nanoseconds. Nothing is drawn by chance, so its counts are those of `postern simulate` exactly.
"""

import heapq
from collections import Counter, deque
from fractions import Fraction

SECOND = 1_000_000_000


def ns(seconds):
    return int(Fraction(str(seconds)) * SECOND)


class Budget:
    """The retries that are left. Each retry takes one, and each token puts a part of one back."""

    def __init__(self, budget):
        self.capacity, self.deposit = Fraction(budget["capacity"]), Fraction(str(budget["deposit"]))
        self.left = self.capacity


class Breaker:
    """The latest outcomes, and the time since which the breaker is open. `trials` are the calls after its open time."""

    def __init__(self, breaker):
        self.breaker, self.latest, self.opened, self.trials, self.good = breaker, deque(maxlen=breaker["of"]), None, [], 0

    def lets(self, now):
        if self.opened is None:
            return True
        if now >= self.opened + ns(self.breaker["open_s"]):
            self.opened, self.trials, self.good = now, [now], 0
            return True
        if 0 < len(self.trials) < self.breaker["probes"]:
            self.trials.append(now)
            return True
        return False

    def heard(self, success, now):
        if self.opened is not None:
            if not self.trials:
                return
            if not success:
                self.opened, self.trials, self.good = now, [], 0
            else:
                self.good += 1
                if self.good == self.breaker["probes"]:
                    self.opened = None
                    self.latest.clear()
            return
        self.latest.append(success)
        if not success and list(self.latest).count(False) >= self.breaker["failures"]:
            self.opened, self.trials, self.good = now, [], 0


class Gate:
    def __init__(self, rule):
        self.budget = Budget(rule["budget"]) if "budget" in rule else None
        self.breaker = Breaker(rule["breaker"]) if "breaker" in rule else None

    def lets(self, again, now):
        if again and self.budget and self.budget.left < 1:
            return False
        if self.breaker and not self.breaker.lets(now):
            return False
        if again and self.budget:
            self.budget.left -= 1
        return True

    def heard(self, success, now):
        if success and self.budget:
            self.budget.left = min(self.budget.capacity, self.budget.left + self.budget.deposit)
        if self.breaker:
            self.breaker.heard(success, now)


def run(scenario):
    """The figures of the logins of a scenario."""
    client, provider = scenario["client"], scenario["provider"]
    link, end = ns(scenario["world"]["latency_ms"]) // 1000, ns(scenario["world"]["duration_s"])
    base, rule = ns(client["backoff"]["base_s"]), client["retry"]
    away = [(ns(p["at_s"]), ns(p["at_s"]) + ns(p["for_s"])) for p in provider["pauses"]]
    places, work = provider["places"], ns(provider["latency_ms"]) // 1000
    full = ns(min(60, max(1, -(-Fraction(provider["queue"]) * work // (places * SECOND)))))
    everybody, gates = Gate(rule), {}
    events, count, waiting, tries = [], Counter(), deque(), Counter()
    busy = number = 0

    def gate(who):
        return everybody if rule["per"] == "fleet" else gates.setdefault(who, Gate(rule))

    def at(time, what, who):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, who))

    def failed(who, wait, now):
        tries[who] += 1
        if tries[who] < client["login_tries"]:
            at(now + wait, "ask", who)

    def serve(now):
        nonlocal busy
        while waiting and busy < places and not any(start <= now < stop for start, stop in away):
            busy += 1
            at(now + work, "made", waiting.popleft())

    for _, stop in away:
        at(stop, "back", None)
    for who in range(scenario["clients"]):
        at(int(Fraction(who, scenario["rate"]) * SECOND), "ask", who)
    while events:
        now, _, what, who = heapq.heappop(events)
        if now >= end:
            break
        if what == "ask":
            if not gate(who).lets(tries[who] > 0, now):
                count["held"] += 1
                failed(who, base, now)
                continue
            count["calls"] += 1
            at(now + link, "arrive", who)
        elif what == "arrive":
            if any(start <= now < stop for start, stop in away):
                at(now + link, "busy", who)
            elif busy < places:
                busy += 1
                at(now + work, "made", who)
            elif len(waiting) < provider["queue"]:
                waiting.append(who)
            else:
                at(now + link, "busy", who)
        elif what == "made":
            at(now + link, "token", who)
            busy -= 1
            serve(now)
        elif what == "back":
            serve(now)
        elif what == "token":
            gate(who).heard(True, now)
            count["granted"] += 1
        elif what == "busy":
            gate(who).heard(False, now)
            count["refused"] += 1
            failed(who, full, now)
    return {
        "provider.calls": count["calls"], "provider.granted": count["granted"], "provider.refused": count["refused"],
        "provider.held_back": count["held"],
    }
