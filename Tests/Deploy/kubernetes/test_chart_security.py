"""Pods run with few rights, and no internal port can be reached by others than the services that need it."""

import re

import pytest
from chart import CHECKOUT, NGINX, PROGRAMS, VALUES, container, render, rendered
from policies import Network

every_file = pytest.mark.parametrize("name", VALUES)
STRANGER = {"app.kubernetes.io/name": "something-else"}


def callers():
    """Returns which services call the internal port of which, by their code."""
    calls = {(program, "auth") for program in PROGRAMS.values() if program != "auth-service"}
    # Each service writes the acts of operators into the log of workspace-service.
    calls |= {(program, "workspace") for program in PROGRAMS.values() if program != "workspace-service"}
    for program in PROGRAMS.values():
        for path in (CHECKOUT / "Services" / program).glob("**/*.swift"):
            calls |= {(program, peer) for peer in re.findall(r"\bpeers\.(\w+)", path.read_text())}
    assert "NodeRelay(" in (CHECKOUT / "Services/realtime-gateway/App.swift").read_text()
    return {(program, PROGRAMS[peer]) for program, peer in calls} | {("realtime-gateway", "realtime-gateway")}


@every_file
def test_no_container_runs_as_root_or_can_write_its_image(name):
    for part, pod in rendered(name).pods().items():
        assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & pod.keys(), part
        security, own = pod["securityContext"], container(pod)["securityContext"]
        assert security["runAsNonRoot"] and own["runAsNonRoot"], part
        # The images name their user, and Kubernetes admits only a number as another than root.
        assert isinstance(security["runAsUser"], int) and security["runAsUser"] > 0, part
        assert security["fsGroup"] == security["runAsGroup"] == security["runAsUser"], part
        assert security["seccompProfile"] == own["seccompProfile"] == {"type": "RuntimeDefault"}, part
        assert own["readOnlyRootFilesystem"] is True and own["allowPrivilegeEscalation"] is False, part
        assert own["capabilities"] == {"drop": ["ALL"]} and "privileged" not in own, part
        assert pod["automountServiceAccountToken"] is False, part
        for mount in container(pod)["volumeMounts"]:
            assert mount["mountPath"] in ("/tmp", "/files") or mount["readOnly"], (part, mount)
        kinds = {key for volume in pod["volumes"] for key in volume if key != "name"}
        assert kinds <= {"emptyDir", "secret", "configMap", "persistentVolumeClaim"}, part


def test_the_user_of_the_services_is_that_of_their_image():
    dockerfile = (CHECKOUT / "deploy/Dockerfile").read_text()
    user = int(re.search(r"useradd --uid (\d+)", dockerfile)[1])
    for part, pod in rendered("stores").pods().items():
        assert (pod["securityContext"]["runAsUser"] == user) == (part not in NGINX)


@every_file
def test_internal_ports_are_open_to_the_services_that_call_them_only(name):
    network = Network(rendered(name))
    calls = callers()
    assert len(calls) == 15
    for target in PROGRAMS.values():
        internal = network.ports[target]["internal"]
        for source in network.labels:
            # Operators reach every service from the console.
            expected = source == "console" or (source, target) in calls
            assert network.may_call(source, target, internal) == expected, (source, target)
        assert not network.may_enter(target, internal, STRANGER)
        # A pod of another namespace with our labels is a stranger.
        assert not network.may_enter(target, internal, network.labels["chat-service"], "elsewhere")


@every_file
def test_public_ports_of_services_are_open_to_the_gateway_only(name):
    network = Network(rendered(name))
    for target in PROGRAMS.values():
        public = network.ports[target]["public"]
        for source in network.labels:
            assert network.may_call(source, target, public) == (source == "gateway"), (source, target)
        assert not network.may_enter(target, public, STRANGER)
        assert not network.may_enter(target, public, {"app.kubernetes.io/name": "prometheus"}, "monitoring")


