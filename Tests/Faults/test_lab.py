"""The lab loses its primary and gets another one, and stops everything at the end."""

import pathlib
import subprocess
import time

import pytest
from lab import Lab

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(300)


def until(seconds, condition):
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return result


def test_another_node_takes_over_when_everything_on_the_primary_is_killed(tmp_path):
    lab = Lab(CHECKOUT, tmp_path / "lab")
    lab.start()
    try:
        until(60, lab.is_whole)
        old = lab.primary()
        lab.kill(old)
        new = until(60, lambda: (each := lab.primary()) and each != old and each)
        # The killed node returns as a replica.
        until(90, lab.is_whole)
        assert lab.primary() == new
        processes = [each for node in lab.nodes for each in lab.processes(node)]
    finally:
        lab.stop()
    until(20, lambda: not any(pathlib.Path(f"/proc/{each}").exists() for each in processes))


def test_the_lab_has_help_and_refuses_a_wrong_option():
    help = subprocess.run([CHECKOUT / "deploy/lab", "--help"], capture_output=True, text=True)
    assert help.returncode == 0 and "--detach" in help.stdout
    refused = subprocess.run([CHECKOUT / "deploy/lab", "--wrong"], capture_output=True, text=True)
    assert refused.returncode == 1 and "--wrong" in refused.stderr
