"""One minute of deploy/faults with a fixed seed."""

import os
import pathlib
import re
import subprocess

import pytest
from faults import APPS
from schedule import KILLED, kinds_of, schedule
from waiting import patiently

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
# The pushes of a killed gateway may take more than a minute.
pytestmark = pytest.mark.timeout(patiently(600))
# Found by a search for a schedule with all kinds of faults in one minute.
SEED = 2246357
PROMISES = ["R1", "R2", "R3", "R4", "R9", "R11", "R12", "R13", "R14", "no process", "every client"]


def test_the_minute_kills_every_part_and_has_a_fault_of_every_kind():
    kinds = kinds_of(schedule(SEED, 60))
    assert {("kill", each.removesuffix("-2")) for each in KILLED} < kinds
    assert {kind for kind, _ in kinds} == {"kill", "stop", "restart", "cut", "provider"}
    assert {("cut", "redis of all"), ("stop", "postgres"), ("restart", "postgres"), ("restart", "redis")} < kinds


@pytest.fixture(scope="module")
def report():
    command = [CHECKOUT / "deploy/faults", "--minutes", "1", "--seed", str(SEED)]
    environment = {**os.environ, "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output = process.communicate(timeout=patiently(500))[0]
    finally:
        # On SIGTERM it stops everything that it started.
        process.terminate()
        process.wait(patiently(120))
    print(output)
    return subprocess.CompletedProcess(command, process.returncode, output)


@pytest.mark.parametrize("promise", PROMISES)
def test_a_minute_of_faults_breaks_no_promise(report, promise):
    assert any(line.startswith(f"ok {promise} ") for line in report.stdout.splitlines()), report.stdout


def test_the_output_has_the_seed_and_the_faults(report):
    lines = report.stdout.splitlines()
    assert lines[0] == f"seed {SEED}: deploy/faults --minutes 1 --seed {SEED}"
    assert sum(each.split()[1:2] in (["kill"], ["stop"], ["cut"], ["restart"]) for each in lines) > 8
    assert int(re.search(r"(\d+) changes of network", report.stdout)[1]) >= len(APPS) / 2
    assert report.returncode == 0


def test_help_lists_every_option_and_a_wrong_option_is_refused():
    help = subprocess.run([CHECKOUT / "deploy/faults", "--help"], capture_output=True, text=True)
    assert help.returncode == 0 and all(each in help.stdout for each in ("--minutes", "--seed", "--pause", "--lab"))
    for wrong in (["--wrong"], ["--minutes", "few"], ["--seed"]):
        refused = subprocess.run([CHECKOUT / "deploy/faults", *wrong], capture_output=True, text=True)
        assert refused.returncode == 1 and wrong[0] in refused.stderr
