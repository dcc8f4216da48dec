"""The chart is sound for Helm, its objects are valid for Kubernetes, and they refer to each other."""

import functools
import re

import helm_python
import kubernetes_validate
import pytest
import yaml
from chart import CHART, CHECKOUT, NGINX, PROGRAMS, VALUES, container, environment, merge, render, rendered

# The oldest version that Chart.yaml admits, and the newest known one.
VERSIONS = ["1.27.0", kubernetes_validate.latest_version()]
# The library reads the schemas, which are large, anew for each object.
kubernetes_validate.utils.schema_contents = functools.cache(kubernetes_validate.utils.schema_contents)
# Objects of the Prometheus operator have no schema in Kubernetes.
FOREIGN = {"ServiceMonitor", "PrometheusRule"}

every_file = pytest.mark.parametrize("name", VALUES)


@every_file
def test_helm_finds_no_fault_in_the_chart(name):
    report = helm_python.lint(str(CHART), VALUES[name], strict=True)
    # An icon is only shown by catalogues of charts.
    assert [each["error"] for each in report["messages"]] == ["icon is recommended"] and not report["errors"]


@every_file
@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_valid(name, version):
    checked = [each for each in rendered(name).objects if each["kind"] not in FOREIGN]
    assert len(checked) > 25
    for each in checked:
        kubernetes_validate.validate(each, version, strict=True)


def test_the_chart_admits_the_oldest_version_that_is_validated():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["kubeVersion"] == f">={VERSIONS[0]}-0"
    assert VERSIONS[0] in kubernetes_validate.utils.all_versions()


def test_validation_finds_a_misspelt_member():
    deployment = rendered("stores").deployment("chat-service")
    wrong = merge(deployment, {"spec": {"minReadySecond": 1}})
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[0], strict=True)


