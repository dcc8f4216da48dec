import os
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
