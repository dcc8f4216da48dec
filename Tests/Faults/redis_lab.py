"""The Redis cluster of deploy/lab, with faults of its masters."""

import contextlib
import os
import shutil
import signal
import socket
import time
from dataclasses import dataclass

from lab import Lab
from waiting import patiently

SLOTS = 16384


@dataclass(frozen=True)
class RedisNode:
    name: str
    port: int
    data: str


class RedisLab(Lab):
    def __init__(self, checkout, data):
        super().__init__(checkout, data)
        self.service = data / "redis-url"

    def start(self):
        self.run("redis", "--detach")
        lines = [line.split() for line in (self.data / "nodes").read_text().splitlines()]
        self.nodes = [RedisNode(name, int(port), data) for name, port, data in lines]
        self.password = (self.data / "secrets/redis").read_text().strip()

    def command(self, node, *words):
        """Runs one command at a node; errors are raised as RuntimeError."""
        with socket.create_connection(("127.0.0.1", node.port), timeout=patiently(10)) as connection:
            stream = connection.makefile("rwb")
            for line in (("AUTH", self.password), words):
                parts = [each if isinstance(each, bytes) else str(each).encode() for each in line]
                stream.write(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(each), each) for each in parts))
                stream.flush()
                reply = read_reply(stream)
            return reply

    def lines(self):
        """The words of each line of CLUSTER NODES, as the first node says that answers."""
        for node in self.nodes:
            with contextlib.suppress(OSError, RuntimeError):
                return [line.split() for line in self.command(node, "CLUSTER", "NODES").decode().splitlines()]
        return []

    def masters(self):
        """The nodes that serve slots, with the number of their slots."""
        found = {}
        for words in self.lines():
            flags = words[2].split(",")
            if "master" in flags and not {"fail", "fail?"} & set(flags) and words[8:]:
                port = int(words[1].split("@")[0].rsplit(":", 1)[1])
                found[next(each for each in self.nodes if each.port == port)] = sum(map(count, words[8:]))
        return found

    def is_whole(self):
        """Whether every node runs and sees every slot with a master and a replica, which the next fault needs."""
        return not any(map(self.lack, self.nodes))

    def lack(self, node):
        """What a node lacks to be whole; nothing if it is."""
        try:
            information = self.command(node, "CLUSTER", "INFO").decode()
            ranges = self.command(node, "CLUSTER", "SLOTS")
        except (OSError, RuntimeError) as error:
            return f"{node.name}: {error}"
        if "cluster_state:ok" not in information:
            return f"{node.name}: {information}"
        if sum(each[1] - each[0] + 1 for each in ranges) != SLOTS or any(len(each) < 4 for each in ranges):
            return f"{node.name}: {[each for each in ranges if len(each) < 4] or ranges}"
        return None

    def master_of(self, slot):
        """The node that serves a slot."""
        for node in self.nodes:
            with contextlib.suppress(OSError, RuntimeError):
                for first, last, master, *_ in self.command(node, "CLUSTER", "SLOTS"):
                    if first <= slot <= last:
                        return next(each for each in self.nodes if each.port == master[1])
        return None

    def processes(self, node):
        return [int((self.data / f"run/{node.name}.pid").read_text().split()[0])]

    def empty(self, node):
        """Kills a node, which comes back at once with the same name and slots, and without its data."""
        process = self.processes(node)[0]
        # It must not read the files again before they are gone.
        os.kill(process, signal.SIGKILL)
        while os.path.exists(f"/proc/{process}/exe"):
            time.sleep(0.005)
        shutil.rmtree(f"{node.data}/appendonlydir", ignore_errors=True)
        self.return_now(node)

    def return_now(self, node):
        """Lets a killed node start again at once."""
        (self.data / f"{node.name}.now").touch()

    def move(self, slots, target):
        """Moves slots with their keys to a master, one key a command, as redis-cli does."""
        end = time.monotonic() + patiently(30)
        for slot in slots:
            # On a machine that stands still a node may not answer in time, or its replica may take over.
            while (source := self.master_of(slot)) != target:
                try:
                    self.move_slot(slot, source, target)
                    break
                except (OSError, RuntimeError):
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.3)

    def move_slot(self, slot, source, target):
        if source is None:
            raise RuntimeError(f"no node names the master of slot {slot}")
        names = {node: self.command(node, "CLUSTER", "MYID") for node in (source, target)}
        self.command(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
        self.command(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
        limit = round(patiently(10) * 1000)
        while keys := self.command(source, "CLUSTER", "GETKEYSINSLOT", slot, 50):
            for key in keys:
                # A command that was cut short may have left its key at the target.
                self.command(source, "MIGRATE", "127.0.0.1", target.port, key, 0, limit, "REPLACE", "AUTH", self.password)
        for node in (target, source):
            self.command(node, "CLUSTER", "SETSLOT", slot, "NODE", names[target])


def count(range):
    """The number of slots of a range of CLUSTER NODES; none for a slot on its way."""
    if range.startswith("["):
        return 0
    first, _, last = range.partition("-")
    return int(last or first) - int(first) + 1


def read_reply(stream):
    line = stream.readline()
    kind, rest = line[:1], line[1:-2]
    if kind == b"-":
        raise RuntimeError(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return stream.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
    if kind == b"*":
        return [read_reply(stream) for _ in range(int(rest))]
    return rest


def slot_of(key):
    """The hash slot of a key or a room's channel."""
    name = key.encode()
    begin = name.find(b"{")
    end = name.find(b"}", begin + 1)
    if begin >= 0 and end > begin + 1:
        name = name[begin + 1 : end]
    total = 0
    for byte in name:
        total ^= byte << 8
        for _ in range(8):
            total = (total << 1 ^ 0x1021 if total & 0x8000 else total << 1) & 0xFFFF
    return total % SLOTS
