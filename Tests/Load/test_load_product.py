"""A small run of deploy/load product prints its figures and fails if it misses a target."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

from waiting import patiently

PROGRAM = CHECKOUT / ".build/debug/load-product"


@pytest.mark.parametrize("limit, status, verdict", [(100_000, 0, "met"), (1, 1, "MISSED")])
def test_the_figures_are_written_down_and_a_missed_target_is_a_failure(tmp_path, limit, status, verdict):
    options = {"users": 5, "idle": 10, "seconds": 2, "steps": 1, "limit": limit, "json": tmp_path / "figures.json"}
    arguments = [str(each) for name, value in options.items() for each in (f"--{name}", value)]
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=patiently(200))
    (line,) = [each for each in result.stdout.splitlines() if "5 active users beside 10 idle sockets" in each]
    assert (result.returncode, line.split()[0]) == (status, verdict), result.stdout + result.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    (step,) = figures.pop("steps")
    assert figures == {"users": 5, "idle": 10, "seconds": 2}
    assert step["sockets"] == 10 and step["errors"] == 0 and 0 < step["p50_ms"] <= step["p99_ms"]
    # An action is one call or more.
    assert 0 < step["done_per_second"] <= step["calls_per_second"]
    assert step["calls"] and all(call["count"] > 0 and 0 < call["p50_ms"] <= call["p99_ms"] for call in step["calls"])
    costs = {part["name"]: part["anonymous_bytes"] for part in step["parts"]}
    assert {"chat-service", "realtime-gateway", "postgres", "redis", "nginx"} < costs.keys() and min(costs.values()) > 0


def test_the_deletion_of_an_account_is_measured_beside_the_load(tmp_path):
    options = {"users": 5, "idle": 10, "seconds": 2, "deletion": 400, "json": tmp_path / "figures.json"}
    arguments = [str(each) for name, value in options.items() for each in (f"--{name}", value)]
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=patiently(250))
    lines = [each for each in result.stdout.splitlines() if each.startswith(("met", "MISSED"))]
    assert any("while 400 messages in 200 rooms were deleted: p99" in each for each in lines), result.stdout + result.stderr
    assert any(each.startswith("met") and "0 messages are left, the call answered 200" in each for each in lines), lines
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["deleted_messages"] == 400 and 0 < figures["erasure_seconds"] <= patiently(60)
    before, during, after = figures["steps"]
    assert all(step["errors"] == 0 and step["p99_ms"] > 0 for step in (before, during, after))


def test_a_day_is_played_hour_by_hour(tmp_path):
    options = {"people": 400, "machines": 20, "speed": 1800, "hours": "8-11", "limit": 100_000, "json": tmp_path / "day.json"}
    arguments = [str(each) for name, value in options.items() for each in (f"--{name}", value)]
    result = subprocess.run([PROGRAM, "--day", *arguments], capture_output=True, text=True, timeout=patiently(250))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "met    3 hours: p99 at most" in result.stdout and "0 errors, 0 sockets lost" in result.stdout
    day = json.loads((tmp_path / "day.json").read_text())
    assert (day["people"], day["share"], day["speed"]) == (400, 20, 1800)
    assert day["messages"] > 0 and day["database_bytes"] >= 0
    morning, nine, ten = day["hours"]
    assert [each["hour"] for each in day["hours"]] == [8, 9, 10]
    # Three of ten people are there at eight, six of ten at nine.
    assert (morning["online"], nine["online"], ten["online"]) == (6, 12, 12)
    for hour in day["hours"]:
        assert hour["errors"] == 0 and hour["calls"] >= hour["actions"] > 0 and hour["commits"] > 0, hour
        assert 0 < hour["cores"] <= os.cpu_count() + 1 and 0 < hour["p50_ms"] <= hour["p99_ms"], hour
    assert morning["actions"] < nine["actions"]
    assert nine["events"] > 0


@pytest.mark.parametrize("arguments", [["--hours", "9-25"], ["--hours", "9"], ["--speed", "0"], ["--speed", "3601"], ["--day", "1"]])
def test_a_day_with_a_wrong_option_does_not_begin(arguments):
    result = subprocess.run([PROGRAM, "--day", *arguments], capture_output=True, text=True, timeout=patiently(30))
    assert result.returncode == 1 and ("see --help" in result.stdout or "such as 8-12" in result.stdout), result.stdout


def test_the_costs_of_the_page_about_capacity_are_measured(tmp_path):
    options = ["--users", "20", "--idle", "10", "--seconds", "3", "--costs", "--json", str(tmp_path / "figures.json")]
    for _ in range(3):
        result = subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=patiently(90))
        assert result.returncode == 0, result.stdout + result.stderr
        figures = json.loads((tmp_path / "figures.json").read_text())
        # A vacuum in the quiet part may cost more than the calls.
        if figures["read_microseconds"] > 0:
            break
    assert figures["read_microseconds"] > 0 and figures["connections"] > 5
    # A backend has its caches of the catalogue and of plans, and not the shared buffers.
    assert 500_000 < figures["connection_bytes"] < 100_000_000
    assert "a call that reads: " in result.stdout
