"""Runs Maru under load while its parts are killed, stopped, cut off and restarted, and checks its promises afterwards.

See deploy/faults.
"""

import argparse
import asyncio
import json
import pathlib
import random
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from dataclasses import replace

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

import aiohttp
from app import App
from checker import check, resumed, worked_without_redis
from deployment import Deployment
from clients import Room, Watcher, Writer
from native_clients import MeWatcher, MeWriter, Reactor
from recording import Device, Recording
from redis_faults import RedisFaults
from schedule import lab_schedule, schedule, seconds_without
from waiting import Stalls, patiently

# API key, whether it opens its socket before it reads, transports: see docs/contract.md.
APPS = (
    ("sooda", True, None),
    ("gathering", True, None),
    ("collatalk", False, None),
    ("collabee", False, ["websocket"]),
    ("native", False, ["websocket"]),
    ("gen-2024-07", True, ["websocket"]),
)
# The transports of native devices with one socket for all rooms, and whether they send over it.
DEVICES = ((["websocket"], True), (["polling"], False), (None, False))
PROFILES = json.loads((CHECKOUT / "deploy/clients.json").read_text())

# Seconds until every process has reconnected after an outage of Redis.
LONGEST_RETURN = patiently(3)


class Run:
    def __init__(self, options):
        self.options = options
        self.seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
        self.began = time.time()
        self.recording = Recording(stalls=Stalls().found)
        self.tasks = set()
        self.stuck = []
        self.redis_faults = None

    @property
    def command(self):
        """The command that repeats this run."""
        lab = f" --lab {self.options.lab}" if self.options.lab else ""
        return f"deploy/faults --minutes {self.options.minutes:g} --seed {self.seed}{lab}"

    def log(self, text):
        print(f"{time.time() - self.began:8.2f}  {text}", flush=True)

    async def run(self):
        print(f"seed {self.seed}: {self.command}", flush=True)
        # SIGTERM ends this run and everything that it started.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
        self.deployment = self.make_deployment()
        async with self.deployment, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as self.http:
            await asyncio.to_thread(self.prepare)
            self.began = self.recording.began = time.time()
            self.log(f"everything runs, logs are in {self.deployment.data}/logs")
            supervision = asyncio.create_task(self.deployment.watch_children())
            until = asyncio.Event()
            rng = random.Random(self.seed)
            for each in self.natives:
                self.start_native(each, until, rng)
            writing = [asyncio.create_task(each.run(until, random.Random(rng.random()))) for each in self.writers]
            reading = [asyncio.create_task(each.run(until, random.Random(rng.random()))) for each in self.watchers]
            await self.disturb()
            await self.recover()
            until.set()
            await self.finish("writes", self.writers, writing)
            await self.finish("reads", self.watchers, reading)
            await self.finish("resumes", self.natives, self.resuming)
            await self.settle()
            supervision.cancel()
            for each in [*self.watchers, *self.devices]:
                await each.leave()
        return self.report()

    def make_deployment(self):
        return Deployment(CHECKOUT, self.options.programs, self.log, self.options.lab)

    async def disturb(self):
        seconds = self.options.minutes * 60
        if self.options.lab == "postgres":
            await self.fail_primary(seconds)
        elif self.options.lab == "redis":
            self.redis_faults = RedisFaults(self)
            await self.redis_faults.change(seconds)
        else:
            await self.inject(schedule(self.seed, seconds))

    # The clients

    def prepare(self):
        """Creates two channels and a DM, the writers, the watchers and a member without a socket."""
        deployment = self.deployment
        owner = App.joined(deployment, "native")
        workspace = owner.make_workspace()
        channels = [owner.make_channel(workspace, name) for name in ("잡담", "work")]
        rooms = [Room("channel", each.id, workspace, each.name) for each in channels]
        self.members = [owner]

        def member(key):
            app = App.joined(deployment, key)
            owner.post(f"/workspaces/{workspace}/members", {"email": app.email})
            for channel in channels:
                # Reading a channel joins it.
                app.history(channel)
            self.members.append(app)
            return app

        friend, away = member("collatalk"), member("sooda")
        dm = Room("dm", owner.open_dm(workspace, friend), workspace)
        shared = (self.http, self.recording)
        pause = self.options.pause
        self.writers = [
            Writer(owner, *shared, [*rooms, dm], True, pause),
            Writer(member("native"), *shared, rooms, True, pause),
            Writer(friend, *shared, [*rooms, dm], False, pause),
            Writer(member("gen-2024-01"), *shared, rooms, False, pause),
        ]
        self.watchers = [
            Watcher(
                member(key), *shared, room, connects_first=first, transports=transports,
                fatal=PROFILES[key]["repeated_event"] == "fatal",
            )
            for number, (key, first, transports) in enumerate(APPS)
            for room in [rooms[number % 2]]
        ]
        self.devices = [
            (MeWriter if sends else MeWatcher)(
                member("native"), *shared, [*rooms], transports,
                **({"pause": pause} if sends else {}),
            )
            for transports, sends in DEVICES
        ]
        self.natives = [*self.devices, *(Reactor(self.writers[1].app, *shared, room, 2 * pause) for room in rooms)]
        self.resuming = []
        self.recording.devices = [Device(away.device, int(away.id), frozenset(map(str, rooms)))]
        self.recording.owners = {each.device: int(each.id) for each in self.members}

    def start_native(self, client, until, rng):
        self.resuming.append(asyncio.create_task(client.run(until, random.Random(rng.random()))))

    # The faults

    async def inject(self, faults):
        late = 0
        for fault in faults:
            await asyncio.sleep(max(0, self.began + fault.at + late - time.time()))
            if fault.is_alone:
                # This fault tests that everything else works, so the earlier faults must be over.
                await asyncio.gather(*self.tasks)
                await self.deployment.until_ready()
                late = time.time() - self.began - fault.at
            self.log(str(fault))
            work = self.start(self.cause(fault))
            if fault.is_alone:
                await work
                late = max(late, time.time() - self.began - fault.at - fault.lasts)
        end = max((each.at + each.lasts for each in faults), default=0)
        await asyncio.sleep(max(0, self.began + end + late - time.time()))

    async def cause(self, fault):
        began = time.time()
        await getattr(self, fault.kind)(fault)
        if fault.victim.startswith("redis"):
            self.recording.cursor_gaps.append((began, time.time() + LONGEST_RETURN))

    def start(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def kill(self, fault):
        if fault.victim == "a backend of postgres":
            return self.deployment.kill_backend()
        # It may have to wait for an earlier fault of this process.
        await self.deployment.kill(fault.victim)
        if fault.victim == "nginx" or fault.victim.startswith("realtime-gateway"):
            self.recording.disruptions.append(time.time())

    async def stop(self, fault):
        self.deployment.signal(fault.victim, signal.SIGSTOP)
        await asyncio.sleep(fault.lasts)
        self.deployment.signal(fault.victim, signal.SIGCONT)
        self.log(f"{fault.victim} continues")

    async def restart(self, fault):
        if fault.victim == "nginx":
            await self.deployment.until_replaced(fault.victim)
            # nginx drops its open connections.
            self.recording.disruptions.append(time.time())
        await self.deployment.restart(fault.victim)
        self.log(f"{fault.victim} was restarted")

    async def cut(self, fault):
        links = [link for name, link in self.deployment.links.items() if fault.victim in (name, name.split(" of ")[0] + " of all")]
        begin = time.time()
        if fault.victim.startswith("sockets"):
            self.recording.disruptions.append(begin)
        for link in links:
            link.cut()
        if fault.is_alone:
            await self.read_meanwhile(begin + fault.lasts)
            # A slow machine may need longer for a send and a read.
            end = time.time() + patiently(20)
            while time.time() < end and any(worked_without_redis(replace(self.recording, outages=[(begin, time.time())]))):
                await self.read_meanwhile(time.time() + 0.1)
            self.recording.outages.append((begin, time.time()))
        else:
            await asyncio.sleep(fault.lasts)
        for link in links:
            link.restore()
        self.log(f"{fault.victim} is restored")

    async def read_meanwhile(self, end):
        """Reads the history by HTTP until `end`."""
        reader = self.writers[0]
        while time.time() < end:
            began = time.time()
            status, _ = await reader.call("GET", f"{reader.rooms[0].path(reader.app)}?cursor_date=")
            if status == 200:
                self.recording.reads.append((began, time.time()))
            await asyncio.sleep(0.5)

    async def provider(self, fault):
        script = {
            "fails": {"status": 503, "times": 20},
            "is slow": {"status": 200, "delayMs": 3000, "times": 10},
            "sends Retry-After": {"status": 429, "errorCode": "QUOTA_EXCEEDED", "retryAfter": 2, "times": 20},
        }[fault.victim]
        await asyncio.to_thread(self.deployment.standin, "/fcm/script", script)

    async def fail_primary(self, seconds):
        """Ends the primary of the lab in turn in each way, and says how long no write was acknowledged."""
        lab = self.deployment.lab
        for fault in lab_schedule(seconds):
            await asyncio.sleep(max(0, self.began + fault.at - time.time()))
            end = time.time() + patiently(90)
            while not await asyncio.to_thread(lab.is_whole):
                assert time.time() < end, f"the nodes did not return: {lab.members()}"
                await asyncio.sleep(0.5)
            # No node may answer in time.
            while not (node := await asyncio.to_thread(lab.primary)):
                assert time.time() < end, f"the nodes name no primary: {lab.members()}"
            began = time.time()
            self.log(f"{fault.kind} {node.name}")
            work = {"kill": lab.kill, "freeze": lambda each: lab.freeze(each, fault.lasts), "switch over": lab.switch_over}
            reading = self.start(self.read_meanwhile(began + fault.lasts))
            await asyncio.to_thread(work[fault.kind], node)
            await reading
            writes = [send.ended for send in self.recording.sends if send.acknowledged]
            next = await asyncio.to_thread(lab.primary)
            self.log(
                f"{fault.kind}: {seconds_without(writes, began, time.time()):.1f} s without an acknowledged write, "
                f"{seconds_without([end for _, end in self.recording.reads], began, time.time()):.1f} s without history; "
                f"the primary is {next.name if next else 'missing'}"
            )

    async def recover(self):
        """Waits until all faults are over and every process is ready."""
        self.log("the last fault is over")
        await asyncio.gather(*self.tasks)
        await self.deployment.until_ready()
        self.log("every process is ready")

    # The end

    async def finish(self, activity, clients, tasks):
        _, running = await asyncio.wait(tasks, timeout=patiently(120))
        for client, task in zip(clients, tasks):
            if task in running:
                task.cancel()
                self.stuck.append(f"{client.app.key} {client.app.id} {activity} and does not finish")
            else:
                # Raise an error of this program; it is not a fault of Maru.
                task.result()

    async def settle(self):
        """Waits, up to a limit, until each watcher has the newest message and the absent device has all pushes."""
        self.recording.rows = await asyncio.to_thread(self.deployment.rows)
        heads, seqs = {}, {}
        for row in sorted(self.recording.rows, key=lambda row: row.seq):
            heads[row.room], seqs[row.room] = row.id, row.seq
        await self.until(60, "some watchers have not received the newest message", lambda: all(
            any(receipt.id == heads[each.reader.room] for receipt in each.receipts[-50:]) for each in self.watchers
        ))
        await self.until(60, "some native clients are not up to date", lambda: all(
            each.has_newest(seqs) for each in self.devices
        ) and not any(resumed(self.recording)))
        # The lease on a push that a killed gateway was sending ends after a minute.
        await self.until(150, "some pushes were not sent", self.all_are_pushed)
        # Give repeated messages time to arrive.
        await asyncio.sleep(1)
        self.recording.rows = await asyncio.to_thread(self.deployment.rows)
        self.recording.pushes = await asyncio.to_thread(self.deployment.pushes)
        self.recording.stops = self.deployment.stops

    def all_are_pushed(self):
        pushed = {(push.device, push.collapse) for push in self.deployment.pushes()}
        return all(
            (device.token, f"{row.room}:{row.seq}") in pushed
            for device in self.recording.devices for row in self.recording.rows if row.room in device.rooms
        )

    async def until(self, seconds, otherwise, condition):
        end = time.time() + patiently(seconds)
        while not await asyncio.to_thread(condition):
            if time.time() > end:
                return self.log(otherwise)
            await asyncio.sleep(0.5)

    # The report

    def report(self):
        recording = self.recording
        receipts = sum(len(each.receipts) for each in self.watchers)
        counts = sum((Counter(each.count) for each in self.watchers), Counter())
        natives = sum((Counter(each.count) for each in self.devices), Counter())
        self.log(
            f"{natives['connects']} connections of native devices, {natives['losses']} broken, {natives['changes']} changes of "
            f"network, {natives['gaps']} gaps; {sum(len(each.told) for each in recording.native_readers)} changes told, "
            f"{len(recording.changes)} acknowledged"
        )
        acknowledged = sum(bool(send.acknowledged) for send in recording.sends)
        self.log(
            f"{len(recording.sends)} sends, {acknowledged} acknowledged, {len(recording.rows)} rows; {receipts} receipts, "
            f"{counts['losses']} broken connections, {counts['changes']} changes of network, {counts['entries']} entries, "
            f"{sum(each.refusals for each in self.watchers)} refusals; {len(recording.pushes)} pushes"
        )
        promises = self.promises()
        for promise, problems in promises.items():
            print(f"FAULT {promise}: {len(problems)} times" if problems else f"ok {promise}")
            for line in summary(problems):
                print(f"    {line}")
        failed = any(promises.values())
        if failed:
            print(f"again: {self.command}; kept: {self.deployment.folder}")
        else:
            shutil.rmtree(self.deployment.folder)
        return 1 if failed else 0

    def promises(self):
        """The problems of each promise."""
        silence = {"a room is live again within 5 s": self.redis_faults.problems} if self.redis_faults else {}
        return check(self.recording) | silence | {
            "no process ends by itself": self.deployment.unexpected_ends(),
            "every client continues after the last fault": self.stuck,
        }


def summary(problems):
    """Yields two problems of each kind and the number of the others."""
    kinds = defaultdict(list)
    for problem in problems:
        kinds[tuple(problem.split(": ")[:-1][:2])].append(problem)
    for alike in kinds.values():
        yield from alike[:2]
        if len(alike) > 2:
            yield f"and {len(alike) - 2} more like it, the last: {alike[-1]}"


def main():
    parser = argparse.ArgumentParser(prog="deploy/faults")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--pause", type=float, default=0.25)
    parser.add_argument("--lab", choices=["postgres", "redis"])
    parser.add_argument("--programs", required=True)
    raise SystemExit(asyncio.run(Run(parser.parse_args()).run()))


if __name__ == "__main__":
    main()
