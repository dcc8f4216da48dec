"""Tests the conformance server with both lines of python-socketio: 5.x uses Engine.IO 4, 4.x uses Engine.IO 3."""

import os
import pathlib
import subprocess
import sys

import pytest
from engine import PATIENT_TIMEOUT, PING_INTERVAL

CLIENT = pathlib.Path(__file__).with_name("socketio_client.py")
# A folder with the 4.x line, which deploy/test makes.
OLD_LINE = pathlib.Path(sys.prefix) / "socketio-4"


def run(port, transport, interval=PING_INTERVAL, path=""):
    environment = {**os.environ, "PYTHONPATH": str(path)}
    command = [sys.executable, CLIENT, str(port), transport, str(interval + PATIENT_TIMEOUT)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60 * PATIENT_TIMEOUT)
    assert result.stdout == "content\n", result.stderr


@pytest.mark.parametrize("transport", ["polling", "websocket", "both"])
def test_line_5(patient_port, transport):
    run(patient_port, transport)


@pytest.mark.parametrize("transport", ["polling", "websocket", "both"])
def test_line_4(slow_port, transport):
    assert (OLD_LINE / "socketio").exists()
    run(slow_port, transport, PATIENT_TIMEOUT, OLD_LINE)
