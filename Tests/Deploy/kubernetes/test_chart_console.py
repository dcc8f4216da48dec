"""The operators' console of the chart: off the Ingress, near the internal ports, closed to the rest of the cluster."""

import base64
import re

import pytest
import yaml
from chart import CHECKOUT, NAMESPACE, PROGRAMS, VALUES, container, environment, render, rendered
from policies import Network

every_console = pytest.mark.parametrize("name", [name for name in VALUES if VALUES[name].get("console", {}).get("enabled", True)])
STRANGER = {"app.kubernetes.io/name": "something-else"}


@every_console
def test_a_service_of_its_own_leads_to_the_console_and_no_ingress_does(name):
    result = rendered(name)
    (service,) = result.kind("Service")["console"]
    assert service["metadata"]["name"] == "maru-console" and service["spec"]["type"] == "ClusterIP"
    assert [(port["port"], port["targetPort"]) for port in service["spec"]["ports"]] == [(9110, "console")]
    assert "console" not in yaml.safe_dump([each for each in result.objects if each["kind"] == "Ingress"])
    assert "console" not in yaml.safe_dump(result.named("Service", "maru-gateway"))
    # The gateway, which clients reach, has no console.
    gateway = result.pods()["gateway"]
    assert "MARU_GATEWAY_CONSOLE_LISTEN" not in environment(gateway)
    assert "console" not in {port["name"] for port in container(gateway)["ports"]}


@every_console
def test_the_console_is_the_only_server_of_its_pod_that_others_can_reach(name):
    variables = environment(rendered(name).pods()["console"])
    assert variables["MARU_GATEWAY_LISTEN"] == "127.0.0.1:8080" and "MARU_GATEWAY_TLS_LISTEN" not in variables
    # Its page is in the image.
    (stage,) = re.findall(r"^FROM \S+ AS gateway\n(.*)", (CHECKOUT / "deploy/Dockerfile").read_text(), re.DOTALL | re.MULTILINE)
    assert f"publish /web {variables['MARU_GATEWAY_WEB']} " in stage


@every_console
def test_no_other_pod_reaches_the_console_unless_the_values_name_it(name):
    network = Network(rendered(name))
    peers = VALUES[name].get("networkPolicy", {}).get("console", [])
    for part in [*network.labels]:
        assert not network.may_enter("console", 9110, network.labels[part]), part
    for namespace in (NAMESPACE, "monitoring", "elsewhere"):
        assert not network.may_enter("console", 9110, STRANGER, namespace)
        assert not network.may_enter("console", 9100, STRANGER, namespace)
    proxy = {"app.kubernetes.io/name": "oauth2-proxy"}
    assert network.may_enter("console", 9110, proxy) == bool(peers)
    assert not network.may_enter("console", 9110, proxy, "elsewhere")


@every_console
def test_the_console_finds_the_internal_ports_of_all_services(name):
    result = rendered(name)
    variables = environment(result.pods()["console"])
    entry = (CHECKOUT / "deploy/nginx/entry").read_text()
    for key, program in PROGRAMS.items():
        service = result.named("Service", variables[f"MARU_GATEWAY_{key.upper()}_NAME"])
        (internal,) = [port["port"] for port in service["spec"]["ports"] if port["name"] == "internal"]
        assert f'MARU_GATEWAY_INTERNAL_{key.upper()}=$(with_port {internal} "$MARU_GATEWAY_{key.upper()}")' in entry, program


def test_the_console_has_no_secret_and_the_services_check_the_operators_credential():
    result = rendered("stores")
    pod = result.pods()["console"]
    assert not [volume for volume in pod["volumes"] if "secret" in volume]
    assert not [variable for variable in environment(pod) if "CREDENTIAL" in variable]
    for program in PROGRAMS.values():
        (volume,) = [each["secret"] for each in result.pods()[program]["volumes"] if each["name"] == "secrets"]
        assert {"key": "operator-credential", "path": "operator_credential"} in volume["items"]


def test_the_notes_say_how_to_reach_the_console_and_where_its_credential_is():
    result = render(secrets={"operatorCredential": "o" * 40})
    assert f"kubectl --namespace {NAMESPACE} port-forward service/maru-console 9110\n" in result.notes
    name, key = re.search(r"get secret (\S+) --output jsonpath='\{\.data\.(\S+)\}' \| base64 --decode", result.notes).groups()
    assert base64.b64decode(result.named("Secret", name)["data"][key]) == b"o" * 40
    assert "get secret maru-credentials" in rendered("own").notes
    assert "console" not in rendered("many").notes


def test_hosts_of_the_values_may_be_used_beside_those_of_a_forwarded_port():
    hosts = environment(rendered("stores").pods()["console"])["MARU_GATEWAY_CONSOLE_NAMES"]
    script = (CHECKOUT / "deploy/nginx/render").read_text()
    assert hosts == re.search(r"\$\{MARU_GATEWAY_CONSOLE_NAMES:-([^}]+)\}", script)[1]
    assert environment(rendered("own").pods()["console"])["MARU_GATEWAY_CONSOLE_NAMES"] == f"{hosts} console.example.com"


def test_a_release_without_a_console_has_nothing_of_it():
    result = rendered("many")
    assert not [each for each in result.objects if "console" in yaml.safe_dump(each)]


def test_a_call_of_an_operator_may_end_before_its_pod_does():
    longest = max(
        int(seconds)
        for path in (CHECKOUT / "deploy/nginx").glob("console*.conf")
        for seconds in re.findall(r"proxy_read_timeout (\d+)s;", path.read_text())
    )
    assert int(environment(rendered("stores").pods()["console"])["MARU_GATEWAY_STOP_SECONDS"]) >= longest
