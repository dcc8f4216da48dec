"""The faults of a Redis cluster in a run of deploy/faults."""

import asyncio
import functools
import random
import time

from redis_lab import SLOTS, slot_of
from schedule import lab_schedule, seconds_without
from waiting import patiently, stalled

# Seconds until the messages of a room are live again after its master was lost.
LONGEST_SILENCE = patiently(5)
# Slots that move beside that of the room.
MOVED_SLOTS = 40


class RedisFaults:
    """Changes the cluster in turn in each way, always where the room of the most watchers is."""

    def __init__(self, run):
        self.run = run
        self.lab = run.deployment.lab
        self.rng = random.Random(run.seed)
        self.room = str(run.writers[0].rooms[0])
        self.slot = slot_of(f"room:{self.room}")
        # The faults after which the room was silent for too long.
        self.problems = []

    async def change(self, seconds):
        run = self.run
        for fault in lab_schedule(seconds, "redis"):
            await asyncio.sleep(max(0, run.began + fault.at - time.time()))
            await self.until_whole()
            master = await asyncio.to_thread(self.lab.master_of, self.slot)
            began = time.time()
            run.log(f"{fault.kind} {master.name}, which has {self.room}")
            await asyncio.to_thread(getattr(self, fault.kind.replace(" ", "_")), master)
            if fault.kind != "move slots":
                run.recording.cursor_gaps.append((began, time.time() + fault.lasts))
            await asyncio.sleep(max(0, began + fault.lasts - time.time()))
            self.note(fault.kind, began)
            # Otherwise it would return after 20 seconds.
            if fault.kind == "kill":
                self.lab.return_now(master)
        await self.until_whole()

    def note(self, kind, began):
        times = sorted(
            receipt.at for each in self.run.watchers if each.reader.room == self.room for receipt in each.receipts
            if receipt.source == "socket"
        )
        # A machine that stands still is silent too.
        excused = functools.partial(stalled, found=self.run.recording.stalls)
        silence = seconds_without(times, began, time.time(), excused)
        self.run.log(f"{kind}: {silence:.1f} s without a live message in {self.room}")
        if silence > LONGEST_SILENCE:
            self.problems.append(f"{kind}: {silence:.1f} s")

    async def until_whole(self):
        end = time.time() + patiently(90)
        while not await asyncio.to_thread(self.lab.is_whole):
            lacks = list(filter(None, map(self.lab.lack, self.lab.nodes)))
            assert time.time() < end, f"the nodes did not return: {lacks}, {self.lab.lines()}"
            await asyncio.sleep(0.3)

    def move_slots(self, master):
        others = sorted((each for each in self.lab.masters() if each != master), key=lambda each: each.name)
        slots = [self.slot, *self.rng.sample(range(SLOTS), MOVED_SLOTS)]
        self.lab.move(slots, self.rng.choice(others))

    def kill(self, master):
        self.lab.kill(master)

    def empty(self, master):
        self.lab.empty(master)
