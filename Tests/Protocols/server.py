"""Runs one of the test servers on a port of the system's choice."""

import contextlib
import os
import pathlib
import re
import subprocess

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("MARU_PROGRAMS", CHECKOUT / ".build/debug"))


@contextlib.contextmanager
def serving(program, *arguments):
    """The port on which the program serves."""
    process = subprocess.Popen([PROGRAMS / program, "0", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield int(re.search(r":(\d+)", process.stdout.readline())[1])
    finally:
        process.terminate()
        assert process.wait(20) == 0
