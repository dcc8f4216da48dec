"""Tests of docker-compose.yml as a stack of Docker Swarm, run by deploy/test --docker after those of the images."""

import contextlib
import json
import os
import re
import signal
import subprocess

import pytest
import requests
import socketio
from composition import Composition, Conversation, Person, docker
from gateway import CHECKOUT, SERVICES, eventually, patiently

LASTING = [*SERVICES.values(), "postgres", "redis", "gateway"]


class Stack(Composition):
    """A stack with a name, volumes and ports of its own. A composition of the same name has the same volumes."""

    def command(self, *words):
        """Runs a command of the checkout, and returns its output."""
        result = subprocess.run(
            words, cwd=CHECKOUT, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patiently(300)
        )
        assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def deploy(self):
        # The images are on this machine alone.
        self.command("deploy/stack", self.project, "--resolve-image", "never")
        self.answers()

    def answers(self):
        """Waits until all containers are healthy, and the services answer through the gateway."""
        eventually(lambda: all(self.healthy(each) for each in LASTING), 120)
        eventually(self.is_known, 60)

        def serves():
            # The gateway may still be loading their addresses.
            with contextlib.suppress(AssertionError, requests.RequestException, socketio.exceptions.SocketIOError):
                Conversation(self).close()
                return True

        eventually(serves, 60)

    def is_known(self):
        """Whether the configuration of the gateway has the addresses of all services and no others."""
        addresses = {
            each["NetworkSettings"]["Networks"][f"{self.project}_edge"]["IPAddress"]
            for service in SERVICES.values() for each in self.tasks(service)
        }  # fmt: skip
        for gateway in self.healthy("gateway"):
            upstreams = docker("exec", gateway, "cat", "/tmp/gateway/generated/upstreams.conf", check=False)
            return {each.split(":")[0] for each in re.findall(r"server (\S+)", upstreams)} == addresses
        return False

    def tasks(self, service=None):
        """Returns the containers of the stack that run."""
        name = f"com.docker.swarm.service.name={self.project}_{service}" if service else f"com.docker.stack.namespace={self.project}"
        identifiers = docker("ps", "--quiet", f"--filter=label={name}").split()
        # One may be gone before it is looked at.
        return json.loads(docker("inspect", *identifiers, check=False)) if identifiers else []

    def healthy(self, service):
        """Returns the ids of a service's healthy containers."""
        return {each["Id"] for each in self.tasks(service) if each["State"].get("Health", {}).get("Status") == "healthy"}

    def remove(self):
        """Removes the stack, and waits until its containers and networks are gone. The volumes stay."""
        docker("stack", "rm", self.project, check=False)
        mine = f"--filter=label=com.docker.stack.namespace={self.project}"
        eventually(lambda: not docker("ps", "--all", "--quiet", mine) and not docker("network", "ls", "--quiet", mine), 120)

    def remove_volumes(self):
        volumes = docker("volume", "ls", "--quiet", f"--filter=name=^{self.project}_").split()
        if volumes:
            docker("volume", "rm", *volumes)


@pytest.fixture(scope="module")
def swarm():
    """A swarm of this node alone that is reached on loopback only, unless the engine is a manager already."""
    state = json.loads(docker("info", "--format", "{{json .Swarm}}"))
    if state["LocalNodeState"] == "active":
        assert state["ControlAvailable"], "this engine is a worker of a swarm, so it cannot deploy a stack"
        yield
        return
    docker("swarm", "init", "--advertise-addr", "127.0.0.1", "--listen-addr", "127.0.0.1:2377")
    try:
        yield
    finally:
        if "MARU_KEEP" not in os.environ:
            docker("swarm", "leave", "--force")


@pytest.fixture(scope="module")
def stack(swarm, tmp_path_factory):
    stack = Stack(tmp_path_factory.mktemp("stack"))
    stack.run("build", timeout=3000)
    try:
        stack.deploy()
        yield stack
    finally:
        if "MARU_KEEP" not in os.environ:
            stack.remove()
            stack.remove_volumes()


@pytest.fixture(scope="module")
def conversation(stack):
    conversation = Conversation(stack)
    yield conversation
    conversation.close()


def test_a_message_goes_from_login_to_a_socket(conversation):
    conversation.carries_a_message()


def test_the_services_that_make_secrets_and_roles_end(stack):
    for service in ("secrets", "roles"):
        states = ("service", "ps", "--format", "{{.CurrentState}}", f"{stack.project}_{service}")
        eventually(lambda: docker(*states).startswith("Complete ") and not stack.tasks(service), 60)


def test_containers_are_confined_as_by_compose(stack):
    for container in stack.tasks():
        name, settings = container["Name"], container["HostConfig"]
        assert container["Config"]["User"] not in ("", "root", "0"), name
        assert settings["ReadonlyRootfs"] and settings["CapDrop"] and settings["Memory"] > 0, name
        assert "/tmp" in {each["Target"] for each in settings["Mounts"] if each["Type"] == "tmpfs"}, name


def test_the_containers_of_the_product_have_images_of_this_machine(stack):
    for service in [*SERVICES.values(), "gateway"]:
        for container in stack.tasks(service):
            assert container["Config"]["Image"].startswith("sha256:"), service


