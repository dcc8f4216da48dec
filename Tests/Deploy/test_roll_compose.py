"""deploy/roll --compose stops an old container only when a new one is healthy and known to the gateway."""

import fcntl
import os
import subprocess

import pytest
from gateway import CHECKOUT, patiently

# Stands in for docker and docker compose: containers are files in a folder, and each change is a line of the journal.
DOCKER = r"""#!/bin/bash
containers={folder}/containers
journal() {{ printf '%s\n' "$*" >>{folder}/journal; }}
case "$1 $2" in
    'compose version') ;;
    # The secrets and the roles of Postgres are made before anything starts.
    'compose run') [[ "$*" =~ ' --no-deps '(secrets|roles)$ ]] && journal "${{BASH_REMATCH[1]}}" ;;
    'compose ps') ls "$containers" | sed 's/$//' ;;
    'compose up')
        [[ " $* " == *" --no-recreate "* && " $* " == *" --no-deps "* ]] || exit 9
        count=$(sed 's/.*--scale [a-z-]*=\([0-9]*\).*/\1/' <<<"$*")
        for ((number = 1; $(ls "$containers" | wc -l) < count; number++)); do
            [[ ! -e $containers/new$number ]] || continue
            echo "{health}" >"$containers/new$number"
            journal "start new$number"
        done
        ;;
    'compose exec')
        for each in $(ls "$containers"); do echo "server ip-$each: max_fails=3;"; done
        ;;
    'inspect --format')
        format=$3
        shift 3
        for each in "$@"; do
            if [[ $format == *Health* ]]; then cat "$containers/$each"; else echo "maru_edge ip-$each"; echo "maru_stores no"; fi
        done
        ;;
    stop\ * | rm\ *)
        for each in "${{@:2}}"; do
            if [[ -e $containers/$each ]]; then
                journal "$1 $each"
                [[ $1 != rm ]] || rm "$containers/$each"
            fi
        done
        ;;
    *) exit 8 ;;
esac
"""


@pytest.fixture
def roll(tmp_path):
    def run(health, *old):
        (tmp_path / "containers").mkdir()
        for each in old:
            (tmp_path / "containers" / each).write_text("healthy\n")
        program = tmp_path / "programs/docker"
        program.parent.mkdir()
        program.write_text(DOCKER.format(folder=tmp_path, health=health))
        program.chmod(0o755)
        # The wait for names and the time limit of health pass at once.
        quick = tmp_path / "programs/sleep"
        quick.write_text(f"#!/bin/sh\n[ $1 != 1 ] || touch {tmp_path}/waited\n")
        quick.chmod(0o755)
        environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "MARU_ROLL_SECONDS": "2"}
        command = [CHECKOUT / "deploy/roll", "--compose", "chat-service"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patiently(120))
        journal = tmp_path / "journal"
        return result, journal.read_text().splitlines() if journal.exists() else []

    return run


def test_new_containers_replace_the_old_ones_one_by_one(roll):
    result, journal = roll("healthy", "old1", "old2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "replaced chat-service" in result.stdout
    assert journal == ["secrets", "roles", "start new1", "stop old1", "rm old1", "start new2", "stop old2", "rm old2"]


def test_a_new_container_that_does_not_become_healthy_is_removed_and_the_old_ones_stay(roll):
    result, journal = roll("starting", "old1")
    assert result.returncode == 1 and "did not become healthy" in result.stderr
    assert journal == ["secrets", "roles", "start new1", "rm new1"]


def test_without_a_running_container_there_is_nothing_to_replace(roll):
    result, journal = roll("healthy")
    assert result.returncode == 1 and "no container of chat-service runs" in result.stderr
    assert journal == ["secrets", "roles"]


def test_of_two_at_once_the_second_one_replaces_nothing(roll):
    # A folder stays the same when git replaces its files.
    folder = os.open(CHECKOUT / "deploy", os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        result, journal = roll("healthy", "old1")
    finally:
        os.close(folder)
    assert result.returncode == 1 and "another deploy/roll is under way" in result.stderr
    assert journal == []
