"""Runs one of the test servers on a free port."""

import contextlib
import os
import pathlib
import re
import subprocess

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = int(os.environ.get("MARU_PATIENCE", "1"))
PROGRAMS = pathlib.Path(os.environ.get("MARU_PROGRAMS", CHECKOUT / ".build/debug"))


@contextlib.contextmanager
def serving(program, *arguments):
    """Yields the port of the server."""
    process = subprocess.Popen([PROGRAMS / program, "0", *arguments], stdout=subprocess.PIPE, text=True)
    try:
        yield int(re.search(r":(\d+)", process.stdout.readline())[1])
    finally:
        process.terminate()
        assert process.wait(20 * PATIENCE) == 0
