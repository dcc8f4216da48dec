"""The Patroni cluster of deploy/lab, with faults of its primary."""

import contextlib
import json
import os
import signal
import subprocess
import time
import urllib.request
from dataclasses import dataclass

from waiting import patiently


@dataclass(frozen=True)
class Node:
    name: str
    port: int
    api: int
    data: str


class Lab:
    def __init__(self, checkout, data):
        self.checkout, self.data = checkout, data
        self.service = data / "service.conf"

    def start(self):
        self.run("postgres", "--detach")
        lines = [line.split() for line in (self.data / "nodes").read_text().splitlines()]
        self.nodes = [Node(name, int(port), int(api), data) for name, port, api, data in lines]

    def stop(self):
        self.run("down")

    def run(self, *words):
        command = [self.checkout / "deploy/lab", *words, "--data", self.data]
        result = subprocess.run(command, capture_output=True, text=True, timeout=patiently(300))
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def members(self):
        """The nodes by name, as the first of them says that answers."""
        for node in self.nodes:
            with contextlib.suppress(OSError):
                reply = urllib.request.urlopen(f"http://127.0.0.1:{node.api}/cluster", timeout=patiently(2)).read()
                return {each["name"]: each for each in json.loads(reply)["members"]}
        return {}

    def primary(self):
        """The node that can write, or None."""
        leaders = [name for name, each in self.members().items() if each["role"] == "leader" and each["state"] == "running"]
        return next((each for each in self.nodes if [each.name] == leaders), None)

    def is_whole(self):
        """Whether all nodes run and a standby confirms commits, which the next fault needs."""
        members = self.members()
        roles = [each["role"] for each in members.values() if each["state"] in ("running", "streaming")]
        return len(roles) == len(self.nodes) and "leader" in roles and "sync_standby" in roles

    def processes(self, node):
        """Patroni, the Postgres of the node, and its sessions."""
        found = [int((self.data / f"run/{node.name}.pid").read_text().split()[0])]
        with contextlib.suppress(OSError, ValueError):
            postmaster = int(open(f"{node.data}/postmaster.pid").readline())
            sessions = subprocess.run(["pgrep", "-P", str(postmaster)], capture_output=True, text=True).stdout.split()
            found += [postmaster, *map(int, sessions)]
        return found

    def signal(self, node, number):
        processes = self.processes(node)
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        return processes

    def kill(self, node):
        """Kills everything on the node at once."""
        self.signal(node, signal.SIGKILL)

    def freeze(self, node, seconds):
        frozen = self.signal(node, signal.SIGSTOP)
        time.sleep(seconds)
        for process in frozen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)

    def switch_over(self, node):
        """Tells Patroni to make the synchronous standby the primary."""
        body = json.dumps({"leader": node.name}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{node.api}/switchover", body, {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=patiently(60)).read()
