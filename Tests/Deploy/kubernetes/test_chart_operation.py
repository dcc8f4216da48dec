"""Kubernetes replaces, moves and scales the pods without a failed call, and Prometheus finds them."""

import re

import pytest
import yaml
from chart import CHART, CHECKOUT, NGINX, PROGRAMS, VALUES, container, render, rendered

every_file = pytest.mark.parametrize("name", VALUES)
PARTS = [*PROGRAMS.values(), "gateway"]
DEFAULTS = yaml.safe_load((CHART / "values.yaml").read_text())


@every_file
def test_an_instance_gets_calls_once_it_is_ready_and_is_replaced_if_it_hangs(name):
    for part, pod in rendered(name).pods().items():
        only, port = container(pod), "status" if part in NGINX else "internal"
        ready = "/healthz" if part in NGINX else "/readyz"
        assert only["readinessProbe"]["httpGet"] == {"path": ready, "port": port}, part
        # /readyz depends on Postgres: a restart would not bring Postgres back.
        assert only["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": port}, part
        if part not in NGINX:
            startup = only["startupProbe"]
            assert startup["httpGet"] == {"path": "/healthz", "port": port}, part
            assert startup["periodSeconds"] * startup["failureThreshold"] >= 600, "a migration may take its time"
            patience = only["readinessProbe"]["periodSeconds"] * only["readinessProbe"]["failureThreshold"]
            assert patience >= 3600, "an instance without Postgres keeps sockets and reads history from a replica"
    served = (CHECKOUT / "Shared/ServiceKit/Web/OperatorPages.swift").read_text()
    assert '"/readyz"' in served and '"/healthz"' in served


@every_file
def test_an_update_starts_the_new_instance_first(name):
    for part in PARTS:
        spec = rendered(name).deployment(part)["spec"]
        assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}, part
        assert spec["minReadySeconds"] >= 5, part


