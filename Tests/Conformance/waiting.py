import os
import time


def eventually(condition, patience=10, pause=0.02):
    """Returns when the condition holds and fails at a time limit, which MARU_PATIENCE extends."""
    end = time.monotonic() + patience * float(os.environ.get("MARU_PATIENCE", 1))
    while not condition():
        assert time.monotonic() < end, "the condition did not hold in time"
        time.sleep(pause)
