"""deploy/nginx/render refuses values that could change the configuration of the gateway."""

import json
import os
import subprocess

import pytest
from gateway import CHECKOUT

RENDER = CHECKOUT / "deploy/nginx/render"


def render(folder, **settings):
    environment = {"PATH": os.environ["PATH"], **{f"MARU_GATEWAY_{key}": value for key, value in settings.items()}}
    return subprocess.run([RENDER, folder], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    "setting, value",
    [
        ("LISTEN", "127.0.0.1:1; server {}"),
        ("CHAT", "127.0.0.1:1; }"),
        ("REQUESTS_PER_ADDRESS", "10r/s"),
        ("REQUESTS_PER_CALLER", "0"),
        ("CONNECTIONS_PER_ADDRESS", "-1"),
        ("TRUSTED_PROXIES", "everybody"),
        ("ACCESS_LOG", '/tmp/a" maru; #'),
        ("LARGEST_BODY", "54 MB"),
        ("WORKERS", "many"),
        ("CLIENTS", "/nonexistent"),
    ],
)
def test_an_invalid_setting_is_refused_by_name(tmp_path, setting, value):
    result = render(tmp_path, **{setting: value})
    assert result.returncode != 0
    assert setting in result.stderr or value in result.stderr


def test_an_api_key_with_other_characters_is_refused(tmp_path):
    clients = tmp_path / "clients.json"
    clients.write_text(json.dumps({'a" 1; } #': {"statuses": "http"}}))
    result = render(tmp_path / "gateway", CLIENTS=str(clients))
    assert result.returncode != 0 and "API key" in result.stderr


def test_a_deployment_has_its_own_keys(tmp_path):
    clients = tmp_path / "clients.json"
    clients.write_text(json.dumps({"our.key": {"statuses": "http"}, "old": {"statuses": "legacy"}}))
    assert render(tmp_path / "gateway", CLIENTS=str(clients)).returncode == 0
    generated = (tmp_path / "gateway/generated/statuses.conf").read_text()
    assert '"~^our\\.key$" http;' in generated and "old" not in generated


@pytest.mark.parametrize("content", ["a b", "'; }", 'a"b', "a\nb;", "$remote_addr"])
def test_a_credential_that_could_change_the_configuration_is_refused(tmp_path, content):
    (tmp_path / "credential").write_text(content)
    result = render(tmp_path / "gateway", CREDENTIAL_FILE=str(tmp_path / "credential"))
    assert result.returncode != 0
    assert "CREDENTIAL_FILE" in result.stderr and content not in result.stderr


def test_a_credential_that_cannot_be_read_is_refused(tmp_path):
    assert render(tmp_path / "gateway", CREDENTIAL_FILE=str(tmp_path / "none")).returncode != 0


@pytest.mark.parametrize("version, keeps", [("1.22.1", False), ("1.27.3", False), ("1.27.4", True), ("1.28.0", True)])
def test_a_reload_keeps_idle_connections_where_nginx_can(tmp_path, version, keeps):
    program = tmp_path / "programs/nginx"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho nginx version: nginx/{version} >&2\n")
    program.chmod(0o755)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    subprocess.run([RENDER, tmp_path / "gateway"], env=environment, check=True)
    limits = (tmp_path / "gateway/generated/limits.conf").read_text()
    assert ("keepalive_min_timeout" in limits) == keeps
