"""Which fault comes when. The same seed tells the same story."""

import random
from dataclasses import dataclass

# What can be killed, and what can be stopped for a while and left to go on.
KILLED = (
    "auth-service", "workspace-service", "chat-service", "chat-service-2", "realtime-gateway", "realtime-gateway-2",
    "payment-service", "redis", "postgres", "a backend of postgres", "nginx",
)  # fmt: skip
STOPPED = (
    "auth-service", "workspace-service", "chat-service", "chat-service-2", "realtime-gateway", "realtime-gateway-2",
    "payment-service", "redis", "postgres", "nginx",
)  # fmt: skip
# What is told to end, as in a rolling restart.
RESTARTED = (
    "auth-service", "workspace-service", "chat-service", "chat-service-2", "realtime-gateway", "realtime-gateway-2",
    "payment-service", "redis", "postgres", "nginx",
)  # fmt: skip
# Wires that are cut, some of them together.
CUT = (
    "redis of all", "redis of auth-service", "redis of workspace-service", "redis of chat-service",
    "redis of realtime-gateway-2", "redis of payment-service", "postgres of auth-service", "postgres of workspace-service",
    "postgres of chat-service-2", "postgres of realtime-gateway", "postgres of payment-service",
    "sockets of realtime-gateway", "sockets of realtime-gateway-2",
)  # fmt: skip
PROVIDER = ("fails", "is slow", "asks for patience")


@dataclass(frozen=True)
class Fault:
    # Seconds since the start.
    at: float
    kind: str
    victim: str
    # Seconds, for what ends by itself or is ended.
    lasts: float = 0

    @property
    def is_alone(self):
        """Whether no other is to come meanwhile, nor before all has got over those before it."""
        return (self.kind, self.victim) == ("cut", "redis of all")

    def __str__(self):
        return f"{self.kind} {self.victim}" + (f" for {self.lasts:.1f} s" if self.lasts else "")


def story(seed, seconds):
    """Faults until `seconds`, each kind of fault before any comes again; those that follow each other may overlap."""
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


def kinds_of(faults):
    """What befalls what; of two instances of a service the one is as good as the other."""
    return {(each.kind, each.victim.removesuffix("-2")) for each in faults}


def full_deck():
    return (
        [("kill", each) for each in KILLED]
        + [("stop", each) for each in STOPPED]
        + [("restart", each) for each in RESTARTED]
        + [("cut", each) for each in CUT]
        + [("provider", each) for each in PROVIDER]
    )
