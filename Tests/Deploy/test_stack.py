"""deploy/stack gives Docker Swarm docker-compose.yml without the keys that it refuses. Ignored keys get another form."""

import os
import shutil
import subprocess

import pytest
import yaml
from gateway import CHECKOUT, patiently

COMPOSITION = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())["services"]
# Compose starts the others on request only.
STARTED = {name: each for name, each in COMPOSITION.items() if "profiles" not in each}
SWARM = yaml.safe_load((CHECKOUT / "docker-compose.swarm.yml").read_text())
# A stack refuses these or ignores them.
REPLACED = {"pull_policy", "depends_on", "tmpfs", "mem_limit", "pids_limit"}
SERVICES_IMAGE, GATEWAY_IMAGE = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"

# Stands in for docker: keeps the arguments, the standard input and the environment of `docker stack deploy`. If there is a file `runs`,
# the stack exists, and a service that is run again has the outcome of the file `outcome`.
DOCKER = r"""#!/bin/bash
case "$1 $2" in
    'info '*) cat {folder}/node ;;
    'service inspect') [[ -e {folder}/runs ]] ;;
    'image inspect') cat {folder}/"${{@: -1}}" ;;
    'service update')
        printf '%s\n' "$*" >>{folder}/updates
        printf '%s\n' "${{@: -1}}" >>{folder}/journal
        cp {folder}/outcome {folder}/runs-"${{@: -1}}"
        ;;
    'service ps') cat {folder}/runs-"${{@: -1}}" 2>/dev/null || cat {folder}/runs ;;
    *)
        printf '%s\n' "$@" >{folder}/arguments
        echo deploy >>{folder}/journal
        cat >{folder}/input
        env >{folder}/environment
        ;;
esac
"""


