"""A list of events that models tabs which share rotating refresh tokens before a provider with a queue. It shares no code with
Postern.

Times are whole nanoseconds. Nothing is drawn by chance, so its counts are those of `postern simulate` exactly. Every refresh
token is an object that remembers all of its uses; nothing is forgotten or packed.
"""

import heapq
from collections import Counter, deque
from fractions import Fraction

SECOND = 1_000_000_000


def ns(seconds):
    return int(Fraction(str(seconds)) * SECOND)


class Login:
    """A family: whether it is dead, its user, and when its newest token was made."""

    def __init__(self, user, at):
        self.user, self.dead, self.latest = user, False, at


class Refresh:
    def __init__(self, login):
        self.login, self.used, self.next = login, None, None
        # What the device knows: who presented it, and whether a request with it stayed without an answer.
        self.shown_by, self.lost, self.got = set(), False, None


class Device:
    def __init__(self, user):
        self.user, self.jar, self.out, self.superseded, self.began = user, None, False, False, False


class Client:
    def __init__(self, number, device, flight):
        self.number, self.device, self.flight = number, device, flight
        # The number of its latest request, its purpose, and how long the gateway waits.
        self.wish, self.purpose, self.tries, self.until, self.gone = 0, None, 0, None, False
        self.ends = 0


class Flight:
    def __init__(self):
        self.busy, self.joined = False, []


class Request:
    def __init__(self, client, refresh):
        self.client, self.wish, self.refresh, self.again = client, client.wish, refresh, False
        self.over = False


