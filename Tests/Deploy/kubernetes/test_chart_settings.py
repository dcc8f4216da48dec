"""The chart's settings exist, and agree with the way in which Kubernetes stops a pod."""

import base64
import re

import helm_python
import pytest
import yaml
from chart import CHART, CHECKOUT, NAMESPACE, NGINX, PROGRAMS, VALUES, container, environment, render, rendered, seconds, settings

every_file = pytest.mark.parametrize("name", VALUES)
COMMON = (CHECKOUT / "Shared/ServiceKit/Service/CommonSettings.swift").read_text()
DEFAULTS = yaml.safe_load((CHART / "values.yaml").read_text())


def default_of(name):
    """Returns the default of a setting of all services, in seconds or as a number."""
    return int(re.search(rf'"{name}", default: (?:Duration\.seconds\()?(\d+)', COMMON)[1])


@every_file
@pytest.mark.parametrize("program", PROGRAMS.values())
def test_every_variable_of_a_service_is_one_of_its_settings(name, program):
    known, secret = settings(program)
    assert {"public_address", "database_url"} <= known and "database_url" in secret and "loops" not in secret
    for variable in environment(rendered(name).pods()[program]):
        if variable == "POD_IP":
            continue
        setting = variable.removeprefix("MARU_").lower()
        assert setting in known or setting.removesuffix("_file") in secret, variable


@every_file
def test_every_variable_of_the_gateway_is_read_by_its_scripts(name):
    scripts = "".join((CHECKOUT / "deploy/nginx" / each).read_text() for each in ("entry", "render"))
    pods = rendered(name).pods()
    for part in set(NGINX) & pods.keys():
        variables = environment(pods[part])
        assert len(variables) > 12
        for variable in variables:
            assert f"${{{variable}:-" in scripts, variable


def test_the_gateway_has_the_limits_of_the_composition():
    script = (CHECKOUT / "deploy/nginx/render").read_text()
    defaults = dict(re.findall(r"\$\{(MARU_GATEWAY_\w+):-([^}]*)\}", script))
    variables = environment(rendered("stores").pods()["gateway"])
    limits = [each for each in variables if re.search("_PER_|LARGEST_BODY|HSTS", each)]
    assert len(limits) == 5
    assert {each: variables[each] for each in limits} == {each: defaults[each] for each in limits}
    compose = (CHECKOUT / "docker-compose.yml").read_text()
    assert f"${{MARU_GATEWAY_WORKERS:-{variables['MARU_GATEWAY_WORKERS']}}}" in compose


@every_file
def test_no_service_gets_settings_that_it_did_not_ask_for(name):
    """Kubernetes would set MARU_CHAT_SERVICE_PORT for a Service maru-chat-service, and no service starts with that."""
    assert all(pod["enableServiceLinks"] is False for pod in rendered(name).pods().values())


@every_file
def test_services_and_gateway_find_each_other_by_names_that_exist(name):
    result = rendered(name)
    ports = {
        each["metadata"]["name"]: {port["name"]: port["port"] for port in each["spec"]["ports"]}
        for each in result.objects
        if each["kind"] == "Service" and each["spec"].get("clusterIP") == "None"
    }
    for program in PROGRAMS.values():
        variables = environment(result.pods()[program])
        for peer in ("AUTH", "WORKSPACE", "CHAT", "PAYMENT"):
            host, port = re.fullmatch(r"http://([\w-]+):(\d+)", variables[f"MARU_{peer}_URL"]).groups()
            assert int(port) == ports[host]["internal"] and host.split("-")[1] == peer.lower()
    looked_up = dict(re.findall(r'"\$\{(MARU_GATEWAY_\w+_NAME):-[\w-]+\}" (\d+)', (CHECKOUT / "deploy/nginx/entry").read_text()))
    variables = environment(result.pods()["gateway"])
    assert len(looked_up) == 5
    for variable, port in looked_up.items():
        assert int(port) == ports[variables[variable]]["public"], variable


@every_file
def test_addresses_are_the_ports_of_the_pod(name):
    for part, pod in rendered(name).pods().items():
        ports = {port["name"]: port["containerPort"] for port in container(pod)["ports"]}
        variables = environment(pod)
        if part == "console":
            expected = {"CONSOLE_LISTEN": "console", "STATUS_LISTEN": "status"}
            assert all(variables[f"MARU_GATEWAY_{key}"] == f"0.0.0.0:{ports[port]}" for key, port in expected.items())
        elif part == "gateway":
            expected = {"LISTEN": "http", "TLS_LISTEN": "https", "STATUS_LISTEN": "status"}
            assert all(variables[f"MARU_GATEWAY_{key}"] == f"0.0.0.0:{ports[port]}" for key, port in expected.items())
        else:
            assert variables["MARU_PUBLIC_ADDRESS"] == f"0.0.0.0:{ports['public']}"
            assert variables["MARU_INTERNAL_ADDRESS"] == f"0.0.0.0:{ports['internal']}"


