"""Kills, stops and restarts the processes of Maru by name, and notices processes that end by themselves."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import time

from product import Product
from recording import Stop
from waiting import patiently

SERVICES = ("auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service")


class Processes(Product):
    """The processes of deploy/up, by their pid files, and the `children` of this program, restarted by `start_again`."""

    def __init__(self, checkout):
        super().__init__(checkout)
        self.children = {}
        self.stops = []
        # How often this run ended each process. Any further end is unexpected.
        self.expected_ends = {}
        self.restarting = set()
        self.unexpected = []

    def process(self, name):
        """Returns the id of a process, or None if it does not run."""
        if name in self.children:
            return self.children[name].pid
        try:
            return int((self.data / f"run/{name}.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def signal(self, name, number):
        """Sends a signal to a process, and to its children if they do its work. Returns whether it was running."""
        process = self.process(name)
        if process is None:
            return False
        try:
            if name == "nginx" and number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT):
                os.killpg(process, number)
            else:
                os.kill(process, number)
        except ProcessLookupError:
            return False
        if name == "postgres" and number in (signal.SIGSTOP, signal.SIGCONT):
            # Each backend is in its own session and process group.
            for backend in self.backends():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(backend, number)
        return True

    async def kill(self, name):
        # A restart waits for the exit status of this process, and a second kill of it would be no second end.
        await self.until_replaced(name)
        self.expect_end(name)
        if not self.signal(name, signal.SIGKILL):
            self.expected_ends[name] -= 1

    def kill_backend(self):
        """Crashes one of chat-service's backends, so that Postgres restarts all of them."""
        for backend in self.backends("chat maru"):
            # A session may end between the list and the signal.
            with contextlib.suppress(ProcessLookupError):
                os.kill(backend, signal.SIGKILL)
                return True
        return False

    def backends(self, title=""):
        parent = self.process("postgres")
        found = subprocess.run(["pgrep", "-P", str(parent), "-f", f"^postgres: {title}"], capture_output=True, text=True)
        return [int(each) for each in found.stdout.split()]

    def expect_end(self, name):
        self.expected_ends[name] = self.expected_ends.get(name, 0) + 1

    async def until_replaced(self, name, is_to_stop=False):
        """Waits until no process of this name is ending, which would be taken for the end that comes next.

        With `is_to_stop` also until the process obeys signals, as it does once it has started.
        """
        end = time.monotonic() + patiently(60)
        while True:
            process = self.process(name)
            if not self.is_ending(name):
                if not is_to_stop:
                    return
                has_started = await asyncio.to_thread(self.has_started, name)
                # It may have been killed meanwhile.
                if has_started and process == self.process(name) and not self.is_ending(name):
                    return
            assert time.monotonic() < end, f"{name} was not replaced in time"
            await asyncio.sleep(0.05)

    def is_ending(self, name):
        """Whether a process is being stopped, was killed or has ended, and no new one runs yet."""
        if name in self.restarting:
            return True
        if name in self.children:
            return self.expected_ends.get(name, 0) > 0 or self.children[name].poll() is not None
        return self.ends_seen(name) < self.expected_ends.get(name, 0) or not self.signal(name, 0)

    async def restart(self, name):
        """Stops a process by its signal, as an operator does, and waits until a new one runs."""
        # On a machine that stands still a kill and a restart may become due at once.
        await self.until_replaced(name, is_to_stop=True)
        began, before = time.monotonic(), self.process(name)
        ends = self.ends_seen(name)
        self.restarting.add(name)
        self.expect_end(name)
        # On SIGTERM Postgres would wait for its clients to disconnect.
        if not self.signal(name, signal.SIGINT if name == "postgres" else signal.SIGTERM):
            self.expected_ends[name] -= 1
        elif name in self.children:
            status = await asyncio.to_thread(self.children[name].wait)
            self.expected_ends[name] -= 1
            self.stops.append(Stop(name, status, time.monotonic() - began))
            self.start_again(name)
        else:
            while self.ends_seen(name) == ends or self.process(name) in (before, None):
                await asyncio.sleep(0.05)
            status = int(re.findall(rf" {name} ended with status (\d+) ", self.up_log())[-1])
            self.stops.append(Stop(name, status, time.monotonic() - began))
        self.restarting.discard(name)

    def up_log(self):
        return (self.data / "logs/up.log").read_text()

    def ends_seen(self, name):
        return len(re.findall(rf" {name} ended with status ", self.up_log()))

    def unexpected_ends(self):
        """Returns the processes that ended by themselves. Postgres may need more than one start after a crash."""
        found = list(self.unexpected)
        for name in (*SERVICES, "redis", "standins"):
            surplus = self.ends_seen(name) - self.expected_ends.get(name, 0)
            if surplus > 0:
                found.append(f"{name} ended {surplus} times by itself")
        return found

    async def watch_children(self):
        """Restarts children that end."""
        while True:
            await asyncio.sleep(0.1)
            for name, process in list(self.children.items()):
                if process.poll() is None or name in self.restarting:
                    continue
                self.expected_ends[name] = self.expected_ends.get(name, 0) - 1
                if self.expected_ends[name] < 0:
                    self.unexpected.append(f"{name} ended by itself with status {process.returncode}")
                self.start_again(name)

    def resume_all(self):
        for name in (*SERVICES, *self.children, "redis", "postgres"):
            self.signal(name, signal.SIGCONT)