def run(scenario):
    policy, client, provider = scenario["provider"]["rotation"], scenario["client"], scenario["provider"]
    link, end = ns(scenario["world"]["latency_ms"]) // 1000, ns(scenario["world"]["duration_s"])
    patience, base, life = ns(client["fetch_timeout_s"]), ns(client["backoff"]["base_s"]), ns(scenario["life_s"])
    timeout = ns(scenario["gateway"]["refresh_timeout_s"])
    places, work = provider["concurrency"], ns(provider["latency_ms"]) // 1000
    grace, idle = ns(policy.get("grace_s", 0)), policy.get("idle_s")
    replay, revokes = policy.get("replay", "same"), policy.get("revokes", "family")
    tabs, devices, kind = client["tabs"], client["devices"], client["single_flight"]
    count, events, waiting, logins, busy, number = Counter(), [], deque(), [], 0, 0

    flights, all_devices, clients = {}, [], []
    for who in range(scenario["clients"]):
        if who // tabs == len(all_devices):
            all_devices.append(Device(who // tabs // devices))
        key = {"none": None, "tab": who, "device": who // tabs, "user": who // tabs // devices}[kind]
        flight = None if key is None else flights.setdefault(key, Flight())
        clients.append(Client(who, all_devices[who // tabs], flight))

    def at(time, what, *more):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, more))

    def refuse_family(login):
        if not login.dead:
            login.dead = True
            count["provider.families_revoked"] += 1

    def use(token, now):
        """The next refresh token; None if the provider refuses."""
        login = token.login
        if login.dead or (idle is not None and now >= login.latest + ns(idle)):
            return None
        if token.used is None:
            token.used, token.next, login.latest = now, Refresh(login), now
            return token.next
        count["provider.replays"] += 1
        if now < token.used + grace:
            if replay == "refuse":
                return None
            count["provider.replays.forgiven"] += 1
            if replay == "same":
                return token.next
            login.latest = now
            return Refresh(login)
        if revokes == "family":
            refuse_family(login)
        if revokes == "user":
            for other in logins:
                if other.user == login.user:
                    refuse_family(other)
        return None

    def refused(request, now):
        """The meaning of a refused refresh token for its device: `again` if there is a newer one by now."""
        device, token = request.client.device, request.refresh
        if device.out:
            return "refused"
        if token is not device.jar:
            device.superseded = True
            return "again"
        count["signed_out"] += 1
        if token.lost:
            count["signed_out.lost_reply"] += 1
        elif len(token.shown_by) > 1 or device.superseded:
            count["signed_out.race"] += 1
        if client["signed_out"] == "gone":
            device.out = True
        else:
            device.jar, device.superseded = None, False
        return "refused"

    def ask(who, now):
        """Sends the request that the client wants."""
        if who.device.out:
            return answered(who, "refused", None, now)
        if who.flight:
            if who.flight.busy:
                who.flight.joined.append((who, who.wish))
                return
            who.flight.busy = True
        request = Request(who, who.device.jar)
        if request.refresh:
            request.refresh.shown_by.add(who.number)
        count["provider.calls"] += 1
        at(now + link, "arrive", request)
        at(now + patience, "timeout", request)

    def wish(who, purpose, now):
        who.wish += 1
        who.purpose = purpose
        ask(who, now)

    def answered(who, answer, expiry, now):
        """Gives the client the answer to its wish."""
        purpose, who.purpose = who.purpose, None
        if answer == "token":
            if purpose == "login":
                at(now + 3 * link, "accepted", who, expiry)
            else:
                at(now + link, "accepted", who, expiry)
        elif purpose == "login":
            who.tries += 1
            if answer == "again" and who.tries < 10:
                at(now + base, "login", who)
            else:
                who.gone = True
        elif answer == "again" and now + base < who.until:
            at(now + base, "renew", who, who.until)

    def over(request, answer, expiry, now):
        """Ends a request for its client, and for the clients that waited for it."""
        who, joined = request.client, []
        if who.flight:
            who.flight.busy, joined, who.flight.joined = False, who.flight.joined, []
        if who.purpose and who.wish == request.wish:
            answered(who, answer, expiry, now)
        for other, wished in joined:
            if other.purpose is None or other.wish != wished:
                continue
            if answer == "token" or other is not who:
                answered(other, answer, expiry, now)
            else:
                ask(other, now)

    def serve(request, now):
        at(now + work, "made", request)

    for who in clients:
        at(int(Fraction(who.number) / Fraction(str(scenario["rate"])) * SECOND), "login", who)
    while events:
        now, _, what, more = heapq.heappop(events)
        if now >= end:
            break
        if what == "login":
            wish(more[0], "login", now)
        elif what == "accepted":
            who, expiry = more
            if not who.gone:
                who.ends += 1
                at(expiry, "asked", who, who.ends)
        elif what == "asked":
            who, ends = more
            if who.ends == ends and not who.gone:
                at(now + link, "renew", who, now + link + timeout)
                at(now + timeout, "closed", who, ends)
        elif what == "closed":
            who, ends = more
            if who.ends == ends:
                at(now + link, "gone", who)
                who.ends += 1
        elif what == "gone":
            more[0].gone, more[0].purpose = True, None
        elif what == "renew":
            who, until = more
            if not who.gone:
                who.until = until
                wish(who, "renewal", now)
        elif what == "arrive":
            if busy < places:
                busy += 1
                serve(more[0], now)
            else:
                waiting.append(more[0])
        elif what == "made":
            request = more[0]
            if request.refresh is None:
                login = Login(request.client.device.user, now)
                logins.append(login)
                following = Refresh(login)
            else:
                following = use(request.refresh, now)
            expiry = (now + life) // 1000 * 1000
            if not request.over:
                at(now + link, "answer", request, following, expiry)
            busy -= 1
            if waiting:
                busy += 1
                serve(waiting.popleft(), now)
        elif what == "answer":
            request, following, expiry = more
            if request.over:
                continue
            request.over = True
            if following is None:
                over(request, refused(request, now), None, now)
                continue
            count["provider.granted"] += 1
            device = request.client.device
            if not device.out:
                device.jar, device.superseded = following, False
            over(request, "token", expiry, now)
        elif what == "timeout":
            request = more[0]
            if not request.over:
                request.over = True
                if request.refresh:
                    request.refresh.lost = True
                over(request, "again", None, now)
    names = [
        "provider.calls", "provider.granted", "signed_out", "signed_out.lost_reply", "signed_out.race", "provider.replays",
        "provider.replays.forgiven", "provider.families_revoked",
    ]
    return {name: count[name] for name in names} | {"logins": len(logins), "devices": len(all_devices)}
