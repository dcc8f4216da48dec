"""A minute of faults from one seed, as deploy/faults tells it."""

import os
import pathlib
import subprocess

import pytest
from story import KILLED, kinds_of, story

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
# Until all pushes of a killed gateway are out, more than a minute may pass.
pytestmark = pytest.mark.timeout(600)
# Found by looking through stories for one that has so much in a minute.
SEED = 2246357
PROMISES = ["R1", "R2", "R3", "R4", "R9", "R11", "R12", "no process", "everybody"]


def test_the_minute_kills_every_part_and_has_a_fault_of_every_kind():
    kinds = kinds_of(story(SEED, 60))
    assert {("kill", each.removesuffix("-2")) for each in KILLED} < kinds
    assert {kind for kind, _ in kinds} == {"kill", "stop", "restart", "cut", "provider"}
    assert {("cut", "redis of all"), ("stop", "postgres"), ("restart", "postgres"), ("restart", "redis")} < kinds


@pytest.fixture(scope="module")
def report():
    command = [CHECKOUT / "deploy/faults", "--minutes", "1", "--seed", str(SEED)]
    environment = {**os.environ, "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output = process.communicate(timeout=500)[0]
    finally:
        # It stops what it has started.
        process.terminate()
        process.wait(120)
    print(output)
    return subprocess.CompletedProcess(command, process.returncode, output)


@pytest.mark.parametrize("promise", PROMISES)
def test_a_minute_of_faults_breaks_no_promise(report, promise):
    assert any(line.startswith(f"ok {promise} ") for line in report.stdout.splitlines()), report.stdout


def test_it_says_what_it_did_and_with_which_seed(report):
    lines = report.stdout.splitlines()
    assert lines[0] == f"seed {SEED}: deploy/faults --minutes 1 --seed {SEED}"
    assert sum(each.split()[1:2] in (["kill"], ["stop"], ["cut"], ["restart"]) for each in lines) > 8
    assert report.returncode == 0


def test_help_tells_every_option_and_a_wrong_one_is_refused():
    help = subprocess.run([CHECKOUT / "deploy/faults", "--help"], capture_output=True, text=True)
    assert help.returncode == 0 and all(each in help.stdout for each in ("--minutes", "--seed", "--pause"))
    for wrong in (["--wrong"], ["--minutes", "few"], ["--seed"]):
        refused = subprocess.run([CHECKOUT / "deploy/faults", *wrong], capture_output=True, text=True)
        assert refused.returncode == 1 and wrong[0] in refused.stderr
