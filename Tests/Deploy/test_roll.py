"""deploy/roll replaces the services of deploy/up one by one, and keeps the old process where the new one is not ready."""

import contextlib
import fcntl
import json
import os
import subprocess
import time

import pytest
from gateway import CHECKOUT, SERVICES, eventually, patiently
from instance import Instance

NEVER_READY = """#!/bin/sh
[ $1 != --print-config ] || exec {original} --print-config
echo the reason
{end}
"""


@pytest.fixture
def running():
    with Instance() as each:
        each.up()
        yield each


def processes(instance):
    return {name: instance.process(name) for name in (*SERVICES.values(), "postgres", "redis", "gateway")}


def replace_program(instance, name, end):
    """Makes a program that never becomes ready."""
    program = instance.programs / name
    original = program.resolve()
    program.unlink()
    kept = instance.programs / f"{name}.original" / name
    kept.parent.mkdir()
    kept.symlink_to(original)
    program.write_text(NEVER_READY.format(original=kept, end=end.format(original=kept)))
    program.chmod(0o755)


def test_every_service_is_replaced_and_nothing_else(running):
    for _ in range(2):
        before = processes(running)
        result = running.run("roll")
        assert result.returncode == 0, result.stdout + result.stderr
        assert [line for line in result.stdout.splitlines() if line.startswith("replaced")] == [
            f"replaced {name}" for name in SERVICES.values()
        ]
        after = processes(running)
        assert {name for name in after if after[name] != before[name]} == set(SERVICES.values())
        assert not any(exists(before[name]) for name in SERVICES.values())
        assert not list((running.data / "run").glob("old-*"))
        assert json.loads(running.get("/v1/users/me"))["service"] == "auth-service"
    running.kill("chat-service")


def exists(process):
    return os.path.exists(f"/proc/{process}")


def test_secrets_that_a_release_brings_are_made_and_the_others_stay(running):
    secrets = running.data / "secrets"
    before = {path: path.read_text() for path in secrets.rglob("*") if path.is_file()}
    new = [path for path in before if path.name == "operator_credential"]
    assert len(new) == 6
    for path in new:
        path.unlink()
    result = running.run("roll")
    assert result.returncode == 0, result.stdout + result.stderr
    after = {path: path.read_text() for path in secrets.rglob("*") if path.is_file()}
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == set(new)
    assert len({after[path] for path in new}) == 1 and {path.stat().st_mode & 0o77 for path in new} == {0}


def test_a_redis_of_others_keeps_its_address():
    url = "redis+cluster://app:its-own@127.0.0.1:7000,127.0.0.1:7001"
    with Instance() as instance:
        instance.up("--redis", url)
        result = instance.run("roll", "chat-service")
        assert result.returncode == 0, result.stdout + result.stderr
        for role in ("auth", "workspace", "chat", "realtime", "payment"):
            assert (instance.data / f"secrets/{role}/redis_url").read_text() == url


def test_one_service_can_be_replaced_alone(running):
    before = processes(running)
    assert running.run("roll", "chat-service").returncode == 0
    after = processes(running)
    assert {name for name in after if after[name] != before[name]} == {"chat-service"}


def test_the_old_process_serves_until_the_new_one_is_ready(running):
    replace_program(running, "chat-service", f"exec python3 -c 'import signal; signal.pause()' {running.folder}")
    before = running.process("chat-service")
    rolling = subprocess.Popen(running.command("roll", "chat-service"), env=running.environment)
    eventually(lambda: (running.data / "run/old-chat-service.pid").exists(), 60)
    assert exists(before)
    target = "/v1/workspaces/1/dms"
    for _ in range(10):
        assert json.loads(running.get(target))["service"] == "chat-service"
    # A stop in the middle leaves nothing behind.
    assert "Maru is stopped" in running.down()
    assert rolling.wait(patiently(60)) != 0
    running.until_ended()


@pytest.mark.parametrize("end", ["exit 3", "kill -KILL $$"])
def test_a_new_process_that_ends_leaves_the_old_one_and_the_rest_as_they_are(running, end):
    replace_program(running, "workspace-service", end)
    before = processes(running)
    result = running.run("roll")
    assert result.returncode == 1
    assert "replaced auth-service" in result.stdout and "replaced workspace-service" not in result.stdout
    assert "workspace-service did not become ready" in result.stderr
    after = processes(running)
    assert {name for name in after if after[name] != before[name]} == {"auth-service"}
    assert json.loads(running.get("/v1/workspaces/1"))["service"] == "workspace-service"


