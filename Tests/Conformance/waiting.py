import os
import time


def eventually(condition, patience=60, pause=0.02):
    """Returns when the condition holds; fails when it does not in time, which is longer where all is slow."""
    end = time.monotonic() + patience * float(os.environ.get("MARU_PATIENCE", 1))
    while not condition():
        assert time.monotonic() < end, "never happened"
        time.sleep(pause)
