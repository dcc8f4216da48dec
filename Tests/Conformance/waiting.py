import time


def eventually(condition, patience=15, pause=0.02):
    """Returns when the condition holds; fails when it does not in time."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "never happened"
        time.sleep(pause)
