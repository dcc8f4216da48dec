"""Tests of the images, run by deploy/test --docker. They need a Docker engine (DOCKER_HOST) with the base images, or one
that can pull them, and docker compose or docker-compose."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import secrets
import signal
import ssl
import subprocess
import threading
import time

import pytest
import requests
from composition import PIXEL, Composition, Conversation, Person, docker
from gateway import CHECKOUT, SERVICES, eventually, make_certificate, patiently
from urllib3.util import Retry


@pytest.fixture(scope="module")
def composition(tmp_path_factory):
    composition = Composition(tmp_path_factory.mktemp("composition"))
    try:
        composition.run("build", timeout=3000)
        began = time.monotonic()
        composition.run("up", "--detach", "--no-build", timeout=120)
        eventually(lambda: all(composition.is_healthy(each) for each in [*SERVICES.values(), "gateway"]), 60)
        composition.seconds_to_healthy = time.monotonic() - began
        yield composition
    finally:
        if "MARU_KEEP" not in os.environ:
            composition.run("down", "--volumes", "--timeout", "5", check=False)


@pytest.fixture(scope="module")
def conversation(composition):
    conversation = Conversation(composition)
    yield conversation
    conversation.close()


def test_all_is_healthy_within_thirty_seconds(composition):
    assert composition.seconds_to_healthy < patiently(30)


def test_a_message_goes_from_login_to_a_socket(conversation):
    conversation.carries_a_message()


def test_the_operators_command_runs_beside_the_services_and_leaves_no_container(composition):
    person = Person(composition, "watched")

    def maructl(*words):
        return composition.run("run", "--rm", "-T", "maructl", *words, timeout=120)

    report = json.loads(maructl("doctor", "--json"))
    levels = {each["check"]: each["level"] for each in report["checks"]}
    assert report["healthy"], report
    assert levels["a message"] == levels["versions"] == "ok" and all(levels[each] == "ok" for each in SERVICES.values())
    assert json.loads(maructl("users", "show", person.email, "--json"))["state"] == "active"
    maructl("users", "disable", person.email, "--yes", "--as", "anna")
    eventually(lambda: person.session.get(f"{composition.api}/users/me", timeout=10).status_code != 200, 30)
    acts = json.loads(maructl("audit", "--json"))["acts"]
    assert {each["operator"] for each in acts if each["act"] == "users.disable"} == {"anna"}
    # An operator of their own is known to the services, which share the file.
    made = json.loads(maructl("operators", "add", "ben", "--role", "viewer", "--json"))
    for service in SERVICES.values():
        assert f"{made['name']} viewer " in composition.run("exec", "-T", service, "cat", "/operators/operators")
    seen = composition.run("run", "--rm", "-T", "--entrypoint", "find", "maructl", "/secrets", "-type", "f").split()
    assert seen == ["/secrets/operator_credential"]
    project = f"--filter=label=com.docker.compose.project={composition.project}"
    assert docker("ps", "--all", "--quiet", project, "--filter=label=com.docker.compose.service=maructl") == ""


def test_the_command_of_the_checkout_finds_the_composition(composition):
    command = [CHECKOUT / "deploy/maructl", "--compose", "outboxes", "--json"]
    result = subprocess.run(
        command, env=composition.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(json.loads(result.stdout)) == len(SERVICES)


def test_nothing_runs_as_root_or_can_write_its_image(composition):
    for container in composition.containers():
        name = container["Name"]
        assert container["Config"]["User"] not in ("", "root", "0"), name
        assert container["HostConfig"]["ReadonlyRootfs"], name
        assert container["HostConfig"]["CapDrop"] == ["ALL"], name
        assert container["HostConfig"]["Memory"] > 0, name


def test_only_the_gateway_can_be_reached_from_outside(composition):
    published = {}
    for container in composition.containers():
        for port, hosts in container["NetworkSettings"]["Ports"].items():
            if hosts:
                published.setdefault(container["Config"]["Labels"]["com.docker.compose.service"], []).append(port)
    assert {name: sorted(ports) for name, ports in published.items()} == {"gateway": ["8080/tcp", "8443/tcp"]}


def test_each_service_sees_its_own_secrets_and_no_others(composition):
    credentials = set()
    for service in SERVICES.values():
        listing = composition.run("exec", "-T", service, "find", "/secrets", "-type", "f").split()
        names = {path.removeprefix("/secrets/") for path in listing}
        assert names == {"database_url", "redis_url", "service_credential", "gateway_credential", "operator_credential"}
        url = composition.run("exec", "-T", service, "cat", "/secrets/database_url")
        assert url.startswith(f"postgres://{service.split('-')[0]}:")
        credentials.add(url.split(":")[2].split("@")[0])
        environment = composition.containers(service)[0]["Config"]["Env"]
        assert not any(url.split(":")[2].split("@")[0] in each for each in environment)
    assert len(credentials) == 5 and all(len(each) == 43 for each in credentials)


@pytest.mark.parametrize("service", [*SERVICES.values(), "redis", "postgres", "gateway"])
def test_the_product_survives_a_restart_of_each_part(composition, conversation, service):
    composition.run("restart", "--timeout", "35", service)
    eventually(lambda: composition.is_healthy(service), 60)
    conversation.carries_a_message()


@pytest.mark.parametrize("service", SERVICES.values())
def test_a_service_that_is_killed_comes_back(composition, conversation, service):
    before = composition.containers(service)[0]
    # After `docker kill` the engine would not restart the container.
    os.kill(before["State"]["Pid"], signal.SIGKILL)
    eventually(lambda: composition.containers(service)[0]["RestartCount"] > before["RestartCount"], 30)
    eventually(lambda: composition.is_healthy(service), 60)
    conversation.carries_a_message()


def test_every_service_can_be_scaled_and_the_gateway_finds_the_new_instances(composition, conversation):
    scale = [option for service in SERVICES.values() for option in ("--scale", f"{service}=2")]
    composition.run("up", "--detach", "--no-build", "--no-recreate", *scale)
    eventually(lambda: all(composition.is_healthy(each) for each in SERVICES.values()), 60)
    addresses = {
        network["IPAddress"]
        for service in SERVICES.values()
        for container in composition.containers(service)
        for name, network in container["NetworkSettings"]["Networks"].items()
        if name.endswith("_edge")
    }
    assert len(addresses) == 10

    def known():
        upstreams = composition.run("exec", "-T", "gateway", "cat", "/tmp/gateway/generated/upstreams.conf")
        return all(f"server {address}:" in upstreams for address in addresses)

    eventually(known, 30)
    for _ in range(10):
        conversation.carries_a_message()


def ids(composition):
    return {each["Id"] for service in SERVICES.values() for each in composition.containers(service)}


def test_a_roll_replaces_every_container_and_no_call_fails(composition, conversation):
    before = ids(composition)
    failures, answered, stop = [], 0, threading.Event()
    # Whenever nginx loads new addresses it closes idle connections, one of which may just have been used. As all clients do, this
    # one repeats the call on a new connection.
    again = Retry(1, status=0, allowed_methods=None)
    conversation.writer.session.mount("http://", requests.adapters.HTTPAdapter(max_retries=again))

    def call():
        nonlocal answered
        # Slowly enough for the limit of calls.
        while not stop.wait(0.1):
            try:
                message = {"content": "while it rolls", "client_id": secrets.token_hex(8)}
                conversation.writer.call("POST", conversation.chats, data=message)
                conversation.writer.call("GET", conversation.chats)
                conversation.writer.call("GET", "/users/me")
                conversation.writer.call("GET", "/workspaces")
                answered += 1
            except (AssertionError, requests.RequestException) as failure:
                failures.append(failure)

    with concurrent.futures.ThreadPoolExecutor() as executor:
        calling = executor.submit(call)
        try:
            output = operate(composition, "roll")
        finally:
            stop.set()
        calling.result()
    assert all(f"replaced {service}" in output for service in SERVICES.values())
    assert not failures and answered > 0
    after = ids(composition)
    assert not before & after and len(after) == len(before)
    conversation.carries_a_message()


def test_the_gateway_reloads_its_configuration_on_request(composition, conversation):
    def workers():
        return composition.run("exec", "-T", "gateway", "sh", "-c", "cat /proc/$(cat /tmp/gateway/nginx.pid)/task/*/children")

    before = workers()
    composition.run("exec", "-T", "gateway", "/etc/maru/nginx/entry", "reload")
    eventually(lambda: workers() != before, 30)
    conversation.carries_a_message()


def test_a_certificate_is_used_when_it_is_mounted_and_when_it_is_replaced(composition, conversation):
    def presented():
        with contextlib.suppress(OSError):
            return ssl.get_server_certificate(("127.0.0.1", composition.tls_port), timeout=5)

    assert presented() is None
    for _ in range(2):
        # The key is unreadable until it is complete.
        for path in map(pathlib.Path, make_certificate(composition.certificates)):
            path.chmod(0o644)
        expected = (composition.certificates / "tls.crt").read_text()
        eventually(lambda: presented() == expected, 30)
    conversation.carries_a_message()


def test_redis_refuses_writes_before_its_container_is_killed(composition):
    limit = composition.containers("redis")[0]["HostConfig"]["Memory"]
    command = "REDISCLI_AUTH=$(cat /secrets/password) redis-cli config get maxmemory"
    assert composition.run("exec", "-T", "redis", "sh", "-c", command).split() == ["maxmemory", str(limit // 4 * 3)]


@pytest.mark.parametrize(
    "image, base, megabytes",
    [
        # Most of it is libvips with the libraries of its formats.
        ("maru/services:latest", os.environ.get("RUNTIME_IMAGE", "debian:bookworm-slim"), 420),
        ("maru/gateway:latest", os.environ.get("GATEWAY_IMAGE", "nginx:stable-bookworm"), 100),
    ],
)
def test_an_image_adds_little_to_its_base(composition, image, base, megabytes):
    size, base_size = (int(docker("image", "inspect", "--format", "{{.Size}}", each)) for each in (image, base))
    assert 0 < size - base_size < megabytes * 1e6


@pytest.mark.parametrize("image", ["maru/services:latest", "maru/gateway:latest"])
def test_an_image_carries_the_version_of_its_programs(composition, image):
    printed = composition.run("exec", "-T", "auth-service", "auth-service", "--version")
    label = docker("image", "inspect", "--format", '{{index .Config.Labels "org.opencontainers.image.version"}}', image)
    assert label.strip() in printed and label.strip()


def documented_blocks():
    texts = [path.read_text() for path in sorted((CHECKOUT / "docs").glob("*.md"))]
    return [block for text in texts for block in re.findall(r"^```docker\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]


@pytest.mark.parametrize("block", documented_blocks(), ids=lambda block: block.splitlines()[0])
def test_the_docker_commands_of_the_pages_work(composition, conversation, block):
    needed = re.findall(r"image: \$\{(?:PROMETHEUS|ALERTMANAGER|GRAFANA)_IMAGE:-(.*)\}", (CHECKOUT / "docker-compose.yml").read_text())
    if "--profile observability" in block and not all(docker("image", "ls", "--quiet", each) for each in needed):
        # An engine that cannot pull the images can still check their part of the file.
        block = block.replace("up --detach", "config --quiet")
    before = superuser_password(composition)
    composition.run_block(block)
    eventually(lambda: all(composition.is_healthy(each) for each in [*SERVICES.values(), "gateway"]), 60)
    conversation.carries_a_message()
    if "pg_dump" in block:
        assert (composition.folder / "maru.dump").read_bytes().startswith(b"PGDMP")
    # The new password opens connections from other containers.
    assert (superuser_password(composition) != before) == ("postgres/superuser" in block)
    command = "PGPASSWORD=$(cat /secrets/superuser) psql -XAtw --host=postgres --username=postgres -c 'select 1'"
    assert composition.run("exec", "-T", "postgres", "bash", "-c", command) == "1\n"


def superuser_password(composition):
    return composition.run("exec", "-T", "postgres", "cat", "/secrets/superuser")


def test_new_sockets_reach_the_right_instance(composition):
    composition.run("up", "--detach", "--no-build", "--scale", "realtime-gateway=2")
    eventually(lambda: composition.is_healthy("realtime-gateway"), 60)
    assert len(composition.containers("realtime-gateway")) == 2
    for _ in range(6):
        conversation = Conversation(composition)
        conversation.carries_a_message()
        conversation.close()


def test_secrets_and_messages_survive_a_stop(composition):
    person = Person(composition, "stays")
    composition.run("stop", "--timeout", "35", timeout=200)
    for container in composition.containers():
        service = container["Config"]["Labels"]["com.docker.compose.service"]
        assert container["State"]["ExitCode"] == 0, (service, container["State"])
    composition.run("up", "--detach", "--no-build", timeout=120)
    eventually(lambda: all(composition.is_healthy(each) for each in [*SERVICES.values(), "gateway"]), 60)
    assert person.call("GET", "/users/me")["email"] == person.email


def operate(composition, command, *options, **environment):
    """Runs a script of the checkout on the composition, and returns its output."""
    result = subprocess.run(
        [CHECKOUT / "deploy" / command, "--compose", *options],
        env={**composition.environment, **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def start(composition):
    composition.run("up", "--detach", "--no-build", timeout=120)
    eventually(lambda: all(composition.is_healthy(each) for each in [*SERVICES.values(), "gateway"]), 60)


def test_a_backup_brings_back_every_table_and_file(composition, tmp_path):
    conversation = Conversation(composition)
    conversation.say("before")
    path = conversation.writer.call("POST", conversation.chats, files={"files": ("a.png", PIXEL, "image/png")})["files"][0]
    # Afterwards no container of the service has the number 1, which Compose 1.29 looks for.
    operate(composition, "roll", "chat-service")
    operate(composition, "backup", tmp_path / "backup")
    conversation.say("after")
    conversation.close()

    # A new composition: every volume is gone, the passwords too.
    composition.run("down", "--volumes", "--timeout", "5")
    start(composition)
    # This machine needs no room for the files.
    restored = operate(composition, "restore", "--yes", tmp_path / "backup", TMPDIR=str(tmp_path / "missing"))
    assert "Restored and compared" in restored
    start(composition)
    chats = conversation.writer.call("GET", conversation.chats)
    assert [each["content"] for each in chats] == ["before", ""]
    picture = conversation.writer.session.get(composition.api + path, timeout=10)
    assert picture.content == PIXEL
    again = Conversation(composition)
    again.carries_a_message()
    again.close()


def test_the_archive_brings_back_a_moment(composition, monkeypatch):
    files = [CHECKOUT / name for name in ("docker-compose.yml", "docker-compose.archive.yml")]
    monkeypatch.setitem(composition.environment, "COMPOSE_FILE", os.pathsep.join(map(str, files)))
    composition.run("build", "postgres", timeout=600)
    start(composition)
    conversation = Conversation(composition)

    def share_a_picture():
        return conversation.writer.call("POST", conversation.chats, files={"files": ("a.png", PIXEL, "image/png")})["files"][0]

    conversation.say("before the archive")
    pictures = [share_a_picture()]
    assert "a new full backup" in operate(composition, "backup", "--archive")
    pictures.append(share_a_picture())
    conversation.say("archived as it was written")
    clock = "psql -XAtqU postgres -c \"set time zone 'UTC'; select clock_timestamp()\""
    moment = composition.run("exec", "-T", "postgres", "bash", "-c", clock).strip()
    too_late = share_a_picture()
    conversation.say("after the moment")
    conversation.close()

    assert "Restored." in operate(composition, "restore", "--to", moment, "--yes")
    start(composition)
    chats = conversation.writer.call("GET", conversation.chats)
    assert [each["content"] for each in chats] == ["before the archive", "", "", "archived as it was written"]
    for path in pictures:
        assert conversation.writer.session.get(composition.api + path, timeout=10).content == PIXEL
    assert conversation.writer.session.get(composition.api + too_late, timeout=10).status_code != 200
    again = Conversation(composition)
    again.carries_a_message()
    again.close()
    # The archive goes on: a later moment, and then an earlier one again.
    assert "The archive has a new" in operate(composition, "backup", "--archive")