def run(*words, **environment):
    return subprocess.run(
        [CHECKOUT / "deploy/stack", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=patiently(60),
    )


@pytest.fixture
def stack(tmp_path):
    """Runs the command of a copy of the checkout with a program that stands in for docker."""
    copy = tmp_path / "checkout"
    shutil.copytree(CHECKOUT / "deploy", copy / "deploy")
    for name in ("docker-compose.yml", "docker-compose.swarm.yml"):
        shutil.copy(CHECKOUT / name, copy / name)
    program = tmp_path / "programs/docker"
    program.parent.mkdir()
    program.write_text(DOCKER.format(folder=tmp_path))
    program.chmod(0o755)
    (tmp_path / "node").write_text("abc\n")
    (tmp_path / "maru").mkdir()
    (tmp_path / "maru/services:latest").write_text(f"{SERVICES_IMAGE}\n")
    (tmp_path / "maru/gateway:latest").write_text(f"{GATEWAY_IMAGE}\n")

    def deploy(*words, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MARU_")}
        result = subprocess.run(
            [copy / "deploy/stack", *words],
            env={**clean, "PATH": f"{program.parent}:{os.environ['PATH']}", **environment},
            capture_output=True,
            text=True,
            timeout=patiently(60),
        )
        given = (tmp_path / "environment").read_text().splitlines() if (tmp_path / "environment").exists() else []
        return result, {line for line in given if line.startswith("MARU_")}

    deploy.checkout, deploy.folder = copy, tmp_path
    return deploy


def test_the_stack_has_every_service_that_compose_starts_with_the_same_keys_and_limits():
    printed = run("--print")
    assert printed.returncode == 0, printed.stderr
    file = yaml.safe_load(printed.stdout)
    assert file["services"].keys() == STARTED.keys()
    whole = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
    assert (file["networks"], file["volumes"]) == (whole["networks"], whole["volumes"])
    for name, service in STARTED.items():
        expected = {key: value for key, value in service.items() if key not in REPLACED}
        limits = {"memory": service["mem_limit"]}
        if "pids_limit" in service:
            limits["pids"] = service["pids_limit"]
        assert file["services"][name] == {**expected, "deploy": {"resources": {"limits": limits}}}, name


def test_each_key_that_a_stack_ignores_has_another_form():
    assert SWARM["services"].keys() == STARTED.keys()
    for name, service in STARTED.items():
        added = SWARM["services"][name]
        once = service["restart"] == "no"
        assert added["deploy"]["restart_policy"]["condition"] == ("on-failure" if once else "any"), name
        assert added["deploy"]["placement"]["constraints"] == ["${MARU_STACK_PLACEMENT:?deploy/stack sets it}"], name
        # Through one virtual address the gateway and the services would not find the instances of a service.
        assert added["deploy"]["endpoint_mode"] == "dnsrr", name
        memories = {each["target"] for each in added.get("volumes", [])}
        writes = set(service.get("tmpfs", [])) - ({"/tmp"} if once else set())
        assert memories == writes | ({"/dev/shm"} if "shm_size" in service else set()), name
        if service.get("network_mode") == "none":
            assert added["networks"] == ["stores"] and COMPOSITION["postgres"]["networks"] == ["stores"], name
        # Swarm looks for a name at Docker Hub, where anybody may have it.
        variables = {"maru/services": "MARU_STACK_SERVICES", "maru/gateway": "MARU_STACK_GATEWAY"}
        variable = variables.get(service["image"].split(":")[0])
        assert added.get("image") == (f"${{{variable}:?deploy/stack sets it}}" if variable else None), name
        # Swarm ends an unhealthy container, compose does not.
        if "healthcheck" in service:
            assert added["healthcheck"]["retries"] * 2 >= 3600, name
            assert service["healthcheck"]["interval"] == "2s"
    published = [f"{each['published']}:{each['target']}" for each in SWARM["services"]["gateway"]["ports"]]
    assert published == COMPOSITION["gateway"]["ports"]
    # Behind the ports of the swarm all clients have the same address.
    assert all(each["mode"] == "host" for each in SWARM["services"]["gateway"]["ports"])
    shared = [each for each in SWARM["services"]["postgres"]["volumes"] if each["target"] == "/dev/shm"]
    assert f"{shared[0]['tmpfs']['size'] >> 20}m" == COMPOSITION["postgres"]["shm_size"]


def test_docker_accepts_the_stack():
    """A client before Docker 23 cannot check a file. The tests of the images deploy it."""
    if not shutil.which("docker"):
        return
    checked = run("--config")
    if "--compose-file" not in subprocess.run(["docker", "stack", "config", "--help"], capture_output=True, text=True).stdout:
        assert checked.returncode == 1 and "needs Docker 23" in checked.stderr
        return
    assert checked.returncode == 0, checked.stderr
    services = yaml.safe_load(checked.stdout)["services"]
    assert services.keys() == STARTED.keys()
    for name, service in services.items():
        limits = service["deploy"]["resources"]["limits"]
        assert int(limits["memory"]) >= 256 << 20 and service["deploy"]["endpoint_mode"] == "dnsrr", name
        assert len({each["target"] for each in service["volumes"]}) == len(service["volumes"]), name
    assert [each["mode"] for each in services["gateway"]["ports"]] == ["host", "host"]


def test_settings_come_from_the_environment_and_then_from_the_file_of_compose(stack):
    lines = ["# a comment", "", "MARU_PORT=80", "MARU_CONSOLE_NAMES=a.example.com b.example.com", "MARU_WEB_KEY='mine'", "MARU_TLS_PORT=443"]
    (stack.checkout / ".env").write_text("\n".join(lines))
    result, settings = stack("chat", "--resolve-image", "never", MARU_TLS_PORT="8444")
    assert result.returncode == 0, result.stderr
    assert {"MARU_PORT=80", "MARU_CONSOLE_NAMES=a.example.com b.example.com", "MARU_WEB_KEY=mine", "MARU_TLS_PORT=8444"} <= settings
    files = ["--compose-file", "-", "--compose-file", "docker-compose.swarm.yml"]
    assert (stack.folder / "arguments").read_text().split() == ["stack", "deploy", *files, "--resolve-image", "never", "chat"]
    assert (stack.folder / "input").read_text() == run("--print").stdout


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("MARU_SECOND_FACTOR_KEY=c2VjcmV0MQ=", "c2VjcmV0MQ="),
        ("MARU_SECOND_FACTOR_KEY=c2VjcmV0MTI==", "c2VjcmV0MTI=="),
        ('MARU_SECOND_FACTOR_KEY="two words # and a sign"', "two words # and a sign"),
        ("export MARU_SECOND_FACTOR_KEY='a b'  # a comment", "a b"),
        ("MARU_SECOND_FACTOR_KEY=a#b c  # a comment", "a#b c"),
        ("MARU_SECOND_FACTOR_KEY=old\nMARU_SECOND_FACTOR_KEY=new", "new"),
        ("MARU_SECOND_FACTOR_KEY=a\r", "a"),
    ],
)
def test_a_setting_of_the_file_of_compose_has_the_same_value_in_a_stack(stack, line, value):
    """Also in the last line, without an end."""
    (stack.checkout / ".env").write_bytes(line.encode())
    result, settings = stack("chat")
    assert result.returncode == 0, result.stderr
    assert f"MARU_SECOND_FACTOR_KEY={value}" in settings


