"""Schedules faults. The same seed gives the same schedule."""

import random
from dataclasses import dataclass

# Processes that are killed, and processes that are stopped for a while.
KILLED = (
    "auth-service", "workspace-service", "chat-service", "chat-service-2", "realtime-gateway", "realtime-gateway-2",
    "payment-service", "redis", "postgres", "a backend of postgres", "nginx",
)  # fmt: skip
STOPPED = (
    "auth-service", "workspace-service", "chat-service", "chat-service-2", "realtime-gateway", "realtime-gateway-2",
    "payment-service", "redis", "postgres", "nginx",
)  # fmt: skip
# Processes that are told to stop, as in a rolling restart.
RESTARTED = (
    "auth-service", "workspace-service", "chat-service", "chat-service-2", "realtime-gateway", "realtime-gateway-2",
    "payment-service", "redis", "postgres", "nginx",
)  # fmt: skip
# Links that are cut, some of them together.
CUT = (
    "redis of all", "redis of auth-service", "redis of workspace-service", "redis of chat-service",
    "redis of realtime-gateway-2", "redis of payment-service", "postgres of auth-service", "postgres of workspace-service",
    "postgres of chat-service-2", "postgres of realtime-gateway", "postgres of payment-service",
    "sockets of realtime-gateway", "sockets of realtime-gateway-2",
)  # fmt: skip
PROVIDER = ("fails", "is slow", "sends Retry-After")


@dataclass(frozen=True)
class Fault:
    # Seconds since the start.
    at: float
    kind: str
    victim: str
    # Seconds, for a fault that lasts.
    lasts: float = 0

    @property
    def is_alone(self):
        """Whether it starts only after all earlier faults are over, and no other starts before it ends."""
        return (self.kind, self.victim) == ("cut", "redis of all")

    def __str__(self):
        return f"{self.kind} {self.victim}" + (f" for {self.lasts:.1f} s" if self.lasts else "")


def schedule(seed, seconds):
    """Returns faults until `seconds`. Every kind of fault occurs before any repeats, and neighbours may overlap."""
    rng = random.Random(seed)
    faults, at, deck = [], 2.0, []
    while True:
        if not deck:
            deck = full_deck()
            rng.shuffle(deck)
        kind, victim = deck.pop()
        lasts = {"stop": rng.uniform(0.5, 4), "cut": rng.uniform(1, 5), "provider": rng.uniform(2, 6)}.get(kind, 0)
        if (kind, victim) == ("cut", "redis of all"):
            lasts = rng.uniform(3.5, 6)
        if at + lasts > seconds:
            return faults
        fault = Fault(round(at, 2), kind, victim, round(lasts, 1))
        faults.append(fault)
        at += rng.uniform(0.8, 4.5) + lasts * (1 if fault.is_alone else rng.choice((0.3, 1, 1)))


# Ways to lose a primary, and the seconds after which the writes must have been back for long.
LOST_PRIMARY = (("switch over", 15), ("kill", 40), ("freeze", 35))

# Ways to change a Redis cluster, and the seconds after which its messages must have been live again for long.
CHANGED_CLUSTER = (("move slots", 4), ("kill", 8), ("empty", 8))


def lab_schedule(seconds, engine="postgres"):
    """Returns the faults of a lab until `seconds`, each long enough after the one before for its node to return."""
    kinds, victim = {"postgres": (LOST_PRIMARY, "primary"), "redis": (CHANGED_CLUSTER, "master")}[engine]
    faults, at = [], 3.0
    while True:
        kind, lasts = kinds[len(faults) % len(kinds)]
        if at + lasts > seconds:
            return faults
        faults.append(Fault(at, kind, victim, lasts))
        at += lasts + (5 if engine == "postgres" else 2)


def seconds_without(times, begin, end, excused=lambda begin, end: 0):
    """Returns the longest time between two neighbours of `times` that begins after `begin`, or spans it, and ends by `end`.

    `excused` returns the seconds of a span that do not count.
    """
    before = max((each for each in times if each <= begin), default=begin)
    edges = [before, *sorted(each for each in times if begin < each <= end), end]
    return max(after - earlier - excused(earlier, after) for earlier, after in zip(edges, edges[1:]))


def kinds_of(faults):
    """The pairs of fault and victim, without regard to the instance of a service."""
    return {(each.kind, each.victim.removesuffix("-2")) for each in faults}


def full_deck():
    return (
        [("kill", each) for each in KILLED]
        + [("stop", each) for each in STOPPED]
        + [("restart", each) for each in RESTARTED]
        + [("cut", each) for each in CUT]
        + [("provider", each) for each in PROVIDER]
    )
