"""Checks of docker-compose.yml that need no engine."""

import json
import os
import re
import subprocess
import sys

import yaml
from gateway import CHECKOUT, SERVICES

sys.path.append(str(CHECKOUT / "Tests/Deploy/kubernetes"))
from chart import settings

FILE = (CHECKOUT / "docker-compose.yml").read_text()


def test_every_image_is_built_by_one_service_alone():
    shared, services = re.split(r"^services:\n", FILE, flags=re.MULTILINE)
    assert "build:" not in shared, "each service that includes it would export the image"
    assert sorted(re.findall(r"^      target: (\w+)$", services, re.MULTILINE)) == ["gateway", "services"]


def test_the_file_follows_the_compose_specification(tmp_path):
    # Compose v2 accepts a file by this schema. The tests of the images check it with 1.29.
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run([*check, CHECKOUT / "docker-compose.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(FILE.replace("pull_policy: never", "pull_policy: seldom"))
    assert subprocess.run([*check, wrong], capture_output=True).returncode == 1


def test_the_file_of_the_archive_follows_the_specification_and_fits_the_image():
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run([*check, CHECKOUT / "docker-compose.archive.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    archive = (CHECKOUT / "docker-compose.archive.yml").read_text()
    settings = dict(re.findall(r"^([\w-]+)=(.*)$", (CHECKOUT / "deploy/postgres/pgbackrest.conf").read_text(), re.MULTILINE))
    (stage,) = re.findall(r"^FROM \S+ AS postgres\n(.*?)^FROM ", (CHECKOUT / "deploy/Dockerfile").read_text(), re.DOTALL | re.MULTILINE)
    assert f":{settings['repo1-path']}\n" in archive and f"postgres {settings['repo1-path']}\n" in stage
    assert f"- postgres:{settings['pg1-path']}\n" in FILE and f"- postgres-socket:{settings['pg1-socket-path']}\n" in FILE
    # The image is read-only, and its /tmp is memory.
    assert settings["lock-path"] == "/tmp"
    assert (CHECKOUT / ".dockerignore").read_text().count("deploy") and "archive_mode = on" in (
        CHECKOUT / "deploy/postgres/postgresql.conf").read_text()


def test_every_volume_of_secrets_gets_the_owner_of_a_folder_of_the_image():
    """Without the folder the volume belongs to root, and no secret can be written to it."""
    (making,) = re.findall(r"^  secrets:\n(.*?)^  \w", FILE, re.DOTALL | re.MULTILINE)
    volumes = set(re.findall(r"- secrets-\w+:/(secrets/\w+)$", making, re.MULTILINE))
    (folders,) = re.findall(r"for folder in (.*?); do", (CHECKOUT / "deploy/Dockerfile").read_text(), re.DOTALL)
    assert len(volumes) == 10 and volumes <= set(folders.split())


def test_compose_never_pulls_our_own_images():
    (common,) = re.findall(r"^x-service: &service\n(.*?)^x-", FILE, re.DOTALL | re.MULTILINE)
    assert "pull_policy: never" in common


def test_the_operators_command_starts_only_on_request_and_finds_every_service():
    services = yaml.safe_load(FILE)["services"]
    maructl, gateway = services["maructl"], services["gateway"]
    assert (maructl["profiles"], maructl["entrypoint"], maructl["restart"]) == (["operator"], ["maructl"], "no")
    assert maructl["image"] == services["auth-service"]["image"] and maructl["pull_policy"] == "never"
    assert not {"build", "ports", "depends_on", "command"} & maructl.keys()
    assert maructl["read_only"] and maructl["cap_drop"] == ["ALL"] and "no-new-privileges:true" in maructl["security_opt"]
    (programs,) = re.findall(r"for name in (.*?); do", (CHECKOUT / "deploy/Dockerfile").read_text(), re.DOTALL)[:1]
    assert "maructl" in programs.split()
    variables = maructl["environment"]
    for key, service in SERVICES.items():
        port = services[service]["environment"]["MARU_INTERNAL_ADDRESS"].split(":")[1]
        assert variables[f"MARU_{key}_URL"] == f"http://{service}:{port}"
        assert set(maructl["networks"]) <= set(services[service]["networks"])
    port = gateway["environment"]["MARU_GATEWAY_LISTEN"].split(":")[1]
    assert variables["MARU_GATEWAY_URL"] == f"http://gateway:{port}" and set(maructl["networks"]) <= set(gateway["networks"])
    assert variables["MARU_API_KEY"] == gateway["environment"]["MARU_GATEWAY_WEB_KEY"]
    settings = (CHECKOUT / "Tools/maructl/Settings.swift").read_text()
    known = set(re.findall(r'"(\w+)",? ', settings)) | {f"{name.lower()}_url" for name in SERVICES}
    for variable in variables.keys() - {"MARUCTL_OPERATOR"}:
        assert variable.removeprefix("MARU_").lower().removesuffix("_file") in known | {"operators"}, variable
    assert '"MARUCTL_OPERATOR"' in (CHECKOUT / "Tools/maructl/Terminal.swift").read_text()


def test_the_operators_command_has_the_credential_of_operators_alone_and_writes_their_list():
    services = yaml.safe_load(FILE)["services"]
    maructl = services["maructl"]
    assert maructl["volumes"][:2] == ["secrets-operator:/secrets:ro", "operators:/operators"]
    # deploy/secrets writes the credential into that volume.
    assert "secrets-operator:/secrets/operator" in services["secrets"]["volumes"]
    assert "create operator/operator_credential\n" in (CHECKOUT / "deploy/secrets").read_text()
    assert maructl["environment"]["MARU_OPERATOR_CREDENTIAL_FILE"] == "/secrets/operator_credential"
    for service in SERVICES.values():
        assert "operators:/operators:ro" in services[service]["volumes"], "services only read the list"
        assert services[service]["environment"]["MARU_OPERATORS_FILE"] == maructl["environment"]["MARU_OPERATORS_FILE"]
    holders = {name for name, each in services.items() if any("secrets-operator:" in volume for volume in each.get("volumes", []))}
    assert holders == {"secrets", "maructl"}


def test_the_images_carry_the_version_of_the_programs():
    version = re.search(r'static let version = "(.+)"', (CHECKOUT / "Shared/ServiceKit/Web/Build.swift").read_text())[1]
    dockerfile = (CHECKOUT / "deploy/Dockerfile").read_text()
    assert re.findall(r"^ARG VERSION=(.*)$", dockerfile, re.MULTILINE) == [version]
    for file, count in [(FILE, 2), ((CHECKOUT / "docker-compose.archive.yml").read_text(), 1)]:
        assert re.findall(r"VERSION: \$\{MARU_RELEASE:-(.*)\}", file) == [version] * count
    stages = re.split(r"^FROM .* AS (\w+)$", dockerfile, flags=re.MULTILINE)
    for name, stage in zip(stages[1::2], stages[2::2]):
        if name == "reference":
            # Only its files are copied into an image.
            continue
        assert "ARG VERSION\n" in stage, name
        if name != "build":
            assert 'LABEL org.opencontainers.image.title="maru/' in stage, name
            assert 'org.opencontainers.image.version="${VERSION}"' in stage, name


def test_the_address_of_the_product_reaches_the_service_that_tells_it():
    services = yaml.safe_load(FILE)["services"]
    told = {name for name, each in services.items() if "MARU_PUBLIC_URL" in (each.get("environment") or {})}
    # Without a value it is passed on as it is, and not at all if it is not set.
    assert told == {"chat-service"} and services["chat-service"]["environment"]["MARU_PUBLIC_URL"] is None
    settings = "".join(path.read_text() for path in (CHECKOUT / "Services").glob("*/*.swift"))
    assert settings.count('"public_url"') == 1 and '"public_url"' in (CHECKOUT / "Services/chat-service/PublicURL.swift").read_text()
    assert "| `MARU_PUBLIC_URL` |" in (CHECKOUT / "docs/operations.md").read_text()


def test_the_settings_of_providers_and_mail_reach_the_services_that_have_them():
    page = (CHECKOUT / "docs/operations.md").read_text()
    (row,) = re.findall(r"^\| (`MARU_KAKAO_…`.*?) \|", page, re.MULTILINE)
    prefixes = tuple(each.lower() for each in re.findall(r"`MARU_(\w+_)…`", row))
    assert len(prefixes) == 6
    services = yaml.safe_load(FILE)["services"]
    for program in SERVICES.values():
        known, secret = settings(program)
        # The folder of mails is for development alone.
        named = {each for each in known if each.startswith(prefixes)} - {"mail_folder"}
        assert len(named) > 2 or program in ("workspace-service", "chat-service")
        variables = {each.removeprefix("MARU_").lower() for each in services[program]["environment"]}
        assert named <= variables, program
        # A secret may be in a file, such as one of the folder of the providers.
        assert {f"{each}_file" for each in named & secret} <= variables, program
        holds = any(each.endswith(":/providers:ro") for each in services[program]["volumes"])
        assert holds == bool(named), program
    (holders,) = re.findall(r"^\| `MARU_PROVIDERS` \|.*mounted as `/providers` in (.*) \|$", page, re.MULTILINE)
    assert holders == "auth, realtime and payment"


def test_every_service_gets_the_time_limits_of_its_calls():
    services = yaml.safe_load(FILE)["services"]
    for program in SERVICES.values():
        for limit in ("MARU_INTERNAL_TIMEOUT", "MARU_DATABASE_TIMEOUT", "MARU_REDIS_TIMEOUT", "MARU_CONNECT_TIMEOUT"):
            # Without a value it is passed on as it is, and not at all if it is not set.
            assert services[program]["environment"].get(limit, "") is None, (program, limit)
    for program in ("auth-service", "realtime-gateway", "payment-service"):
        assert services[program]["environment"].get("MARU_PROVIDER_DEADLINE", "") is None, program
    page = (CHECKOUT / "docs/operations.md").read_text()
    assert "| how long a call between services may take, its second attempt included | `internal_timeout`, 3s |" in page


def test_the_operations_page_has_the_defaults_of_the_file():
    page = (CHECKOUT / "docs/operations.md").read_text()
    told = {}
    for names, defaults in re.findall(r"^\| (`MARU_[A-Z_]+`(?:, `MARU_[A-Z_]+`)*) \| ([^|]+) \|", page, re.MULTILINE):
        told |= zip(re.findall(r"`(\w+)`", names), defaults.split(", "))
    in_file = dict(re.findall(r"\$\{(MARU_[A-Z_]+):-([^}]+)\}", FILE))
    numbers = {name: value for name, value in told.items() if value[0].isdigit()}
    assert len(numbers) > 6 and "MARU_GATEWAY_WORKERS" in numbers
    assert numbers.items() <= in_file.items()


def test_the_services_build_without_the_tests(tmp_path):
    """The images have no tests, so that a change of a test does not rebuild them."""
    ignored = (CHECKOUT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored and "!Tests" not in ignored
    assert "COPY Tests" not in (CHECKOUT / "deploy/Dockerfile").read_text()
    for name in ("Package.swift", "Shared", "Services", "Tools"):
        (tmp_path / name).symlink_to(CHECKOUT / name)
    described = subprocess.run(
        ["swift", "package", "--package-path", tmp_path, "--scratch-path", tmp_path / "build", "describe", "--type", "json"],
        env={**os.environ, "MARU_WITHOUT_TESTS": "1"},
        capture_output=True,
        text=True,
    )
    assert described.returncode == 0, described.stderr
    products = {each["name"] for each in json.loads(described.stdout)["products"]}
    assert products == {*SERVICES.values(), "picture-previews", "maructl"}