def test_only_the_gateway_can_be_reached_from_outside(stack):
    published = {}
    for container in stack.tasks():
        for port, hosts in (container["NetworkSettings"]["Ports"] or {}).items():
            if hosts:
                published.setdefault(container["Config"]["Labels"]["com.docker.swarm.service.name"], set()).add(port)
    assert published == {f"{stack.project}_gateway": {"8080/tcp", "8443/tcp"}}
    endpoints = json.loads(docker("service", "inspect", *docker("stack", "services", "--quiet", stack.project).split()))
    # The ports of the swarm itself.
    assert not [each for one in endpoints for each in one["Endpoint"].get("Ports", []) if each["PublishMode"] == "ingress"]


def test_the_operators_command_checks_the_stack_and_changes_it(stack):
    person = Person(stack, "watched")

    def maructl(*words):
        return json.loads(stack.command("deploy/maructl", "--stack", stack.project, *words, "--json"))

    report = maructl("doctor")
    levels = {each["check"]: each["level"] for each in report["checks"]}
    assert report["healthy"] and levels["a message"] == levels["versions"] == "ok", report
    assert maructl("users", "show", person.email)["state"] == "active"
    assert maructl("operators", "add", "ben", "--role", "viewer")["name"] == "ben"
    left = docker("ps", "--all", f"--filter=network={stack.project}_edge", "--format", '{{.Names}} {{.Label "com.docker.swarm.service.name"}}')
    assert all(len(line.split()) == 2 for line in left.splitlines()), left


@pytest.mark.parametrize("service", LASTING)
def test_a_container_that_is_killed_is_replaced(stack, conversation, service):
    (before,) = eventually(lambda: len(found := stack.healthy(service)) == 1 and found, 120)
    (container,) = json.loads(docker("inspect", before))
    os.kill(container["State"]["Pid"], signal.SIGKILL)
    eventually(lambda: stack.healthy(service) - {before}, 120)
    conversation.carries_a_message()


def test_every_service_can_be_scaled_and_the_gateway_finds_the_new_instances(stack, conversation):
    names = [f"{stack.project}_{each}" for each in SERVICES.values()]
    docker("service", "scale", "--detach", *[f"{each}=2" for each in names])
    eventually(lambda: all(len(stack.healthy(each)) == 2 for each in SERVICES.values()), 120)
    eventually(stack.is_known, 60)
    for _ in range(6):
        # Each has a socket on either instance.
        other = Conversation(stack)
        other.carries_a_message()
        other.close()


def update_of(name):
    """Returns the state of the last update of a service."""
    (service,) = json.loads(docker("service", "inspect", name))
    return service.get("UpdateStatus", {}).get("State")


def test_an_update_starts_a_new_instance_before_it_stops_the_old_one(stack, conversation):
    name = f"{stack.project}_chat-service"
    before = stack.healthy("chat-service")
    docker("service", "update", "--detach", "--force", name)
    found = []

    def updated():
        found.append(len(stack.healthy("chat-service")))
        return update_of(name) == "completed"

    eventually(updated, 240)
    assert min(found) >= len(before) and not before & stack.healthy("chat-service")
    conversation.carries_a_message()


def test_a_new_version_that_does_not_start_leaves_the_old_one_running(stack, conversation):
    name = f"{stack.project}_chat-service"
    before = stack.healthy("chat-service")
    docker("service", "update", "--detach", "--env-add", "MARU_NO_SUCH_SETTING=1", name)
    eventually(lambda: update_of(name) == "paused", 120)
    assert before == stack.healthy("chat-service")
    conversation.carries_a_message()


def test_a_second_deployment_makes_the_secrets_and_the_roles_again_and_mends_what_differs(stack, conversation):
    def runs(service):
        return set(docker("service", "ps", "--quiet", "--filter=desired-state=shutdown", f"{stack.project}_{service}").split())

    before = {service: runs(service) for service in ("secrets", "roles")}
    kept = {service: stack.healthy(service) for service in ("auth-service", "postgres", "redis", "gateway")}
    stack.deploy()
    assert all(runs(service) - before[service] for service in before)
    # The test before has given it a setting that it refuses, and the one before that a second instance.
    eventually(lambda: len(stack.tasks("chat-service")) == len(stack.healthy("chat-service")) > 0, 120)
    assert "MARU_NO_SUCH_SETTING" not in json.dumps(stack.tasks("chat-service"))
    assert all(stack.healthy(service) & ids for service, ids in kept.items())
    conversation.carries_a_message()


def test_a_composition_of_the_same_name_has_the_data(stack):
    person = Person(stack, "stays")
    stack.remove()
    try:
        stack.run("up", "--detach", "--no-build", timeout=patiently(120))
        eventually(lambda: all(stack.is_healthy(each) for each in LASTING), 60)
        assert person.call("GET", "/users/me")["email"] == person.email
    finally:
        stack.run("down", "--timeout", "5", check=False)
    stack.deploy()
    assert person.call("GET", "/users/me")["email"] == person.email