@every_file
def test_at_least_one_instance_stays_when_a_node_is_emptied(name):
    result = rendered(name)
    budgets = result.kind("PodDisruptionBudget")
    for part in PARTS:
        (budget,) = budgets[part]
        assert budget["spec"]["selector"] == result.deployment(part)["spec"]["selector"]
        assert budget["spec"]["maxUnavailable"] == 1
        keys = {each["topologyKey"] for each in result.pods()[part]["topologySpreadConstraints"]}
        assert keys == {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
        for each in result.pods()[part]["topologySpreadConstraints"]:
            assert each["labelSelector"] == result.deployment(part)["spec"]["selector"]


@every_file
def test_the_number_of_instances_has_one_owner(name):
    result = rendered(name)
    scalers = result.kind("HorizontalPodAutoscaler")
    for part in PARTS:
        deployment = result.deployment(part)
        # A number in the Deployment would undo the autoscaler at each upgrade.
        assert ("replicas" in deployment["spec"]) != (part in scalers), part
        if part in scalers:
            (scaler,) = scalers[part]
            target = scaler["spec"]["scaleTargetRef"]
            assert target == {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment["metadata"]["name"]}
            assert 2 <= scaler["spec"]["minReplicas"] <= scaler["spec"]["maxReplicas"]
            # Utilization is a share of the request.
            assert "cpu" in container(result.pods()[part])["resources"]["requests"], part
        else:
            assert deployment["spec"]["replicas"] >= 2
    assert ("chat-service" in scalers) == (name != "own")


def test_gateways_scale_by_sockets_and_connections_that_they_export():
    scalers = rendered("many").kind("HorizontalPodAutoscaler")
    swift = "\n".join(path.read_text() for path in (CHECKOUT / "Services/realtime-gateway").glob("**/*.swift"))
    nginx = (CHECKOUT / "deploy/nginx/nginx.conf").read_text().replace("\\", "")
    found = {}
    for part, (scaler,) in scalers.items():
        kinds = [metric["type"] for metric in scaler["spec"]["metrics"]]
        assert kinds[0] == "Resource" and scaler["spec"]["metrics"][0]["resource"]["name"] == "cpu"
        for metric in scaler["spec"]["metrics"][1:]:
            found[part] = metric["pods"]["metric"]
            assert metric["pods"]["target"]["type"] == "AverageValue"
    assert found == {
        "realtime-gateway": {"name": "maru_sockets"},
        "gateway": {"name": "maru_gateway_connections", "selector": {"matchLabels": {"state": "active"}}},
    }
    assert '"maru_sockets"' in swift and 'maru_gateway_connections{state="active"}' in nginx
    metrics = rendered("many").named("HorizontalPodAutoscaler", "maru-realtime-gateway")["spec"]["metrics"]
    assert metrics[1]["pods"]["target"]["averageValue"] == "15000"
    # The default needs no server of custom metrics.
    for (scaler,) in rendered("stores").kind("HorizontalPodAutoscaler").values():
        assert [metric["type"] for metric in scaler["spec"]["metrics"]] == ["Resource"]


def test_an_instance_has_room_for_the_sockets_that_it_scales_by():
    settings = (CHECKOUT / "Shared/ServiceKit/Service/CommonSettings.swift").read_text()
    most = int(re.search(r'service == "realtime-gateway" \? "(\d+)"', settings)[1])
    assert DEFAULTS["services"]["realtime"]["autoscaling"]["sockets"]["average"] <= most // 2
    for program in PROGRAMS.values():
        # The soft limit of descriptors is 1,024 at some runtimes.
        command = container(rendered("stores").pods()[program])["command"]
        assert command == ["sh", "-c", f'ulimit -S -n "$(ulimit -H -n)" && exec {program}']


@every_file
def test_every_container_has_a_limit_of_memory_and_none_of_cpu(name):
    for part, pod in rendered(name).pods().items():
        resources = container(pod)["resources"]
        assert resources["requests"].keys() == {"cpu", "memory"} and resources["limits"].keys() == {"memory"}, part
        for volume in pod["volumes"]:
            assert "emptyDir" not in volume or "sizeLimit" in volume["emptyDir"], part


def test_values_of_a_service_come_before_those_of_all():
    result = render(services={"common": {"replicas": 5, "autoscaling": {"enabled": False}}, "auth": {"replicas": 3}})
    counts = {program: result.deployment(program)["spec"]["replicas"] for program in PROGRAMS.values()}
    assert counts == {**dict.fromkeys(PROGRAMS.values(), 5), "auth-service": 3}
    pods = rendered("own").pods()
    assert all(pods[program]["nodeSelector"] == {"pool": "chat"} for program in PROGRAMS.values())
    labels = rendered("own").deployment("chat-service")["spec"]["template"]["metadata"]
    assert labels["labels"]["team"] == "chat" and labels["annotations"]["example.com/team"] == "chat"


def test_prometheus_knows_the_instances_by_the_jobs_of_the_alerts():
    result = rendered("own")
    monitors = [each for each in result.objects if each["kind"] == "ServiceMonitor"]
    found = {}
    for monitor in monitors:
        assert monitor["metadata"]["labels"]["release"] == "prometheus"
        (endpoint,) = monitor["spec"]["endpoints"]
        assert endpoint["path"] == "/metrics"
        for service in [each for each in result.objects if each["kind"] == "Service"]:
            labels = service["metadata"]["labels"]
            if monitor["spec"]["selector"]["matchLabels"].items() <= labels.items():
                assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}
                assert labels[monitor["spec"]["jobLabel"]] not in found
                found[labels[monitor["spec"]["jobLabel"]]] = endpoint["port"]
    assert found == {**dict.fromkeys(PROGRAMS.values(), "internal"), "gateway": "status"}
    jobs = re.findall(r"job_name: (\S+)", (CHECKOUT / "deploy/prometheus/prometheus.yml").read_text())
    assert set(jobs) == found.keys()
    assert not [each for each in rendered("stores").objects if "monitoring.coreos.com" in each["apiVersion"]]


def test_an_upgrade_takes_the_new_values_of_the_chart():
    page = (CHECKOUT / "docs/kubernetes.md").read_text()
    upgrades = [line for line in page.splitlines() if "helm upgrade" in line]
    assert upgrades and all(line.endswith(" --reset-then-reuse-values") for line in upgrades)
    # The option is of Helm 3.14.
    assert "Helm 3.14 or later" in page


def test_the_page_lists_every_value_with_its_default():
    page = (CHECKOUT / "docs/kubernetes.md").read_text()
    listed = dict(re.findall(r"^\| `([a-zA-Z.]+)` \| (.*?) \|", page, re.MULTILINE))
    for path, told in listed.items():
        value = DEFAULTS
        for key in path.split("."):
            assert key in value, path
            value = value[key]
        if told.startswith("`"):
            assert yaml.safe_load(told.strip("`")) == value, path
    documented = {tuple(path.split(".")) for path in listed}

    def check(value, path):
        if any(path[: len(each)] == each for each in documented):
            return
        assert isinstance(value, dict) and value, f"{'.'.join(path)} is not on the page"
        for key, inner in value.items():
            check(inner, (*path, key))

    check(DEFAULTS, ())