def test_a_new_process_that_is_not_ready_in_time_is_ended_and_the_old_one_stays(running, monkeypatch):
    replace_program(running, "chat-service", f"exec python3 -c 'import signal; signal.pause()' {running.folder}")
    before = processes(running)
    monkeypatch.setenv("MARU_ROLL_SECONDS", "1")
    result = running.run("roll", "chat-service")
    assert result.returncode == 1 and "chat-service did not become ready" in result.stderr
    assert processes(running) == before
    eventually(lambda: not any("signal.pause" in command for command in running.processes().values()), 60)
    assert json.loads(running.get("/v1/workspaces/1/dms"))["service"] == "chat-service"
    monkeypatch.setenv("MARU_ROLL_SECONDS", "soon")
    assert "MARU_ROLL_SECONDS is not a number" in running.run("roll").stderr


def test_a_program_that_cannot_even_print_its_settings_changes_nothing(running):
    program = running.programs / "chat-service"
    program.unlink()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    before = processes(running)
    assert running.run("roll", "chat-service").returncode == 1
    assert processes(running) == before


def test_a_process_that_ends_during_a_roll_is_restarted(running):
    replace_program(running, "chat-service", f"exec python3 -c 'import signal; signal.pause()' {running.folder}")
    rolling = subprocess.Popen(running.command("roll", "chat-service"), env=running.environment)
    eventually(lambda: (running.data / "run/old-chat-service.pid").exists(), 60)
    running.kill("auth-service")
    os.kill(running.process("chat-service"), 9)
    # A new process that ends in a certain moment is started again, and the roll gives up after its time.
    assert rolling.wait(patiently(120)) == 1


def test_two_rolls_do_not_run_at_once(running):
    # The new process becomes ready once it may.
    replace_program(running, "chat-service", f"until [ -e {running.folder}/go ]; do sleep 0.02; done; exec {{original}} \"$@\"")
    with subprocess.Popen(running.command("roll", "chat-service"), env=running.environment) as first:
        eventually(lambda: (running.data / "run/old-chat-service.pid").exists(), 60)
        second = running.run("roll")
        assert second.returncode == 1 and "another deploy/roll is under way" in second.stderr
        (running.folder / "go").touch()
        assert first.wait(patiently(120)) == 0


def is_free(lock):
    with open(lock) as file, contextlib.suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def test_a_roll_after_an_interrupted_one_tells_its_own_outcome(running):
    # The new process becomes ready once it may.
    replace_program(running, "chat-service", f"until [ -e {running.folder}/go ]; do sleep 0.02; done; exec {{original}} \"$@\"")
    with subprocess.Popen(running.command("roll", "chat-service"), env=running.environment) as first:
        eventually(lambda: (running.data / "run/old-chat-service.pid").exists(), 60)
        first.kill()
    eventually(lambda: is_free(running.data / "run/roll.lock"), 60)
    # The clock was set back since the start of the instance.
    os.utime(running.data / "run/up.pid", (time.time() + 86400,) * 2)
    before = processes(running)
    output = running.folder / "output"
    with open(output, "w") as file:
        second = subprocess.Popen(
            running.command("roll", "payment-service"), env=running.environment, stdout=file, stderr=subprocess.STDOUT
        )
    # Only now may the instance end the first one.
    eventually(lambda: "earlier" in output.read_text() or (running.data / "run/roll").exists(), 60)
    (running.folder / "go").touch()
    assert second.wait(patiently(120)) == 0, output.read_text()
    told = output.read_text()
    assert "replaced payment-service" in told and "replaced chat-service" not in told
    assert running.process("payment-service") != before["payment-service"]


def test_a_roll_does_not_wait_for_one_of_an_instance_that_was_killed():
    with Instance() as instance:
        left = instance.data / "run/rolling"
        left.parent.mkdir(parents=True)
        left.write_text("60\nchat-service\n")
        # The clock was set back since.
        os.utime(left, (time.time() + 86400,) * 2)
        instance.up()
        result = instance.run("roll", "chat-service")
        assert result.returncode == 0, result.stdout + result.stderr


def test_a_roll_without_an_instance_or_of_an_unknown_service_is_refused():
    with Instance() as instance:
        result = instance.run("roll")
        assert result.returncode == 1 and "no Maru runs" in result.stderr
    result = subprocess.run([CHECKOUT / "deploy/roll", "chat"], capture_output=True, text=True)
    assert result.returncode == 1 and "unknown option or service chat" in result.stderr
