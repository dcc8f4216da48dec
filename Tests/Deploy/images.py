"""The product from images, as operators run it: deploy/test --docker. It needs a Docker engine (DOCKER_HOST) that has the
base images or can pull them, and docker compose or docker-compose."""

import json
import os
import re
import resource
import secrets
import shutil
import signal
import subprocess
import time

import pytest
import requests
import socketio
from gateway import CHECKOUT, SERVICES, eventually, free_ports

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000b49444154789c63600002000005"
    "00017a5eab3f0000000049454e44ae426082"
)
KEY = {"SesacKey": "gen-2024-07"}


class Composition:
    """One project of its own on the engine, with its own volumes and ports."""

    def __init__(self, folder):
        self.port, tls_port = free_ports(2)
        self.clients = folder / "clients.json"
        shutil.copy(CHECKOUT / "deploy/clients.json", self.clients)
        self.clients.chmod(0o644)
        self.project = f"maru-{secrets.token_hex(4)}"
        has_plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
        self.compose = ["docker", "compose"] if has_plugin else ["docker-compose"]
        self.environment = {
            **os.environ,
            "COMPOSE_PROJECT_NAME": self.project,
            "MARU_PORT": str(self.port),
            "MARU_TLS_PORT": str(tls_port),
            "MARU_CLIENTS": str(self.clients),
            # What this machine lets a container have.
            "MARU_OPEN_FILES": str(min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])),
        }

    def run(self, *arguments, timeout=300, check=True):
        command = [*self.compose, *arguments]
        result = subprocess.run(
            command, cwd=CHECKOUT, env=self.environment, capture_output=True, text=True, timeout=timeout
        )
        assert not check or result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def run_block(self, block):
        """What a page of the documents says, word for word, but that there is no terminal and compose may be the older."""
        functions = f"""
            docker() {{
                [[ $1 == compose ]] || {{ command docker "$@"; return; }}
                shift
                if [[ $1 == exec ]]; then set -- exec -T "${{@:2}}"; fi
                command {' '.join(self.compose)} "$@"
            }}
        """
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", functions + block],
            cwd=CHECKOUT, env=self.environment, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert result.returncode == 0, f"{block}\n{result.stdout}\n{result.stderr}"

    def containers(self, service=None):
        identifiers = self.run("ps", "--quiet", *([service] if service else [])).split()
        return json.loads(docker("inspect", *identifiers)) if identifiers else []

    def is_healthy(self, service):
        states = [each["State"] for each in self.containers(service)]
        return bool(states) and all(state.get("Health", {}).get("Status") == "healthy" for state in states)

    @property
    def api(self):
        return f"http://127.0.0.1:{self.port}/v1"


def docker(*arguments, check=True):
    result = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=300)
    assert not check or result.returncode == 0, result.stderr
    return result.stdout


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


class Person:
    def __init__(self, composition, name):
        self.api = composition.api
        self.session = requests.Session()
        self.session.headers.update(KEY)
        account = {"email": f"{name}-{secrets.token_hex(4)}@example.com", "password": "Passw0rd!", "nickname": name}
        self.email = account["email"]
        user = self.call("POST", "/users/join", json=account)
        self.session.headers["Authorization"] = user["token"]["accessToken"]

    def call(self, method, path, **arguments):
        reply = self.session.request(method, self.api + path, timeout=10, **arguments)
        assert reply.status_code == 200, (path, reply.status_code, reply.text)
        return reply.json() if reply.content else None


class Conversation:
    """Two people in one channel, the second of whom listens on a socket that only its cookie admits."""

    def __init__(self, composition):
        self.writer, self.listener = Person(composition, "writer"), Person(composition, "listener")
        image = {"image": ("a.png", PIXEL, "image/png")}
        workspace = self.writer.call("POST", "/workspaces", data={"name": secrets.token_hex(4)}, files=image)["workspace_id"]
        self.writer.call("POST", f"/workspaces/{workspace}/members", json={"email": self.listener.email})
        channel = self.writer.call("POST", f"/workspaces/{workspace}/channels", data={"name": "talk"})["channel_id"]
        self.chats = f"/workspaces/{workspace}/channels/{channel}/chats"
        self.listener.call("GET", self.chats)
        self.heard = []
        namespace = f"/ws-channel-{channel}"
        self.socket = socketio.Client(http_session=self.listener.session, reconnection_delay=0.2)
        self.socket.on("channel", lambda chat: self.heard.append(chat["content"]), namespace=namespace)
        self.socket.connect(f"http://127.0.0.1:{composition.port}", namespaces=[namespace], wait_timeout=30)

    def say(self, content):
        return self.writer.call("POST", self.chats, data={"content": content})

    def carries_a_message(self):
        """From one person's request to the other's socket; what fails meanwhile is tried again."""
        content = secrets.token_hex(8)

        def attempt():
            try:
                self.say(content)
                return True
            except (AssertionError, requests.RequestException):
                return False

        eventually(attempt, 30)
        eventually(lambda: content in self.heard, 30)

    def close(self):
        self.socket.disconnect()


@pytest.fixture(scope="module")
def conversation(composition):
    conversation = Conversation(composition)
    yield conversation
    conversation.close()


def test_all_is_healthy_within_thirty_seconds(composition):
    assert composition.seconds_to_healthy < 30


def test_a_message_goes_from_login_to_a_socket(conversation):
    conversation.carries_a_message()


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
        assert names == {"database_url", "redis_url", "service_credential"}
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
    # Not by `docker kill`, which the engine takes for a wish that it stays down.
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


def test_the_gateway_loads_its_configuration_anew_when_told(composition, conversation):
    def workers():
        return composition.run("exec", "-T", "gateway", "sh", "-c", "cat /proc/$(cat /tmp/gateway/nginx.pid)/task/*/children")

    before = workers()
    composition.run("exec", "-T", "gateway", "/etc/maru/nginx/entry", "reload")
    eventually(lambda: workers() != before, 30)
    conversation.carries_a_message()


def operations_blocks():
    text = (CHECKOUT / "docs/operations.md").read_text()
    return re.findall(r"^```docker\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", operations_blocks(), ids=lambda block: block.splitlines()[0])
def test_what_the_page_for_operators_says_about_images_can_be_done(composition, conversation, block):
    needed = re.findall(r"image: \$\{(?:PROMETHEUS|GRAFANA)_IMAGE:-(.*)\}", (CHECKOUT / "docker-compose.yml").read_text())
    if "--profile observability" in block and not all(docker("image", "ls", "--quiet", each) for each in needed):
        # An engine that cannot pull them can at least tell whether their part of the file is sound.
        block = block.replace("up --detach", "config --quiet")
    composition.run_block(block)
    eventually(lambda: all(composition.is_healthy(each) for each in [*SERVICES.values(), "gateway"]), 60)
    conversation.carries_a_message()


def test_new_sockets_find_their_way_among_instances(composition):
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
