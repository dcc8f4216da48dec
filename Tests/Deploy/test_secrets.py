"""deploy/secrets creates random secrets once, in a folder for each process that needs them."""

import os
import subprocess

import pytest
from gateway import CHECKOUT

SECRETS = CHECKOUT / "deploy/secrets"
ROLES = ("auth", "workspace", "chat", "realtime", "payment")


def make(folder, postgres="postgres:5432/maru", redis="redis:6379/0", **environment):
    subprocess.run([SECRETS, folder, postgres, redis], check=True, env={**os.environ, **environment})
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_secrets_are_created_once_and_differ(tmp_path):
    first = make(tmp_path / "one")
    assert make(tmp_path / "one") == first
    second = make(tmp_path / "two")
    assert first.keys() == second.keys() and not set(first.values()) & set(second.values())
    passwords = [text for name, text in first.items() if name.startswith(("postgres/", "redis/", "grafana/"))]
    assert len(set(passwords)) == len(passwords) == 8


def test_a_service_can_log_in_with_the_secrets_of_its_folder(tmp_path):
    made = make(tmp_path)
    for role in ROLES:
        assert made[f"{role}/database_url"] == f"postgres://{role}:{made[f'postgres/{role}']}@postgres:5432/maru"
        assert made[f"{role}/redis_url"] == f"redis://:{made['redis/password']}@redis:6379/0"
        assert made[f"{role}/service_credential"] == made["auth/service_credential"]
        assert made[f"{role}/gateway_credential"] == made["gateway/gateway_credential"]
        assert made[f"{role}/operator_credential"] == made["operator/operator_credential"]
    credentials = ("auth/service_credential", "gateway/gateway_credential", "operator/operator_credential")
    assert len({made[name] for name in credentials}) == 3


def test_urls_follow_a_new_address_and_passwords_stay(tmp_path):
    before = make(tmp_path)
    after = make(tmp_path, postgres="elsewhere:1/maru")
    assert after["chat/database_url"] == before["chat/database_url"].replace("postgres:5432", "elsewhere:1")
    assert after["postgres/chat"] == before["postgres/chat"]


@pytest.mark.parametrize("name", ["postgres/superuser", "postgres/chat", "redis/password", "auth/service_credential",
                                  "gateway/gateway_credential", "operator/operator_credential"])
def test_a_removed_secret_is_replaced_everywhere_and_no_other_changes(tmp_path, name):
    before = make(tmp_path)
    (tmp_path / name).unlink()
    after = make(tmp_path)
    assert after[name] not in before.values()
    assert after == {path: text.replace(before[name], after[name]) for path, text in before.items()}


def test_an_empty_secret_of_an_interrupted_run_is_replaced(tmp_path):
    made = make(tmp_path)
    (tmp_path / "postgres/chat").write_text("")
    (tmp_path / "redis/password.new").write_text("half")
    again = make(tmp_path)
    assert len(again["postgres/chat"]) == 43 and again["redis/password"] == made["redis/password"]


def test_only_the_owner_can_read_secrets_by_default(tmp_path):
    make(tmp_path / "mine")
    make(tmp_path / "container", MARU_SECRETS_MODE="444")
    for folder, mode in (("mine", 0o600), ("container", 0o444)):
        modes = {path.stat().st_mode & 0o777 for path in (tmp_path / folder).rglob("*") if path.is_file()}
        assert modes == {mode}
