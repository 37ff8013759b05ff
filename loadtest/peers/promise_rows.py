"""The rows of `loadtest/promises`. Each function does a fault up to its `yield`; after it, everything has been checked once
more, and the function says what had to hold."""

import glob
import os
import resource
import signal
import time
from pathlib import Path

from cluster_books import ADMITTED

ADMITS = 10.5  # Seconds after which a node that cannot renew its lease of 8 s admits nobody, and a look that was under way.
ISOLATED = (28, 45)  # Seconds within which an isolated node closes its clients: a limit of 30 s, spread over 10 s.


def node_killed(run):
    place = run.place
    boots = {node["boot"] for node in place.body(place.b, "/nodes")["nodes"] if node["name"] == "a"}
    run.begin("kill -9 of a")
    place.a.process.kill()

    def counted():
        """Whether b still counts sessions of the killed process."""
        nodes, sessions = place.body(place.b, "/nodes"), place.body(place.b, "/sessions?limit=1000")
        if "nodes" not in nodes or "sessions" not in sessions:
            return True
        return any(node["name"] == "a" and node["boot"] in boots for node in nodes["nodes"]) or any(
            session["user_id"].startswith("held-a-") for session in sessions["sessions"]
        )

    while (left := counted()) and time.monotonic() < run.fault + 31:
        time.sleep(0.2)
    gone = time.monotonic() - run.fault
    run.counts["more"] = {"b counts sessions of a for": f"{gone:.1f} s"}
    run.demand(not left and gone <= 30, f"after {gone:.1f} s b still counts sessions of a")
    yield
    run.demand(len(run.ends("a")) == len(place.held.of("a")), "clients of a killed node are open")
    run.untouched("b")


def stopped(seconds):
    def act(run):
        place = run.place
        run.begin("SIGSTOP of a")
        place.a.signal(signal.SIGSTOP)
        run.books.stopped = place.a
        run.until(max(1, seconds - 4))
        left = run.books.leave(place.leaving) if seconds > 10 else None
        run.until(seconds - 1)
        # Logins that wait at the stopped node, with tokens that were revoked meanwhile.
        outcome = run.books.strike(place.a, run.fault) if seconds > 10 else lambda: (0, 0)
        run.until(seconds)
        place.a.signal(signal.SIGCONT)
        stopped_for = time.monotonic() - run.fault
        place.note("SIGCONT of a")
        run.books.stopped = None
        tried, admitted = outcome()
        time.sleep(10)
        yield
        # b declares a dead 10 to 14 s after its last renewal. A busy machine may stop it for longer, or b may be late.
        is_lost = place.logged(place.b, "event=node_taken_over") + place.logged(place.a, "event=node_lost") > 0
        run.demand(is_lost or seconds < 30, f"a goes on after {stopped_for:.1f} s")
        run.demand(not is_lost or stopped_for > 8, f"a counted as dead after {stopped_for:.1f} s")
        if is_lost:
            run.all_closed("a", seconds, seconds + 15)
        else:
            run.untouched("a")
        run.untouched("b")
        run.counts["more"] = {"slot of a lost": "yes" if is_lost else "no"}
        if seconds > 10:
            run.counts["more"] |= {"logins that waited at a": tried, "of them admitted": admitted}
            run.demand(tried, "no login of a revoked user waited at a")
            none_left_in(run, left)
            run.demand(not admitted, f"{admitted} of {tried} logins of revoked users that waited at a were admitted")

    return act


def none_left_in(run, *left):
    """Nobody revoked was admitted or refreshed on an open connection to a, which has no lease then."""
    revoked, lacking, refreshed, connected = map(sum, zip(*(one() for one in left)))
    run.counts.setdefault("more", {}).update({
        "revoked on connections to a": revoked, "by answers that lack a": lacking, "of them refreshed": refreshed,
        "of them logged in": connected,
    })  # fmt: skip
    run.demand(revoked, "nobody with a connection to a was revoked")
    run.demand(not refreshed, f"{refreshed} revoked users refreshed on their connections to a")
    run.demand(not connected, f"{connected} revoked users logged in on open connections to a")


