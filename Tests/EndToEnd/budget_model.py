"""A fleet that asks a token endpoint with rate budgets for its logins, as a list of events. It shares no code with Postern.

Times are whole nanoseconds. Nothing is drawn by chance, so its counts are those of `postern simulate` exactly.
"""

import heapq
from collections import Counter, deque
from fractions import Fraction

SECOND = 1_000_000_000


def ns(seconds):
    return int(Fraction(str(seconds)) * SECOND)


class Window:
    """The requests of one user or address that passed a budget, by time."""

    def __init__(self, budget):
        self.limit, self.length, self.slides = budget["limit"], ns(budget["window_s"]), budget.get("kind") == "sliding"
        self.start, self.now, self.before = None, 0, 0

    def roll(self, at):
        if self.start is None or at - self.start < self.length:
            return
        if not self.slides:
            self.start, self.now = None, 0
            return
        steps = (at - self.start) // self.length
        self.before = self.now if steps == 1 else 0
        self.now = 0
        self.start += steps * self.length
        if self.before == 0:
            self.start = None

    def passes(self, at):
        self.roll(at)
        if self.start is None:
            return True
        share = Fraction(self.length - (at - self.start), self.length) if self.slides else 0
        return self.before * share + self.now + 1 <= self.limit

    def take(self, at):
        self.roll(at)
        if self.start is None:
            self.start = at
        self.now += 1


class Ban:
    def __init__(self, ban):
        self.after, self.within, self.length = ban["after"], ns(ban["within_s"]), ns(ban["for_s"])
        self.first, self.refusals, self.until = 0, 0, -1

    def refused(self, at):
        if self.refusals == 0 or at >= self.first + self.within:
            self.first, self.refusals = at, 0
        self.refusals += 1
        if self.refusals == self.after:
            self.until, self.refusals = at + self.length, 0


class Budget:
    def __init__(self, budget):
        self.budget, self.windows, self.bans = budget, {}, {}

    def key(self, user, address):
        return {"user": user, "address": address, "all": 0}[self.budget["per"]]

    def is_banned(self, key, at):
        return key in self.bans and at < self.bans[key].until

    def passes(self, key, at):
        return key not in self.windows or self.windows[key].passes(at)

    def take(self, key, at):
        self.windows.setdefault(key, Window(self.budget)).take(at)

    def refused(self, key, at):
        if "ban" in self.budget:
            self.bans.setdefault(key, Ban(self.budget["ban"])).refused(at)


def judge(budgets, user, address, at):
    """The status of a refusal; None if the request passes."""
    for budget in budgets:
        if budget.is_banned(budget.key(user, address), at):
            return budget.budget["ban"].get("status", 403)
    for budget in budgets:
        key = budget.key(user, address)
        if not budget.passes(key, at):
            budget.refused(key, at)
            return 429
    for budget in budgets:
        budget.take(budget.key(user, address), at)
    return None


def run(scenario, hammering):
    """The figures of the logins of a scenario; `hammering` are the numbers of the clients that hammer."""
    clients, client, provider = scenario["clients"], scenario["client"], scenario["provider"]
    link, end = ns(scenario["world"]["latency_ms"]) // 1000, ns(scenario["world"]["duration_s"])
    pause, base = max(ns(client["hammer_pause_s"]), SECOND // 1000), ns(client["backoff"]["base_s"])
    addresses = -(-clients // client["users_per_address"])
    away = [(ns(p["at_s"]), ns(p["at_s"]) + ns(p["for_s"])) for p in provider["pauses"]]
    places, work = provider["concurrency"], ns(provider["latency_ms"]) // 1000
    full = min(60, max(1, -(-Fraction(provider["queue_max"]) * work // (places * SECOND))))
    budgets = [Budget(budget) for budget in provider["budgets"]]
    events, count, hit, waiting = [], Counter(), set(), deque()
    tries, busy, number = Counter(), 0, 0

    def at(time, what, who, more=None):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, who, more))

    for who in range(clients):
        at(int(Fraction(who, scenario["rate"]) * SECOND), "ask", who)
    while events:
        now, _, what, who, more = heapq.heappop(events)
        if now >= end:
            break
        if what == "ask":
            count["calls"] += 1
            at(now + link, "arrive", who)
        elif what == "arrive":
            status = judge(budgets, who, who % addresses, now)
            if status is None and any(start <= now < stop for start, stop in away):
                status = 503
            if status is not None:
                at(now + link, "told", who, status)
            elif busy < places:
                busy += 1
                at(now + work, "made", who)
            elif len(waiting) < provider["queue_max"]:
                waiting.append(who)
            else:
                at(now + link, "told", who, 503)
        elif what == "made":
            at(now + link, "token", who)
            busy -= 1
            if waiting:
                busy += 1
                at(now + work, "made", waiting.popleft())
        elif what == "token":
            count["granted"] += 1
        elif what == "told":
            count[more] += 1
            tries[who] += 1
            if more != 503 and who not in hammering:
                count["innocent"] += 1
                hit.add(who)
            if who in hammering:
                at(now + pause, "ask", who)
            elif more != 403 and tries[who] < client["login_tries"]:
                at(now + (ns(full) if more == 503 else base), "ask", who)
    return {
        "provider.calls": count["calls"], "provider.granted": count["granted"], "provider.limited": count[429],
        "provider.banned": count[403], "provider.limited.innocent": count["innocent"],
        "provider.limited.clients": len(hit),
    }
