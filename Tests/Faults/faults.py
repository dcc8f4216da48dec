"""Lets Maru work while its parts are killed, stopped, cut off and restarted, and proves that its promises were kept.

See deploy/faults.
"""

import argparse
import asyncio
import pathlib
import random
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

import aiohttp
from app import App
from checker import check
from house import House
from people import Room, Watcher, Writer
from recording import Device, Recording
from story import story

# Key, opens its socket first, breaks when it gets a message twice, transports: as contract.md tells of these apps.
APPS = (
    ("sooda", True, False, None),
    ("gathering", True, True, None),
    ("collatalk", False, True, None),
    ("collabee", False, True, ["websocket"]),
    ("native", False, False, ["websocket"]),
    ("gen-2024-07", True, True, ["websocket"]),
)

# Until all are connected again to a Redis that was away.
LONGEST_RETURN = 3


class Run:
    def __init__(self, options):
        self.options = options
        self.seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
        self.began = time.time()
        self.recording = Recording()
        self.tasks = set()
        self.stuck = []

    def log(self, text):
        print(f"{time.time() - self.began:8.2f}  {text}", flush=True)

    async def run(self):
        seconds = self.options.minutes * 60
        print(f"seed {self.seed}: deploy/faults --minutes {self.options.minutes:g} --seed {self.seed}", flush=True)
        # Whoever ends this ends what it has started.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
        self.house = House(CHECKOUT, self.options.programs, self.log)
        async with self.house, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as self.http:
            await asyncio.to_thread(self.furnish)
            self.began = self.recording.began = time.time()
            self.log(f"all run: logs in {self.house.data}/logs")
            supervision = asyncio.create_task(self.house.watch_children())
            until = asyncio.Event()
            rng = random.Random(self.seed)
            writing = [asyncio.create_task(each.run(until, random.Random(rng.random()))) for each in self.writers]
            reading = [asyncio.create_task(each.run(until, random.Random(rng.random()))) for each in self.watchers]
            await self.tell(story(self.seed, seconds))
            await self.heal()
            until.set()
            await self.all_end("writes", self.writers, writing)
            await self.all_end("reads", self.watchers, reading)
            await self.settle()
            supervision.cancel()
            for each in self.watchers:
                await each.leave()
        return self.report()

    # The people

    def furnish(self):
        """Two channels and a DM; who writes and who reads; somebody who is away."""
        house = self.house
        owner = App.joined(house, "native")
        workspace = owner.make_workspace()
        channels = [owner.make_channel(workspace, name) for name in ("잡담", "work")]
        rooms = [Room("channel", each.id, workspace, each.name) for each in channels]
        self.everybody = [owner]

        def member(key):
            app = App.joined(house, key)
            owner.post(f"/workspaces/{workspace}/members", {"email": app.email})
            for channel in channels:
                # Reading joins.
                app.history(channel)
            self.everybody.append(app)
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
            Watcher(member(key), *shared, room, connects_first=first, fatal=fatal, transports=transports)
            for number, (key, first, fatal, transports) in enumerate(APPS)
            for room in [rooms[number % 2]]
        ]
        self.recording.devices = [Device(away.device, int(away.id), frozenset(map(str, rooms)))]
        self.recording.owners = {each.device: int(each.id) for each in self.everybody}

    # The faults

    async def tell(self, faults):
        late = 0
        for fault in faults:
            await asyncio.sleep(max(0, self.began + fault.at + late - time.time()))
            if fault.is_alone:
                # That the rest works is what this one is about.
                await self.house.until_ready()
                late = time.time() - self.began - fault.at
            self.log(str(fault))
            work = self.start(self.bring(fault))
            if fault.is_alone:
                await work
        end = max((each.at + each.lasts for each in faults), default=0)
        await asyncio.sleep(max(0, self.began + end + late - time.time()))

    async def bring(self, fault):
        began = time.time()
        await getattr(self, fault.kind)(fault)
        if fault.victim.startswith("redis"):
            self.recording.forgetting.append((began, time.time() + LONGEST_RETURN))

    def start(self, work):
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def kill(self, fault):
        if fault.victim == "a backend of postgres":
            return self.house.kill_backend()
        if fault.victim == "nginx" or fault.victim.startswith("realtime-gateway"):
            self.recording.disruptions.append(time.time())
        await self.house.kill(fault.victim)

    async def stop(self, fault):
        self.house.signal(fault.victim, signal.SIGSTOP)
        await asyncio.sleep(fault.lasts)
        self.house.signal(fault.victim, signal.SIGCONT)
        self.log(f"{fault.victim} goes on")

    async def restart(self, fault):
        if fault.victim == "nginx":
            # It drops what it carries.
            self.recording.disruptions.append(time.time())
        await self.house.restart(fault.victim)
        self.log(f"{fault.victim} was restarted")

    async def cut(self, fault):
        links = [link for name, link in self.house.links.items() if fault.victim in (name, name.split(" of ")[0] + " of all")]
        begin = time.time()
        if fault.victim.startswith("sockets"):
            self.recording.disruptions.append(begin)
        for link in links:
            link.cut()
        if fault.is_alone:
            await self.read_meanwhile(begin + fault.lasts)
            self.recording.outages.append((begin, time.time()))
        else:
            await asyncio.sleep(fault.lasts)
        for link in links:
            link.mend()
        self.log(f"{fault.victim} is mended")

    async def read_meanwhile(self, end):
        """Somebody without a socket reads what was said."""
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
            "asks for patience": {"status": 429, "errorCode": "QUOTA_EXCEEDED", "retryAfter": 2, "times": 20},
        }[fault.victim]
        await asyncio.to_thread(self.house.standin, "/fcm/script", script)

    async def heal(self):
        """All goes on from here."""
        self.log("all is mended")
        await asyncio.gather(*self.tasks)
        await self.house.until_ready()
        self.log("all is ready")

    # The end

    async def all_end(self, what, people, tasks):
        _, running = await asyncio.wait(tasks, timeout=120)
        for person, task in zip(people, tasks):
            if task in running:
                task.cancel()
                self.stuck.append(f"{person.app.key} {person.app.id} {what} and does not get on")
            else:
                # A mistake of this program is not one of Maru's.
                task.result()

    async def settle(self):
        """Until everybody has seen the newest of its room, and the device that is away was told of all; not for ever."""
        self.recording.rows = await asyncio.to_thread(self.house.rows)
        heads = {}
        for row in sorted(self.recording.rows, key=lambda row: row.seq):
            heads[row.room] = row.id
        await self.until(60, "not all have seen all", lambda: all(
            any(sight.id == heads[each.reader.room] for sight in each.sights[-50:]) for each in self.watchers
        ))
        # A push that was being sent when the gateway died is taken up again after a minute.
        await self.until(150, "not all pushes are out", self.all_are_told)
        # What comes twice comes by now.
        await asyncio.sleep(1)
        self.recording.rows = await asyncio.to_thread(self.house.rows)
        self.recording.pushes = await asyncio.to_thread(self.house.pushes)
        self.recording.stops = self.house.stops

    def all_are_told(self):
        told = {(push.device, push.collapse) for push in self.house.pushes()}
        return all(
            (device.token, f"{row.room}:{row.seq}") in told
            for device in self.recording.devices for row in self.recording.rows if row.room in device.rooms
        )

    async def until(self, seconds, otherwise, condition):
        end = time.time() + seconds
        while not await asyncio.to_thread(condition):
            if time.time() > end:
                return self.log(otherwise)
            await asyncio.sleep(0.5)

    # The report

    def report(self):
        recording = self.recording
        sights = sum(len(each.sights) for each in self.watchers)
        counts = sum((Counter(each.count) for each in self.watchers), Counter())
        acknowledged = sum(bool(send.acknowledged) for send in recording.sends)
        self.log(
            f"{len(recording.sends)} sends, {acknowledged} acknowledged, {len(recording.rows)} rows; {sights} sights, "
            f"{counts['losses']} broken connections, {counts['entries']} entries, "
            f"{sum(each.refusals for each in self.watchers)} refusals; {len(recording.pushes)} pushes"
        )
        promises = check(recording) | {
            "no process ends by itself": self.house.surprising_ends(),
            "everybody gets on once all is mended": self.stuck,
        }
        for promise, problems in promises.items():
            print(f"FAULT {promise}: {len(problems)} times" if problems else f"ok {promise}")
            for line in summary(problems):
                print(f"    {line}")
        failed = any(promises.values())
        if failed:
            print(f"again: deploy/faults --minutes {self.options.minutes:g} --seed {self.seed}; kept: {self.house.folder}")
        else:
            shutil.rmtree(self.house.folder)
        return 1 if failed else 0


def summary(problems):
    """Two of each sort, and how many there are more."""
    sorts = defaultdict(list)
    for problem in problems:
        sorts[tuple(problem.split(": ")[:-1][:2])].append(problem)
    for alike in sorts.values():
        yield from alike[:2]
        if len(alike) > 2:
            yield f"and {len(alike) - 2} more like it, the last: {alike[-1]}"


def main():
    parser = argparse.ArgumentParser(prog="deploy/faults")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--pause", type=float, default=0.25)
    parser.add_argument("--programs", required=True)
    raise SystemExit(asyncio.run(Run(parser.parse_args()).run()))


if __name__ == "__main__":
    main()