def cut_off(run):
    place = run.place
    run.begin("the relay of a passes nothing")
    place.a.relay.set("cut")
    run.until(4)
    waiting = place.open_sockets()
    run.until(ADMITS)
    logins = run.books.leave(waiting)
    # By now b has declared a dead, and its answers lack nobody.
    run.until(22)
    refreshes = run.books.leave(place.leaving)
    run.until(50)
    place.a.relay.set("pass")
    place.note("the relay of a passes everything")
    place.await_ready()
    run.until(65)
    yield
    turned_away(run, "a", 49)
    none_left_in(run, logins, refreshes)
    run.all_closed("a", *ISOLATED)
    run.untouched("b")
    early = [one for one in run.looks("b", 0, 49) if one["outcome"] != ADMITTED]
    run.demand(not early, f"b did not admit {len(early)} clients while a was cut off")


def turned_away(run, name, last):
    """From about 8 s on the node is not ready, and answers 503 to new sockets; once its clients are closed, it may be
    away."""
    looks = run.looks(name, ADMITS, last)
    run.demand(looks, f"nobody looked at {name}")
    admitted = [one for one in looks if one["outcome"] == ADMITTED]
    run.demand(not admitted, f"{len(admitted)} new clients were admitted at {name} after {ADMITS} s")
    others = {one["status"] for one in looks if one["at"] - run.fault < ISOLATED[0]} - {503}
    run.demand(not others, f"new sockets at {name} got {others} where 503 is promised")
    ready = [one for one in looks if one["ready"] == 200]
    run.demand(not ready, f"/ready of {name} said yes {len(ready)} times after {ADMITS} s")
    first = [one["at"] - run.fault for one in run.looks(name, 0, last) if one["status"] == 503]
    run.counts.setdefault("more", {})[f"first 503 of {name} after"] = f"{first[0]:.1f} s" if first else "never"


def redis_stopped(seconds):
    def act(run):
        place = run.place
        run.begin("SIGSTOP of Redis")
        place.redis.signal(signal.SIGSTOP)
        run.until(seconds)
        place.redis.signal(signal.SIGCONT)
        place.note("SIGCONT of Redis")
        time.sleep(15)
        yield
        if seconds < 30:
            return run.untouched("a", "b")
        for name in "ab":
            turned_away(run, name, seconds - 1)
            run.all_closed(name, *ISOLATED)

    return act


def redis_killed(slack):
    def act(run):
        # With everysec, Redis may lose the last 2 s if its disk is slow at that moment (Docs/redis.md).
        run.slack = slack
        run.begin()
        run.place.restart_redis(after=5)
        time.sleep(12)
        yield
        run.untouched("a", "b")

    return act


def redis_emptied(run):
    place, books = run.place, run.books
    run.keeps_tokens = False
    before = [order for order in books.orders if order["tokens"]]
    run.begin()
    place.restart_redis(after=1)
    time.sleep(25)
    yield
    for name in "ab":
        run.all_closed(name, 0, 25)
    admitted = {token for _, token, _ in books.let_in}
    number = sum(bool(admitted & set(order["tokens"])) for order in before)
    run.counts["more"] = {"users revoked before": len(before), "of them admitted afterwards": number}


