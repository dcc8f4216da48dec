"""The address that the product tells of itself, and the pages that the gateway serves."""

import re

import pytest
from chart import CHECKOUT, PROGRAMS, environment, render, rendered


@pytest.mark.parametrize(
    "values, expected",
    [
        ({}, ""),
        ({"publicUrl": "https://chat.example.com"}, "https://chat.example.com"),
        ({"ingress": {"enabled": True, "hosts": ["a.example.com", "b.example.com"]}}, "http://a.example.com"),
        ({"ingress": {"enabled": True, "hosts": ["a.example.com"], "tls": [{"secretName": "a"}]}}, "https://a.example.com"),
        ({"publicUrl": "https://b.example.com", "ingress": {"enabled": True, "hosts": ["a.example.com"]}}, "https://b.example.com"),
        ({"ingress": {"enabled": False, "hosts": ["a.example.com"]}}, ""),
    ],
)
def test_the_service_that_tells_addresses_knows_the_one_of_the_product(values, expected):
    pods = render(**values).pods()
    told = {program: environment(pods[program]).get("MARU_PUBLIC_URL") for program in PROGRAMS.values()}
    assert told == {**dict.fromkeys(PROGRAMS.values()), "chat-service": expected}


def test_the_gateway_serves_the_web_client_and_the_reference_of_its_image():
    variables = environment(rendered("stores").pods()["gateway"])
    dockerfile = (CHECKOUT / "deploy/Dockerfile").read_text()
    assert f"publish /web {variables['MARU_GATEWAY_WEB']} " in dockerfile
    assert f"COPY --from=reference /docs {variables['MARU_GATEWAY_WEB']}/docs\n" in dockerfile
    compose = (CHECKOUT / "docker-compose.yml").read_text()
    assert variables["MARU_GATEWAY_WEB_KEY"] == re.search(r"\$\{MARU_WEB_KEY:-(\w+)\}", compose)[1]
    assert not {"MARU_GATEWAY_WEB", "MARU_GATEWAY_WEB_KEY"} & environment(rendered("many").pods()["gateway"]).keys()
