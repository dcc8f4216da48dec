import os
import threading
import time


def patiently(seconds):
    """A time limit that only a fault should reach, which MARU_PATIENCE extends."""
    return seconds * float(os.environ.get("MARU_PATIENCE", 1))


def eventually(condition, patience=30, pause=0.02):
    """Returns when the condition holds and fails at a time limit, which MARU_PATIENCE extends."""
    end = time.monotonic() + patiently(patience)
    while not condition():
        assert time.monotonic() < end, "the condition did not hold in time"
        time.sleep(pause)


class Stalls(threading.Thread):
    """Notes when this machine stood still. A busy or paused machine runs no process for a while, and time-outs pass meanwhile.

    A thread looks at the clock every 50 ms. If it did not run for more than 0.3 s, `found` has that span: from, until, in
    seconds of time.time(). It ends with the program.
    """

    def __init__(self):
        super().__init__(daemon=True)
        self.found = []
        self.start()

    def run(self):
        before = time.time()
        while True:
            time.sleep(0.05)
            now = time.time()
            if now - before > 0.3:
                self.found.append((before, now))
            before = now


def stalled(begin, end, found):
    """The seconds between `begin` and `end` in which the machine stood still, by the spans that Stalls found."""
    return sum(max(0, min(end, until) - max(begin, since)) for since, until in found)
