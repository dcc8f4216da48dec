"""deploy/maructl gives the program the settings of an instance, and backups and restores the place of the data."""

import os
import subprocess

import pytest
from gateway import CHECKOUT, patiently


@pytest.fixture
def maructl(tmp_path):
    """Runs deploy/maructl with a program that prints its arguments and its environment."""
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "maructl"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nenv\n')
    program.chmod(0o755)
    (tmp_path / "data/config").mkdir(parents=True)

    def run(*words, is_known=True):
        configuration = tmp_path / "data/config/maructl.conf"
        if is_known:
            configuration.touch()
        environment = {**os.environ, "MARU_PROGRAMS": str(programs), "MARU_LOG_LEVEL": "loud", "USER": "anna", "SUDO_USER": ""}
        command = [CHECKOUT / "deploy/maructl", "--data", tmp_path / "data", *words]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patiently(60))
        return result.returncode, result.stdout.splitlines(), result.stderr

    run.data = tmp_path / "data"
    return run


def test_the_program_gets_the_settings_of_the_instance_and_a_clean_environment(maructl):
    status, lines, _ = maructl("users", "show", "5")
    assert (status, lines[:5]) == (0, ["--config", f"{maructl.data}/config/maructl.conf", "users", "show", "5"])
    assert "USER=anna" in lines and not any(line.startswith("MARU_LOG_LEVEL") for line in lines)


@pytest.mark.parametrize("script", ["backup", "restore"])
def test_backups_and_restores_are_of_the_same_instance(maructl, script):
    _, lines, _ = maructl("--as", "backup", script, "folder")
    assert lines[2:8] == ["--as", "backup", script, "--data", str(maructl.data), "folder"]
    # The text that is searched for is no command.
    _, lines, _ = maructl("users", "find", script)
    assert lines[2:5] == ["users", "find", script]


def test_help_needs_no_instance(maructl):
    status, lines, _ = maructl("help", "users", is_known=False)
    assert (status, lines[:2]) == (0, ["users", "--help"])
    status, _, errors = maructl("doctor", is_known=False)
    assert status == 1 and "no Maru was started" in errors


def test_an_instance_can_be_restored_before_its_first_start(maructl):
    status, _, errors = maructl("restore", "no-such-folder", is_known=False)
    assert status == 1 and errors.startswith("restore: no-such-folder is not a folder")


def test_in_the_composition_it_is_the_service_of_that_name(tmp_path):
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >>"$CALLS"\n')
    docker.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls")}

    def run(*words):
        calls = tmp_path / "calls"
        calls.unlink(missing_ok=True)
        command = [CHECKOUT / "deploy/maructl", "--compose", *words]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patiently(60))
        made = calls.read_text().splitlines() if calls.exists() else []
        return result.returncode, [each for each in made if " run " in each]

    assert run("users", "show", "5") == (0, ["compose run --rm maructl users show 5"])
    assert run("help", "users") == (0, ["compose run --rm maructl users --help"])
    # The script fails, because nothing runs.
    assert run("--as", "anna", "backup", tmp_path / "backup") == (
        1, [f"compose run --rm maructl --as anna backups note {outcome}" for outcome in ("begun", "failed")]
    )
    assert run("backup", "--help") == (0, [])
    # The container would not read the file, and would act as the shared operator.
    environment["MARU_OPERATOR_CREDENTIAL_FILE"] = "/home/anna/.maru"
    assert run("users", "disable", "5", "--yes") == (1, [])


# Stands in for docker: knows one stack, and prints the command that would run a container.
STACK = r"""#!/bin/bash
case "$*" in
    'service inspect --format {{.Spec.TaskTemplate.ContainerSpec.Image}} chat_auth-service') echo maru/services:7 ;;
    'service inspect '*' chat_auth-service')
        printf '%s\n' MARU_CHAT_URL=http://chat-service:9103 MARU_DATABASE_URL_FILE=/secrets/database_url MARU_S3_SECRET_KEY=key \
            MARU_OPERATORS_FILE=/operators/operators MARU_OPERATOR_CREDENTIAL_FILE=/secrets/operator_credential
        ;;
    'service inspect '*' chat_gateway') printf '%s\n' MARU_GATEWAY_WEB_KEY=mine ;;
    'run '*) printf '%s\n' "$@" ;;
    *) exit 1 ;;
esac
"""


def test_in_a_stack_it_is_a_container_with_the_settings_and_volumes_of_operators(tmp_path):
    docker = tmp_path / "docker"
    docker.write_text(STACK)
    docker.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "USER": "anna"}

    def run(*words):
        command = [CHECKOUT / "deploy/maructl", "--stack", *words]
        result = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patiently(60)
        )
        return result.returncode, result.stdout.splitlines(), result.stderr

    status, words, errors = run("chat", "users", "show", "5")
    assert (status, words[-4:]) == (0, ["maru/services:7", "users", "show", "5"]), errors
    given = {word.removeprefix("--env=") for word in words if word.startswith("--env=")}
    assert given == {
        "MARU_CHAT_URL=http://chat-service:9103", "MARU_OPERATORS_FILE=/operators/operators", "MARU_GATEWAY_URL=http://gateway:8080",
        "MARU_OPERATOR_CREDENTIAL_FILE=/secrets/operator_credential", "MARU_API_KEY=mine",
    }  # fmt: skip
    assert {"chat_edge", "chat_secrets-operator:/secrets:ro", "chat_operators:/operators", "MARUCTL_OPERATOR=anna"} <= set(words)
    assert run("other", "doctor")[:2] == (1, []) and run("chat", "backup", tmp_path / "backup")[:2] == (1, [])
    # The container would not read the file, and would act as the shared operator.
    environment["MARU_OPERATOR_CREDENTIAL_FILE"] = "/home/anna/.maru"
    assert run("chat", "users", "disable", "5", "--yes")[:2] == (1, [])