@every_file
def test_no_port_is_open_that_no_rule_names(name):
    network = Network(rendered(name))
    for part in network.labels:
        assert network.policies_of(part, "Ingress"), part
        assert not any(network.may_enter(part, 22, labels) for labels in [STRANGER, *network.labels.values()])


def test_clients_reach_the_gateway_and_prometheus_the_metrics():
    network = Network(rendered("stores"))
    assert network.may_enter("gateway", 8080, STRANGER, "elsewhere")
    assert not network.may_enter("gateway", 8443, STRANGER, "elsewhere"), "there is no certificate"
    for part, port in [*((program, "internal") for program in PROGRAMS.values()), ("gateway", "status")]:
        number = network.ports[part][port]
        assert network.may_enter(part, number, STRANGER, "monitoring")
        assert not network.may_enter(part, number, STRANGER, "elsewhere")
    own = Network(rendered("own"))
    assert own.may_enter("chat-service", 9103, {"app.kubernetes.io/name": "prometheus"}, "observability")
    assert not own.may_enter("chat-service", 9103, {"app.kubernetes.io/name": "grafana"}, "observability")
    assert not own.may_enter("chat-service", 9103, {"app.kubernetes.io/name": "prometheus"}, "monitoring")
    tls = Network(rendered("tls"))
    assert tls.may_enter("gateway", 8443, STRANGER, "ingress-nginx") and not tls.may_enter("gateway", 8443, STRANGER, "chat")


def test_ways_out_lead_to_names_stores_and_providers_only():
    policies = {each["metadata"]["name"]: each["spec"] for each in rendered("tls").objects if each["kind"] == "NetworkPolicy"}
    stores = VALUES["tls"]["networkPolicy"]["egress"]["stores"]
    for program in [*PROGRAMS.values(), *NGINX]:
        rules = policies[f"maru-{program}"]["egress"]
        open_rules = [rule for rule in rules if "to" not in rule]
        assert [{each["port"] for each in rule["ports"]} for rule in open_rules] == [{53}], program
        assert (stores[0] in rules) == (program not in NGINX), program
        outside = [rule for rule in rules if rule not in stores and any("ipBlock" in peer for peer in rule.get("to", []))]
        # Providers and buckets have HTTPS, receivers of webhooks also HTTP, and mail servers the ports of submission.
        expected = {"auth-service": {443, 465, 587}, "chat-service": {443, 80}, "gateway": set(), "console": set()}
        ports = {each["port"] for rule in outside for each in rule["ports"]}
        assert ports == expected.get(program, {443}), program
        for block in [peer["ipBlock"] for rule in outside for peer in rule["to"]]:
            assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"} <= set(block["except"])


def test_ways_out_lead_to_the_services_that_a_service_calls_only():
    network, calls = Network(rendered("tls")), callers()
    for target in PROGRAMS.values():
        for source in PROGRAMS.values():
            leaves = network.may_leave(source, target, network.ports[target]["internal"])
            assert leaves == ((source, target) in calls), (source, target)
            assert not network.may_leave(source, target, network.ports[target]["public"])
        assert network.may_leave("gateway", target, network.ports[target]["public"])
        assert not network.may_leave("gateway", target, network.ports[target]["internal"])
        assert network.may_leave("console", target, network.ports[target]["internal"])
        assert not network.may_leave("console", target, network.ports[target]["public"])


def test_policies_can_be_left_to_the_operator():
    result = render(networkPolicy={"enabled": False})
    assert not [each for each in result.objects if each["kind"] == "NetworkPolicy"]
    assert "WARNING: every pod of the cluster can reach the internal ports" in result.notes


def test_the_public_service_has_no_port_of_the_operator():
    for name in VALUES:
        for service in [each for each in rendered(name).objects if each["kind"] == "Service"]:
            if service["spec"].get("clusterIP") != "None" and service["metadata"]["name"] != "maru-console":
                assert service["metadata"]["name"] == "maru-gateway"
                assert {port["targetPort"] for port in service["spec"]["ports"]} <= {"http", "https"}
