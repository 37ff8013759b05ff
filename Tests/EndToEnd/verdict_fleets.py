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


def away(seconds, **more):
    """An outage a minute after the last client came."""
    return {"pauses": [{"at_s": LIFE + 60, "for_s": seconds}]} | more


# A budget that a crowd uses up at the beginning of each window, before a queue that holds a fifth of it.
CROWD = {"per": "all", "limit": 100, "window_s": 10}

# The name, the verdict, what keeps it down (None for nothing), and the fleet.
FLEETS = [
    ("an outage longer than the one that tips it", "metastable", "abandoned requests", fleet(0.5, provider=away(25))),
    ("a long queue at a high load", "metastable", "abandoned requests", fleet(0.7, 2000, provider=away(30))),
    ("a storm of retries whose cause is a queue longer than the gateway waits", "metastable", "queue",
     fleet(0.6, 100_000, client={"fetch_timeout_s": 60}, gateway={"refresh_timeout_s": 20}, provider=away(45))),
    ("connections that time out in the gateway's own queue", "metastable", "reconnects",
     fleet(0.5, client={"connect_timeout_s": 10}, gateway={"accepts_per_s": 20},
           phases=[{"name": "calm"}, {"name": "restart", "from": "start", "after_s": LIFE + 60, "for_s": 1, "order": "restart"}])),
    ("refused clients that come back together", "metastable", "Retry-After",
     fleet(0.5, 20, client={"backoff": {"kind": "exponential", "base_s": 1, "cap_s": 10}},
           provider=away(30, budgets=[CROWD | {"retry_after": "left"}]))),
]