@every_file
def test_gateways_reach_each_other_at_the_address_of_the_pod(name):
    pods = rendered(name).pods()
    pod = pods["realtime-gateway"]
    variables = environment(pod)
    (internal,) = [port["containerPort"] for port in container(pod)["ports"] if port["name"] == "internal"]
    assert variables["MARU_NODE_ADDRESS"] == f"$(POD_IP):{internal}"
    # Kubernetes replaces a reference only by a variable before it.
    assert list(variables).index("POD_IP") < list(variables).index("MARU_NODE_ADDRESS")
    assert variables["POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    for program in PROGRAMS.values():
        # A pod's name is longer than a node's may be, so each start makes up a name. No pods share ports.
        assert not {"MARU_NODE", "MARU_SHARED_PORTS", "MARU_INSTANCE_ADDRESS"} & environment(pods[program]).keys()


@every_file
def test_a_pod_may_take_as_long_as_its_drain(name):
    result = rendered(name)
    # compose gives a service this much time beyond drain_timeout.
    compose = (CHECKOUT / "docker-compose.yml").read_text()
    beyond = int(re.search(r"stop_grace_period: (\d+)s", compose)[1]) - default_of("drain_timeout")
    keepalive = int(re.search(r"keepalive_timeout (\d+)s;\"", (CHECKOUT / "deploy/nginx/render").read_text())[1])
    assert beyond == 15 and keepalive == 5
    for part, pod in result.pods().items():
        if part == "console":
            # Nobody has to notice its end.
            assert pod["terminationGracePeriodSeconds"] >= int(environment(pod)["MARU_GATEWAY_STOP_SECONDS"]) + 5
            continue
        command = container(pod)["lifecycle"]["preStop"]["exec"]["command"]
        assert command[0] == "sleep"
        variables, notice = environment(pod), int(command[1])
        if part == "gateway":
            drain, after = int(variables["MARU_GATEWAY_STOP_SECONDS"]), 10
        else:
            calls, sockets = seconds(variables["MARU_DRAIN_TIMEOUT"]), seconds(variables.get("MARU_DRAIN_WINDOW", "0s"))
            drain, after = max(calls, sockets), beyond
            assert seconds(variables["MARU_DRAIN_IDLE"]) > keepalive
        assert pod["terminationGracePeriodSeconds"] >= notice + drain + after, part


def test_the_drain_times_are_the_defaults_of_the_services():
    assert DEFAULTS["drain"]["calls"] == default_of("drain_timeout")
    assert DEFAULTS["drain"]["idle"] == default_of("drain_idle")
    gateway = (CHECKOUT / "Services/realtime-gateway/GatewaySettings.swift").read_text()
    assert f'"drain_window", default: Duration.seconds({DEFAULTS["drain"]["sockets"]})' in gateway
    # CoreDNS keeps names for up to 30 s, and the gateway looks them up every two.
    assert DEFAULTS["drain"]["notice"] > 30 + 2


def test_each_service_sees_its_own_secrets_and_no_others():
    pods = rendered("stores").pods()
    for key, program in PROGRAMS.items():
        (volume,) = [each["secret"] for each in pods[program]["volumes"] if each["name"] == "secrets"]
        assert {each["path"]: each["key"] for each in volume["items"]} == {
            "database_url": f"{key}-database-url",
            "redis_url": "redis-url",
            "service_credential": "service-credential",
            "gateway_credential": "gateway-credential",
            "operator_credential": "operator-credential",
        }
        assert volume["defaultMode"] == 0o440
        for variable, value in environment(pods[program]).items():
            assert not variable.endswith("_FILE") or value.startswith(("/secrets/", "/etc/maru/", "/etc/maru-operators/", "/providers/"))
            assert "example.com" not in str(value), variable
    (volume,) = [each["secret"] for each in pods["gateway"]["volumes"] if each["name"] == "secrets"]
    assert [each["key"] for each in volume["items"]] == ["gateway-credential"]


def test_services_read_the_operators_of_the_values_without_new_pods():
    operators = "anna operator " + "ab" * 32 + " 2026-11-26\nben viewer " + "cd" * 32 + "\n"
    given = render(operators=operators)
    (config,) = given.kind("ConfigMap")["operators"]
    assert config["data"] == {"operators": operators}
    for program in PROGRAMS.values():
        pod = given.pods()[program]
        (volume,) = [each for each in pod["volumes"] if each["name"] == "operators"]
        assert volume["configMap"] == {"name": config["metadata"]["name"]}
        (mount,) = [each for each in container(pod)["volumeMounts"] if each["name"] == "operators"]
        assert environment(pod)["MARU_OPERATORS_FILE"] == mount["mountPath"] + "/operators"
    templates = [each["spec"]["template"]["metadata"] for (each,) in given.kind("Deployment").values()]
    assert templates == [each["spec"]["template"]["metadata"] for (each,) in render().kind("Deployment").values()]
    for wrong in ("anna king " + "ab" * 32, "anna operator abc"):
        with pytest.raises(Exception, match="operators"):
            render(operators=wrong)


def test_the_secret_holds_the_given_values_and_random_credentials():
    (secret,) = rendered("stores").kind("Secret")["secrets"]
    data = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
    given = VALUES["stores"]["secrets"]
    assert {key.removesuffix("-database-url"): data[key] for key in data if "database" in key} == given["databaseUrls"]
    assert data["redis-url"] == given["redisUrl"]
    shortest = int(re.search(r'"service_credential", charactersAtLeast: (\d+)', COMMON)[1])
    credentials = [data[f"{name}-credential"] for name in ("service", "gateway", "operator")]
    for credential in credentials:
        assert len(credential) >= shortest and credential.isalnum()
    assert len(set(credentials)) == 3
    assert secret["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    (again,) = render(secrets={"serviceCredential": "s" * 40, "gatewayCredential": "g" * 40}).kind("Secret")["secrets"]
    assert base64.b64decode(again["data"]["service-credential"]) == b"s" * 40
    assert not rendered("own").kind("Secret")
    for part, pod in rendered("own").pods().items():
        if part == "console":
            continue
        assert [each["secret"]["secretName"] for each in pod["volumes"] if each["name"] == "secrets"] == ["maru-credentials"]


def test_new_secrets_and_profiles_replace_the_pods_and_a_random_credential_does_not():
    def annotations(result):
        return {
            part: each["spec"]["template"]["metadata"].get("annotations") for part, (each,) in result.kind("Deployment").items()
        }

    before = annotations(render())
    assert annotations(render()) == before
    for change in ({"secrets": {"gatewayCredential": "g" * 40}}, {"clients": {"content": "{}"}}):
        after = annotations(render(**change))
        # The console uses neither.
        assert all(after[part] != before[part] for part in before if part != "console"), change


def test_settings_of_all_services_and_of_one_are_merged():
    pods = rendered("own").pods()
    for program in PROGRAMS.values():
        assert environment(pods[program])["MARU_LOG_LEVEL"] == "debug"
        assert environment(pods[program])["MARU_USER_RATE"] == "100"
        assert ("MARU_FILE_SIZE" in environment(pods[program])) == (program == "chat-service")
    assert {part for part, pod in pods.items() if any(each["name"] == "providers" for each in pod["volumes"])} == {
        "realtime-gateway",
        "payment-service",
    }
    assert environment(rendered("tls").pods()["realtime-gateway"])["MARU_ALLOWED_ORIGINS"].count(",") == 1


def test_large_numbers_are_written_with_all_their_digits():
    assert environment(rendered("tls").pods()["gateway"])["MARU_GATEWAY_HSTS"] == "31536000"
    given = {"workspace_daily_messages": 20000000, "image_pixels": "1000000", "user_dms": 500, "log_sample": 0.25, "edit_window": "5m"}
    result = render(services={"chat": {"settings": given}}, gateway={"limits": {"requestsPerAddress": 1000000}})
    chat, gateway = (environment(result.pods()[part]) for part in ("chat-service", "gateway"))
    assert [chat[f"MARU_{name.upper()}"] for name in given] == ["20000000", "1000000", "500", "0.25", "5m"]
    assert gateway["MARU_GATEWAY_REQUESTS_PER_ADDRESS"] == "1000000"


@pytest.mark.parametrize("setting", ["drain_timeout", "public_address", "database_url", "node", "loops", "shared_ports"])
def test_a_setting_that_the_chart_owns_cannot_be_set_beside_it(setting):
    with pytest.raises(helm_python.HelmError, match=rf"services.auth.settings.{setting}: the chart sets it"):
        render(services={"auth": {"settings": {setting: "1"}}})


def test_values_that_need_more_connections_than_postgres_has_are_refused():
    configured = re.search(r"^max_connections = (\d+)$", (CHECKOUT / "deploy/postgres/postgresql.conf").read_text(), re.MULTILINE)
    assert DEFAULTS["postgres"]["connectionLimit"] == int(configured[1])
    per_loop = default_of("database_connections")
    options = {key: {**DEFAULTS["services"]["common"], **DEFAULTS["services"][key]} for key in PROGRAMS}
    needed = 0
    for key, each in options.items():
        most = {**DEFAULTS["services"]["common"]["autoscaling"], **each["autoscaling"]}["maxReplicas"]
        # One instance more during an update, and one connection more of chat-service, as docs/operations.md says.
        needed += (most + 1) * (each["loops"] * per_loop + (key == "chat"))
    render(postgres={"connectionLimit": needed})
    with pytest.raises(helm_python.HelmError, match=f"could open {needed} connections"):
        render(postgres={"connectionLimit": needed - 1})
    render(postgres={"connectionLimit": 0}, services={"common": {"loops": 64}})


def test_the_notes_say_where_the_product_is_and_what_is_missing():
    assert f"kubectl --namespace {NAMESPACE} port-forward service/maru-gateway" in rendered("stores").notes
    assert "WARNING: the API keys are those for development" in rendered("stores").notes
    assert "https://chat.example.com/v1" in rendered("tls").notes
    assert "WARNING" not in rendered("own").notes and "get service maru-gateway" in rendered("many").notes