def test_an_operator_is_told_that_the_file_of_overrides_is_not_in_the_stack(stack):
    told = "docker-compose.override.yml is not a part of the stack"
    assert told not in stack("chat")[0].stderr
    (stack.checkout / "docker-compose.override.yml").write_text("services: {}\n")
    result, _ = stack("chat")
    assert result.returncode == 0 and told in result.stderr
    result, _ = stack("chat", "--compose-file", "stack.yml")
    assert result.returncode == 0 and told not in result.stderr
    files = [line for line in (stack.folder / "arguments").read_text().split() if line.endswith(".yml")]
    assert files == ["docker-compose.swarm.yml", "stack.yml"]


def test_the_stack_stays_on_the_node_that_has_the_checkout(stack):
    _, settings = stack("chat")
    assert "MARU_STACK_PLACEMENT=node.id==abc" in settings
    _, settings = stack("chat", MARU_STACK_PLACEMENT="node.labels.maru==yes")
    assert "MARU_STACK_PLACEMENT=node.labels.maru==yes" in settings


def test_a_node_without_a_swarm_is_told_how_to_make_one(stack):
    (stack.folder / "node").write_text("\n")
    result, _ = stack("chat")
    assert result.returncode == 1 and "docker swarm init" in result.stderr
    assert not (stack.folder / "arguments").exists()


def test_the_images_of_the_product_are_those_of_this_machine(stack):
    (stack.folder / "maru/services:0.3.0").write_text(f"sha256:{'c' * 64}\n")
    (stack.folder / "maru/gateway:0.3.0").write_text(f"sha256:{'d' * 64}\n")
    _, settings = stack("chat")
    assert {f"MARU_STACK_SERVICES={SERVICES_IMAGE}", f"MARU_STACK_GATEWAY={GATEWAY_IMAGE}"} <= settings
    _, settings = stack("chat", MARU_VERSION="0.3.0")
    assert {f"MARU_STACK_SERVICES=sha256:{'c' * 64}", f"MARU_STACK_GATEWAY=sha256:{'d' * 64}"} <= settings


@pytest.mark.parametrize("image", ["maru/services:latest", "maru/gateway:latest"])
def test_a_stack_without_its_images_is_not_deployed(stack, image):
    (stack.folder / image).unlink()
    (stack.folder / "runs").write_text("first Complete 2 days ago\n")
    result, _ = stack("chat")
    assert result.returncode == 1 and f"there is no image {image}" in result.stderr
    assert not (stack.folder / "arguments").exists() and not (stack.folder / "journal").exists()


def test_a_stack_that_exists_gets_its_secrets_and_roles_again_before_its_services(stack):
    (stack.folder / "runs").write_text("first Complete 2 days ago\n")
    (stack.folder / "outcome").write_text("second Complete 1 second ago\n")
    result, _ = stack("chat")
    assert result.returncode == 0, result.stderr
    assert (stack.folder / "journal").read_text().split() == ["chat_secrets", "chat_roles", "deploy"]
    secrets, roles = (stack.folder / "updates").read_text().splitlines()
    assert f"--image {SERVICES_IMAGE} " in secrets and "--image" not in roles


def test_a_stack_whose_tasks_are_no_longer_listed_is_updated(stack):
    (stack.folder / "runs").write_text("")
    (stack.folder / "outcome").write_text("second Complete 1 second ago\n")
    result, _ = stack("chat")
    assert result.returncode == 0, result.stderr
    assert (stack.folder / "journal").read_text().split() == ["chat_secrets", "chat_roles", "deploy"]


@pytest.mark.parametrize("outcome", ["first Complete 2 days ago", "second Failed 1 second ago", "second Running 1 second ago"])
def test_services_are_not_updated_before_new_secrets_are_made(stack, outcome):
    (stack.folder / "runs").write_text("first Complete 2 days ago\n")
    (stack.folder / "outcome").write_text(f"{outcome}\n")
    result, _ = stack("chat", MARU_ROLL_SECONDS="0")
    assert result.returncode == 1 and "chat_secrets does not end" in result.stderr
    assert "deploy" not in (stack.folder / "journal").read_text().split()
