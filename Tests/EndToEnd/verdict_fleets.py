"""Fleets that are each built to be one thing, with what they are and what keeps them down."""

RATE, LIFE, TIMEOUT = 10, 300, 10


def fleet(load, queue=200, client=None, provider=None, gateway=None, **more):
    """A fleet that asks for `load` of a provider of ten tokens a second; its tokens live five minutes."""
    clients = round(RATE * load * LIFE)
    return {
        "clients": clients, "rate": clients / LIFE, "expiry": "own", "life_s": LIFE, "waves": 1000,
        "gateway": {"refresh_timeout_s": 1800} | (gateway or {}),
        "client": {"fetch_timeout_s": TIMEOUT, "first_token": "in_hand", "reconnect": True} | (client or {}),
        "provider": {"rate": RATE, "queue": queue} | (provider or {}),
    } | more


def away(seconds, life=LIFE, **more):
    """An outage a minute after the last client came."""
    return {"pauses": [{"at_s": life + 60, "for_s": seconds}]} | more


def restarted(accepts):
    """All connections end at once, and all clients come back to a gateway that accepts so many a second."""
    return fleet(0.5, client={"connect_timeout_s": 10}, gateway={"accepts_per_s": accepts},
                 phases=[{"name": "calm"}, {"name": "restart", "from": "start", "after_s": LIFE + 60, "for_s": 1, "order": "restart"}])


# A budget that a crowd uses up at the beginning of each window, before a queue that holds a fifth of it.
CROWD = {"per": "all", "limit": 100, "window_s": 10}

# The name, the verdict, what keeps it down (None for nothing), and the fleet.
FLEETS = [
    ("an outage longer than the one that tips it", "metastable", "abandoned requests", fleet(0.5, provider=away(25))),
    ("a long queue at a high load", "metastable", "abandoned requests", fleet(0.7, 2000, provider=away(30))),
    ("a storm of retries whose cause is a queue longer than the gateway waits", "metastable", "queue",
     fleet(0.6, 100_000, client={"fetch_timeout_s": 60}, gateway={"refresh_timeout_s": 20}, provider=away(45))),
    ("connections that time out in the gateway's own queue", "metastable", "reconnects", restarted(accepts=5)),
    ("refused clients that come back together", "metastable", "Retry-After",
     fleet(0.5, 20, client={"backoff": {"kind": "exponential", "base_s": 1, "cap_s": 10}},
           provider=away(30, budgets=[CROWD | {"retry_after": "left"}]))),
    ("a herd whose queue is longer than its clients wait", "metastable", "abandoned requests",
     fleet(0.5, 400, expiry="common", expire_after_s=LIFE)),
    ("connections that time out in a queue that is a little shorter", "metastable", "reconnects", restarted(accepts=8)),
    ("a higher load, and an outage that is shorter for it", "metastable", "abandoned requests", fleet(0.8, 200, provider=away(20))),
    ("callers that wait longer, and an outage that is longer for it", "metastable", "abandoned requests",
     fleet(0.6, 400, client={"fetch_timeout_s": 20}, provider=away(60))),
    ("plain overload", "overloaded", None, fleet(1.3)),
    ("an overload beside an outage that it would not need", "overloaded", None, fleet(1.2, provider=away(20))),
    ("an overload by calls that fail and are made again", "overloaded", None, fleet(0.8, provider={"failures": 0.4})),
    ("recovery that is only slow", "vulnerable", "slow",
     fleet(0.9, 100_000, client={"fetch_timeout_s": 1200}, provider=away(60, life=1200), clients=10_800, life_s=1200)),
    ("recovery that is slow for the little that the provider has to spare", "vulnerable", "slow",
     fleet(0.95, 100_000, client={"fetch_timeout_s": 1200}, provider=away(30, life=1200), clients=11_400, life_s=1200)),
    ("a short outage, where a longer one tips it", "vulnerable", None, fleet(0.5, provider=away(5))),
    ("no disturbance of its own, and a push that tips it", "vulnerable", None, fleet(0.5)),
    ("an outage whose clients do not come back", "vulnerable", None,
     fleet(0.5, client={"reconnect": False}, gateway={"refresh_timeout_s": 10}, provider=away(30))),
    ("a cliff that no push reaches", "stable", None, fleet(0.5, 50)),
    ("a cliff that its own outage does not reach", "stable", None, fleet(0.5, 50, provider=away(25))),
    ("a provider with room for all", "stable", None, fleet(0.5, provider={"rate": 1000})),
]