def disk_full(run):
    place = run.place
    process = place.redis.process.pid
    files = list(Path(place.redis.folder).glob("appendonlydir/*.incr.aof"))
    size, (soft, hard) = max(file.stat().st_size for file in files), resource.prlimit(process, resource.RLIMIT_FSIZE)
    run.begin(f"files of Redis may have at most {size} bytes")
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, hard))
    run.until(12)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))
    place.note("files of Redis may grow")
    place.await_ready()
    run.until(25)
    yield
    # Redis answers what it had taken before its first write failed, and writes it when it can. It may write 2 s late.
    full = [status for name in "ab" for status in run.answers(name, 4, 11)]
    run.counts["more"] = {"answers while full": {str(status): full.count(status) for status in sorted(set(full))}}
    run.demand(503 in full, "no request was answered 503 while the disk was full")
    run.demand(200 not in full, f"{full.count(200)} tokens were acknowledged while the disk was full")
    run.demand(not set(full) - {0, 200, 503}, "an answer while the disk was full was neither success nor 503")
    for name in "ab":
        run.demand(200 in run.answers(name, 13, 60), f"no token was accepted at {name} afterwards")
    run.untouched("a", "b")


def slow(run):
    place = run.place
    run.begin("both relays are slow")
    for node in place.nodes:
        node.relay.set("slow")
    run.until(30)
    for node in place.nodes:
        node.relay.set("pass")
    place.note("both relays pass at once")
    yield
    for name in "ab":
        statuses = run.answers(name, 1, 29)
        run.counts.setdefault("more", {})[f"accepted at {name} while slow"] = f"{statuses.count(200)} of {len(statuses)}"
        run.demand(200 in statuses, f"no token was accepted at {name} while its relay was slow")
    run.untouched("a", "b")


def clock(run):
    place = run.place
    file = Path(place.folder, "clock")

    def step(offset):
        Path(place.folder, "clock.new").write_text(offset + "\n")
        os.replace(Path(place.folder, "clock.new"), file)
        place.note(f"the clock of a is {offset} s ahead")

    run.begin()
    step("+120")
    run.until(5)
    skew = place.a.metric("postern_clock_skew_seconds")
    run.until(25)
    step("+0")
    place.await_ready()
    run.until(45)
    yield
    away = run.answers("a", 3, 24)
    run.counts["more"] = {
        "answers of a meanwhile": {str(status): away.count(status) for status in sorted(set(away))},
        "postern_clock_skew_seconds of a": skew,
    }
    run.demand(503 in away, "no commit of a was refused with 503 while its clock was wrong")
    run.demand(200 not in away, f"a accepted {away.count(200)} tokens while its clock was wrong")
    run.demand(skew is not None and 100 < abs(skew) < 140, f"postern_clock_skew_seconds of a is {skew}, not about 120")
    run.demand(200 in run.answers("b", 3, 24), "b accepted no token meanwhile")
    run.demand(200 in run.answers("a", 26, 90), "a accepted no token afterwards")
    run.untouched("b")


class Row:
    def __init__(self, act, redis_flags=(), serve_flags=(), has_clock=False):
        self.act, self.redis_flags, self.serve_flags, self.has_clock = act, redis_flags, serve_flags, has_clock

    def environments(self, folder):
        """The variables by which node a has a clock of its own."""
        if not self.has_clock:
            return {}
        found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        if not found:
            raise SystemExit("there is no libfaketime; install it: Deploy/install-packages tests")
        Path(folder, "clock").write_text("+0\n")
        variables = {
            "LD_PRELOAD": found[0], "FAKETIME_TIMESTAMP_FILE": f"{folder}/clock", "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip
        return {"a": os.environ | variables}


ROWS = {
    "node-killed": Row(node_killed),
    "stopped-5": Row(stopped(5)),
    "stopped-15": Row(stopped(15)),
    "stopped-60": Row(stopped(60)),
    "cut-off": Row(cut_off),
    "redis-12": Row(redis_stopped(12)),
    "redis-50": Row(redis_stopped(50)),
    "redis-killed-everysec": Row(redis_killed(2), ("--appendfsync", "everysec")),
    "redis-killed-always": Row(redis_killed(0), ("--appendfsync", "always")),
    "redis-emptied": Row(redis_emptied, ("--appendonly", "no"), ("--store-allow-volatile",)),
    "disk-full": Row(disk_full),
    "slow": Row(slow),
    "clock": Row(clock, has_clock=True),
}
