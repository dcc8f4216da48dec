"""What docker-compose.yml promises without an engine."""

import re

from gateway import CHECKOUT

FILE = (CHECKOUT / "docker-compose.yml").read_text()


def test_every_image_is_built_by_one_service_alone():
    shared, services = re.split(r"^services:\n", FILE, flags=re.MULTILINE)
    assert "build:" not in shared, "each service that takes it in would export the image"
    assert sorted(re.findall(r"^      target: (\w+)$", services, re.MULTILINE)) == ["gateway", "services"]


def test_an_image_of_ours_that_is_not_there_is_not_looked_for_elsewhere():
    (common,) = re.findall(r"^x-service: &service\n(.*?)^x-", FILE, re.DOTALL | re.MULTILINE)
    assert "pull_policy: never" in common


def test_the_page_for_operators_tells_the_defaults_that_the_file_has():
    page = (CHECKOUT / "docs/operations.md").read_text()
    told = {}
    for names, defaults in re.findall(r"^\| (`MARU_[A-Z_]+`(?:, `MARU_[A-Z_]+`)*) \| ([^|]+) \|", page, re.MULTILINE):
        told |= zip(re.findall(r"`(\w+)`", names), defaults.split(", "))
    in_file = dict(re.findall(r"\$\{(MARU_[A-Z_]+):-([^}]+)\}", FILE))
    numbers = {name: value for name, value in told.items() if value[0].isdigit()}
    assert len(numbers) > 6 and "MARU_GATEWAY_WORKERS" in numbers
    assert numbers.items() <= in_file.items()
