"""Tests the conformance server with both lines of python-socketio: 5.x uses Engine.IO 4, 4.x uses Engine.IO 3."""

import os
import pathlib
import subprocess
import sys

import pytest
from engine import PING_INTERVAL
from server import serving

CLIENT = pathlib.Path(__file__).with_name("socketio_client.py")
# A folder with the 4.x line, which deploy/test makes.
OLD_LINE = pathlib.Path(sys.prefix) / "socketio-4"

# In seconds. The 200 ms of the public suites are less than a busy machine may take to run a client in Python.
PING_TIMEOUT = 2 * int(os.environ.get("MARU_PATIENCE", "1"))


@pytest.fixture(scope="module")
def patient_port():
    with serving("socketio-conformance", "3", str(PING_TIMEOUT * 1000)) as port:
        yield port


def run(port, transport, path=""):
    environment = {**os.environ, "PYTHONPATH": str(path)}
    command = [sys.executable, CLIENT, str(port), transport, str(PING_INTERVAL + PING_TIMEOUT)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert result.stdout == "content\n", result.stderr


@pytest.mark.parametrize("transport", ["polling", "websocket", "both"])
def test_line_5(patient_port, transport):
    run(patient_port, transport)


@pytest.mark.parametrize("transport", ["polling", "websocket", "both"])
def test_line_4(patient_port, transport):
    assert (OLD_LINE / "socketio").exists()
    run(patient_port, transport, OLD_LINE)
