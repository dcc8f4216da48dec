"""The lab loses its primary and gets another one, goes back to an earlier moment, and stops everything at the end."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest
from lab import Lab
from waiting import patiently

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(patiently(300))


def until(seconds, condition):
    end = time.monotonic() + patiently(seconds)
    while not (result := condition()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return result


def psql(lab, sql):
    environment = {**os.environ, "PGSERVICEFILE": str(lab.service), "PGSERVICE": "maru"}
    return subprocess.run(
        ["psql", "-XqAt", "-vON_ERROR_STOP=1"], env=environment, input=sql, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_another_node_takes_over_and_the_whole_cluster_goes_back_to_a_moment_after_that(tmp_path):
    lab = Lab(CHECKOUT, tmp_path / "lab")
    lab.start()
    try:
        until(60, lab.is_whole)
        psql(lab, "CREATE TABLE kept (name text); INSERT INTO kept VALUES ('in the backup')")
        lab.run("backup")
        old = until(60, lab.primary)
        lab.kill(old)
        until(60, lambda: lab.primary() not in (None, old))
        # The killed node returns as a replica.
        until(90, lab.is_whole)
        assert until(60, lab.members)[old.name]["role"] != "leader"
        # The new primary goes on with the archive of the old one.
        psql(lab, "INSERT INTO kept VALUES ('after the failover')")
        moment = psql(lab, "SELECT clock_timestamp() AT TIME ZONE 'UTC'") + "+00"
        psql(lab, "DROP TABLE kept")
        processes = [each for node in lab.nodes for each in lab.processes(node)]
    finally:
        lab.stop()
    until(60, lambda: not any(pathlib.Path(f"/proc/{each}").exists() for each in processes))

    lab.run("restore", "--yes", "--to", moment)
    lab.start()
    try:
        until(60, lab.is_whole)
        assert psql(lab, "SELECT name FROM kept ORDER BY 1") == "after the failover\nin the backup"
        assert "incr" in lab.run("backup")
    finally:
        lab.stop()
        # It is not in the folder of the test if the user of Postgres cannot reach that. Another lab in a folder of this name would find it.
        shutil.rmtree(pathlib.Path(lab.nodes[0].data).parents[1])


def test_a_start_that_is_interrupted_leaves_no_laboratory_behind(tmp_path):
    lab = Lab(CHECKOUT, tmp_path / "lab")
    start = subprocess.Popen([CHECKOUT / "deploy/lab", "postgres", "--detach", "--data", lab.data], stdout=subprocess.DEVNULL)
    first = lab.data / "run/etcd.pid"
    until(60, first.exists)
    process = first.read_text().split()[0]

    def has_ended():
        # Bash can lose a signal that it traps in the moment in which a substitution ends.
        start.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return start.wait(5) is not None

    until(60, has_ended)
    assert start.returncode == 130
    until(60, lambda: not pathlib.Path(f"/proc/{process}").exists())
    # As above, its data can be outside of the folder of the test.
    lab.stop()
    shutil.rmtree(pathlib.Path((lab.data / "cluster").read_text().strip()).with_name("lab"))


def test_the_lab_has_help_and_refuses_a_wrong_option():
    help = subprocess.run([CHECKOUT / "deploy/lab", "--help"], capture_output=True, text=True)
    assert help.returncode == 0 and "--detach" in help.stdout
    refused = subprocess.run([CHECKOUT / "deploy/lab", "--wrong"], capture_output=True, text=True)
    assert refused.returncode == 1 and "--wrong" in refused.stderr
