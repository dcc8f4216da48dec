"""Maru on six nodes of a Redis cluster: everything works, a slot may move and a master may be lost."""

import argparse
import asyncio
import functools
import os
import time
import urllib.request

import pytest
import socketio
from faults import CHECKOUT, Run
from redis_lab import slot_of
from waiting import patiently

# Moves slots and kills a master, and in the long form empties one, and all of it again.
MINUTES = 1.5 if os.environ.get("MARU_FULL") else 0.3
pytestmark = pytest.mark.timeout(patiently(600))
PROMISES = ("R1", "R2", "R3", "R4", "R12", "R13", "R14", "a room is live", "no process", "every client")


class SmokeRun(Run):
    """A run that first looks whether the parts of the product that use Redis work on the cluster."""

    async def disturb(self):
        self.smoke = await asyncio.to_thread(self.look)
        await super().disturb()

    async def settle(self):
        await super().settle()
        first = int(self.deployment.ports["internals_port"])
        self.following = await asyncio.to_thread(until, lambda: all(follows(metrics(first + number)) for number in range(5)), 60)

    def promises(self):
        # The deployment is gone when the tests look.
        self.kept = super().promises()
        return self.kept

    def look(self):
        lab = self.deployment.lab
        owner, friend = self.members[0], next(each for each in self.members[1:] if each.key == "native")

        def holds(pattern):
            return any(lab.command(node, "KEYS", pattern) for node in lab.masters())

        states = []
        phone, other = (socketio.SimpleClient(request_timeout=patiently(30)) for _ in range(2))
        with phone, other:
            for client, app in ((phone, owner), (other, friend)):
                patience = {"wait_timeout": patiently(30)}
                client.connect(self.deployment.base, headers={"Cookie": app.cookie}, namespace="/me", **patience)
                # The library also connects again by this method.
                client.client.connect = functools.partial(client.client.connect, **patience)
            phone.call("presence", {"users": [friend.id]})
            while "online" not in states:
                name, *event = phone.receive(timeout=patiently(20))
                states += [event[0]["users"].get(friend.id)] if name == "presence" else []
        found = {"presence": "online" in states}
        wrong = {"email": owner.email, "password": "Wrong-2024!", "deviceToken": ""}
        # The wait grows with each failure, so that in the end a machine that stands still is refused as well.
        is_limited = until(lambda: owner.send("POST", "/users/login", json=wrong).json()["errorCode"] == "E98")
        found["sign-in limit"] = is_limited and holds("login:account:*")

        def are_counted():
            # An instance reports the calls of a user once they are a part of the burst, and the report ends within seconds.
            for _ in range(20):
                owner.get("/users/me")
            return holds(f"limits:auth-service:user:{owner.id}")

        found["call limit"] = until(are_counted)

        def slots(pattern):
            return {slot_of(key.decode()) for node in lab.masters() for key in lab.command(node, "KEYS", pattern)}

        def are_heard_at_replicas():
            rooms = {lab.master_of(slot_of(f"room:{room}")) for room in self.writers[0].rooms}
            heard = {node for node in lab.nodes if lab.command(node, "PUBSUB", "SHARDCHANNELS", "room:*")}
            return bool(heard) and not heard & set(lab.masters()) and len(heard) >= len(rooms) > 0

        # The clients have begun to connect, and each instance writes its keys when it does its first work.
        found["pushes in sixteen slots"] = until(lambda: len(slots("push:*")) == 16)
        found["sessions on several masters"] = until(lambda: len(set(map(lab.master_of, slots("*position:*")))) > 1)
        found["rooms at replicas"] = until(are_heard_at_replicas)
        return found


def follows(service):
    """Whether a service knows all nodes, and has read the map of slots again and again."""
    nodes = [service.get(f'maru_redis_nodes{{role="{role}"}}') for role in ("master", "replica")]
    return nodes == [3, 3] and service.get('maru_redis_map_refreshes_total{outcome="read"}', 0) > 10


def metrics(port):
    """The numbers of a service by name and labels."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=patiently(10)).read().decode()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[:1] != "#"}


def until(condition, seconds=20):
    end = time.monotonic() + patiently(seconds)
    while not (result := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return result


@pytest.fixture(scope="module")
def run():
    options = argparse.Namespace(
        minutes=MINUTES, seed=7, pause=0.25, lab="redis", programs=str(CHECKOUT / ".build/debug"))
    run = SmokeRun(options)
    run.status = asyncio.run(run.run())
    return run


@pytest.mark.parametrize("part", (
    "presence", "sign-in limit", "call limit", "pushes in sixteen slots", "sessions on several masters", "rooms at replicas",
))
def test_the_parts_that_use_redis_work_on_a_cluster(run, part):
    assert run.smoke[part], run.smoke


@pytest.mark.parametrize("promise", PROMISES)
def test_a_changing_cluster_breaks_no_promise(run, promise):
    problems = {name: found for name, found in run.kept.items() if name.startswith(promise)}
    assert problems and not any(problems.values()), problems


def test_every_service_follows_the_cluster(run):
    assert run.following
