"""Upgrades a running Maru of an older release to this one under load, and checks that no call fails and nothing is lost.

See deploy/lib/test-upgrade. All services run twice. The first instances are replaced by deploy/roll; the second ones go on
with the older release, beside the new one and on its schema, until they are replaced too.
"""

import argparse
import asyncio
import itertools
import os
import pathlib
import signal
import subprocess
from collections import Counter

# It makes the folder of the apps known, which the others need.
from faults import CHECKOUT, Run

from clients import Client
from deployment import Deployment
from processes import SERVICES
from waiting import patiently, stalled

# Clients that call every service all the time, so that a moment without a service meets a call.
CALLERS = 4
# Sends in each phase of the upgrade, and calls of each kind.
SENDS, CALLS = 600, 100
# Calls, statements and connections have time-outs of seconds, which the older release does not let tests extend. A machine that stood still
# for longer than this within a call, in seconds, may have made it time out.
LONG_STALL = 1


class Upgrade(Deployment):
    """An instance of the older release, started by its own deploy/up. Its programs are links, which a roll finds changed."""

    doubled = SERVICES

    def __init__(self, older, programs, log):
        super().__init__(older, programs, log)
        # The older release does not know these settings, and few users join here.
        unknown = ("free_joins ", "internal_timeout ", "database_timeout ", "database_connect_timeout ", "redis_timeout ")
        unknown += ("connect_timeout ", "provider_deadline ")
        for own in self.data.glob("settings/*.conf"):
            lines = own.read_text().splitlines(keepends=True)
            own.write_text("".join(line for line in lines if not line.startswith(unknown)))
        self.newer, self.programs = self.programs, self.folder / "programs"
        self.programs.mkdir()
        # The stand-ins belong to the tests, and so does their version.
        self.link(self.newer, "standins", "maructl")
        self.link(older / ".build/debug", *SERVICES, "picture-previews")

    def link(self, folder, *names):
        for name in names:
            new = self.programs / f".{name}"
            new.symlink_to(folder / name)
            new.replace(self.programs / name)

    def roll(self):
        """Replaces the first instances by those of the newer release, with its commands."""
        self.link(self.newer, *SERVICES, "picture-previews")
        ready_within = str(round(patiently(60)))
        environment = {**os.environ, "MARU_PROGRAMS": str(self.programs), "MARU_ROLL_SECONDS": ready_within}
        command = [CHECKOUT / "deploy/roll", "--data", self.data]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patiently(400))
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout.split("\n")

    def migrations(self):
        """The newest migration of each service."""
        found = []
        for service in SERVICES:
            role = service.split("-")[0]
            found.append(f"{role} {self.sql(role, 'select max(number) from schema_migrations')}")
        return ", ".join(found)

    def update_nginx(self):
        """Gives nginx the configuration of the newer release."""
        self.checkout = CHECKOUT
        self.render_nginx()
        self.signal("nginx", signal.SIGHUP)


class Caller(Client):
    """Reads and writes at every service, one call after the other."""

    def __init__(self, app, http, recording, workspace, channel):
        super().__init__(app, http, recording)
        place = f"/v1/workspaces/{workspace}"
        self.calls = [
            ("GET", "/v1/users/me", {}),
            ("PUT", "/v1/users/me", {"json": {"nickname": "upgraded"}}),
            ("GET", "/v1/workspaces", {}),
            ("GET", f"{place}/my-channels", {}),
            ("PUT", f"{place}/channels/{channel.id}", {"json": {"description": "upgraded"}}),
            ("GET", f"{place}/dms", {}),
            ("GET", "/v1/users/me/scheduled", {}),
            ("GET", "/v1/store/item/list", {}),
        ]
        self.answered = Counter()

    async def run(self, until, _):
        for method, path, more in itertools.cycle(self.calls):
            if until.is_set():
                return
            status, _ = await self.call(method, path, **more)
            self.answered[method, path] += status == 200
            await asyncio.sleep(0.002)


class UpgradeRun(Run):
    @property
    def command(self):
        return f"MARU_UPGRADE_FROM={self.options.commit} deploy/test upgrade"

    def make_deployment(self):
        return Upgrade(self.options.older, self.options.programs, self.log)

    def prepare(self):
        super().prepare()
        owner = self.members[0]
        workspace = owner.make_workspace()
        channel = owner.make_channel(workspace, "upgrades")
        self.callers = [Caller(owner, self.http, self.recording, workspace, channel) for _ in range(CALLERS)]
        # The run starts and ends them with the writers.
        self.writers += self.callers

    async def disturb(self):
        deployment = self.deployment
        await self.work_under(f"the older release, {self.options.commit}, migrations {deployment.migrations()}")
        for line in await asyncio.to_thread(deployment.roll):
            if line:
                self.log(line)
        await self.work_under(f"both releases, migrations {deployment.migrations()}")
        for service in SERVICES:
            await deployment.restart(f"{service}-2")
            self.log(f"{service}-2 was replaced")
        await asyncio.to_thread(deployment.update_nginx)
        await deployment.until_ready()
        await self.work_under("the newer release")

    async def work_under(self, state):
        """Waits until there were enough calls of each kind, or many failures."""
        self.log(state)
        sends, failures = len(self.recording.sends), len(self.recording.failures)
        calls = sum((each.answered for each in self.callers), Counter())
        while len(self.recording.failures) < failures + 100:
            now = sum((each.answered for each in self.callers), Counter())
            fewest = min(now[method, path] - calls[method, path] for method, path, _ in self.callers[0].calls)
            if len(self.recording.sends) >= sends + SENDS and fewest >= CALLS:
                return
            await asyncio.sleep(0.1)

    def promises(self):
        failed = [text for *span, text in self.recording.failures if stalled(*span, self.recording.stalls) <= LONG_STALL]
        return super().promises() | {"no call fails": failed}


def main():
    parser = argparse.ArgumentParser(prog="deploy/test upgrade")
    parser.add_argument("--from", dest="older", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--pause", type=float, default=0.05)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    options.older = options.older.resolve()
    command = ["git", "-C", options.older, "rev-parse", "--short", "HEAD"]
    options.commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    raise SystemExit(asyncio.run(UpgradeRun(options).run()))


if __name__ == "__main__":
    main()