@every_file
def test_no_two_objects_have_the_same_name_and_labels_select_no_other_part(name):
    objects = rendered(name).objects
    names = [(each["kind"], each["metadata"]["name"]) for each in objects]
    assert len(set(names)) == len(names)
    assert all(len(name) <= 63 and re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", name) for _, name in names)
    selectors = [str(each["spec"]["selector"]) for each in objects if each["kind"] == "Deployment"]
    assert len(set(selectors)) == len(selectors) == (6 if name == "many" else 7)


@pytest.mark.parametrize("release, prefix", [("maru", "maru-"), ("team", "team-maru-"), ("maru-staging", "maru-staging-")])
def test_two_releases_share_no_object_and_no_pod(release, prefix):
    result = rendered("own", release)
    assert {part: each["metadata"]["name"] for part, (each,) in result.kind("Deployment").items()} == {
        part: prefix + part for part in [*PROGRAMS.values(), *NGINX]
    }
    for each in result.objects:
        text = yaml.safe_dump(each)
        assert each["metadata"]["name"].startswith(prefix.rstrip("-"))
        for other in re.findall(r"app.kubernetes.io/instance: (\S+)", text):
            assert other == release


@every_file
def test_every_name_that_a_pod_uses_exists(name):
    result = rendered(name)
    ours = {"Secret": "maru", "ConfigMap": "maru-clients", "ServiceAccount": "maru"}
    for part, pod in result.pods().items():
        for volume in pod["volumes"]:
            kind, reference = next((key, value) for key, value in volume.items() if key != "name")
            if kind == "secret" and reference["secretName"] == ours["Secret"]:
                data = result.named("Secret", reference["secretName"])["data"]
                assert {item["key"] for item in reference["items"]} <= data.keys(), part
            if kind == "configMap" and reference["name"] == ours["ConfigMap"]:
                data = result.named("ConfigMap", reference["name"])["data"]
                assert {item["key"] for item in reference["items"]} <= data.keys(), part
            if kind == "persistentVolumeClaim" and reference["claimName"].startswith("maru-"):
                assert result.named("PersistentVolumeClaim", reference["claimName"]), part
        if pod["serviceAccountName"] == ours["ServiceAccount"]:
            assert result.named("ServiceAccount", "maru"), part
        mounts = container(pod)["volumeMounts"]
        assert {each["name"] for each in mounts} == {each["name"] for each in pod["volumes"]}, part


@every_file
def test_every_service_leads_to_a_port_of_its_pods(name):
    result = rendered(name)
    services = [each for each in result.objects if each["kind"] == "Service"]
    assert len(services) >= 6
    for service in services:
        selector = service["spec"]["selector"].items()
        (pod,) = [pod for part, pod in result.pods().items() if selector <= result.pod_labels()[part].items()]
        ports = {port["name"]: port["containerPort"] for port in container(pod)["ports"]}
        for port in service["spec"]["ports"]:
            assert port["targetPort"] in ports
            # Names without an address lead to the pods, so the port must be the same.
            assert service["spec"].get("clusterIP") != "None" or port["port"] == ports[port["targetPort"]]


@every_file
def test_ingress_and_gateway_serve_what_the_values_ask_for(name):
    result, values = rendered(name), VALUES[name]
    (service,) = [each for each in result.kind("Service")["gateway"] if each["metadata"]["name"] == "maru-gateway"]
    has_tls = bool(values.get("gateway", {}).get("tls"))
    assert [port["port"] for port in service["spec"]["ports"]] == ([80, 443] if has_tls else [80])
    ingress = result.named("Ingress", "maru")
    assert bool(ingress) == bool(values.get("ingress"))
    if ingress:
        backend = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
        assert backend == {"name": "maru-gateway", "port": {"name": "http"}}
    if service["spec"]["type"] == "LoadBalancer":
        # Otherwise all clients would share the limits of a node's address.
        assert service["spec"]["externalTrafficPolicy"] == "Local"


def test_all_services_store_files_in_a_volume_that_all_instances_share():
    result = rendered("stores")
    claims = result.kind("PersistentVolumeClaim")
    stored = {part for part, pod in result.pods().items() if "MARU_FILES_FOLDER" in environment(pod)}
    assert stored == claims.keys() == {"auth-service", "workspace-service", "chat-service"}
    for part, (claim,) in claims.items():
        assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
        assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
        pod = result.pods()[part]
        (mount,) = [each for each in container(pod)["volumeMounts"] if each["name"] == "files"]
        assert mount["mountPath"] == environment(pod)["MARU_FILES_FOLDER"]
        (volume,) = [each for each in pod["volumes"] if each["name"] == "files"]
        assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    own = rendered("own")
    assert own.kind("PersistentVolumeClaim").keys() == {"chat-service"}


def test_images_carry_the_version_of_the_programs():
    version = re.search(r'static let version = "(.+)"', (CHECKOUT / "Shared/ServiceKit/Web/Build.swift").read_text())[1]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == version
    assert f"ARG VERSION={version}\n" in (CHECKOUT / "deploy/Dockerfile").read_text()
    result, own = rendered("stores"), rendered("own")
    for part, pod in result.pods().items():
        image = "gateway" if part in NGINX else "services"
        assert container(pod)["image"] == f"maru/{image}:{version}"
        assert result.pod_labels()[part]["app.kubernetes.io/version"] == version
        assert container(own.pods()[part])["image"] == f"registry.example.com/chat/maru/{image}:2.0.0-rc1"
        assert own.pods()[part]["imagePullSecrets"] == [{"name": "registry"}]


def test_profiles_rules_and_dashboards_are_the_files_of_the_composition():
    """They are links, so that the two deployments cannot differ."""
    for name, target in {"clients.json": "clients.json", "rules": "prometheus/rules", "dashboards": "grafana/dashboards"}.items():
        link = CHART / "files" / name
        assert link.is_symlink() and link.resolve() == CHECKOUT / "deploy" / target
    clients = rendered("stores").named("ConfigMap", "maru-clients")["data"]["clients.json"]
    assert clients == (CHECKOUT / "deploy/clients.json").read_text()
    rule = rendered("own").named("PrometheusRule", "maru")
    rules = yaml.safe_load((CHECKOUT / "deploy/prometheus/rules/services.yml").read_text())
    assert rule["spec"]["groups"] == rules["groups"] and "{{ $labels.job }}" in str(rule)
    dashboards = [each for each in rendered("own").objects if "-dashboard-" in each["metadata"]["name"]]
    files = {path.name: path.read_text() for path in CHECKOUT.glob("deploy/grafana/dashboards/*.json")}
    assert {name: text for each in dashboards for name, text in each["data"].items()} == files


def test_nginx_gets_its_configuration_from_its_image_alone():
    pod = rendered("stores").pods()["gateway"]
    assert "command" not in container(pod) and "args" not in container(pod)
    mounts = {each["mountPath"] for each in container(pod)["volumeMounts"]}
    assert mounts == {"/tmp", "/secrets", "/etc/maru/clients.json"}
    dockerfile = (CHECKOUT / "deploy/Dockerfile").read_text()
    assert "COPY deploy/nginx /etc/maru/nginx" in dockerfile and 'ENTRYPOINT ["/etc/maru/nginx/entry"]' in dockerfile


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"service": {}}, "service"),
        ({"services": {"chat": {"replica": 3}}}, "replica"),
        ({"services": {"search": {}}}, "search"),
        ({"drain": {"idle": 5}}, "idle"),
        ({"secrets": {"serviceCredential": "short"}}, "serviceCredential"),
        ({"secrets": {"redisUrl": "redis.example.com"}}, "redisUrl"),
        ({"secrets": {"databaseUrls": {"chat": ""}}}, "secrets.databaseUrls.chat"),
        ({"gateway": {"service": {"type": "ExternalName"}}}, "type"),
        ({"gateway": {"limits": {"largestBody": "54 MB"}}}, "largestBody"),
        ({"allowedOrigins": ["chat.example.com"]}, "allowedOrigins"),
        ({"publicUrl": "chat.example.com"}, "publicUrl"),
        ({"console": {"names": ["a b"]}}, "names"),
        ({"networkPolicy": {"egress": {"enabled": True}}}, "networkPolicy.egress.stores"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_values_that_no_deployment_could_use_are_refused(change, reason):
    with pytest.raises(helm_python.HelmError, match=reason):
        render(**change)
