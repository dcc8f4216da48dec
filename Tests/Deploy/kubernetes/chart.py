"""Renders the chart with Helm's own engine, and finds objects in the result."""

import functools
import json
import pathlib
import re

import helm_python
import yaml

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
CHART = CHECKOUT / "deploy/kubernetes/maru"
VALUES = {path.stem: yaml.safe_load(path.read_text()) for path in (pathlib.Path(__file__).parent / "values").glob("*.yaml")}
NAMESPACE = "chat"
PROGRAMS = {
    "auth": "auth-service",
    "workspace": "workspace-service",
    "chat": "chat-service",
    "realtime": "realtime-gateway",
    "payment": "payment-service",
}
# The parts that run nginx.
NGINX = ("gateway", "console")


class Rendered:
    """The objects of one release."""

    def __init__(self, values, release):
        with helm_python.Chart.load(str(CHART)) as chart:
            self.texts = chart.render(values, name=release, namespace=NAMESPACE)
        self.notes = self.texts.pop("maru/templates/NOTES.txt")
        self.objects = [each for text in self.texts.values() for each in yaml.load_all(text, yaml.CSafeLoader) if each]

    def kind(self, name):
        """Returns the objects of a kind by the part that they belong to."""
        found = {}
        for each in self.objects:
            if each["kind"] == name:
                found.setdefault(each["metadata"]["labels"]["app.kubernetes.io/component"], []).append(each)
        return found

    def named(self, kind, name):
        return next((each for each in self.objects if (each["kind"], each["metadata"]["name"]) == (kind, name)), None)

    def deployment(self, part):
        (deployment,) = self.kind("Deployment")[part]
        return deployment

    def pods(self):
        """Returns the pods' specifications by part."""
        return {part: each["spec"]["template"]["spec"] for part, (each,) in self.kind("Deployment").items()}

    def pod_labels(self):
        return {part: each["spec"]["template"]["metadata"]["labels"] for part, (each,) in self.kind("Deployment").items()}


@functools.cache
def rendered(name, release="maru"):
    """Returns the objects for a file of values."""
    return Rendered(VALUES[name], release)


def render(**values):
    """Renders the chart with changes of the values that need the least."""
    return Rendered(merge(VALUES["stores"], values), "maru")


def merge(base, change):
    result = json.loads(json.dumps(base))
    for key, value in change.items():
        result[key] = merge(result[key], value) if isinstance(value, dict) and isinstance(result.get(key), dict) else value
    return result


def container(pod):
    (only,) = pod["containers"]
    return only


def environment(pod):
    """Returns the variables of a pod's container with their values or sources."""
    variables = container(pod).get("env", [])
    assert len({each["name"] for each in variables}) == len(variables)
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in variables}


def settings(program):
    """Returns the names of all settings of a service, and of those that a file can hold, by the sources."""
    paths = [CHECKOUT / "Shared/ServiceKit/Service/CommonSettings.swift", *(CHECKOUT / "Services" / program).glob("**/*.swift")]
    # Settings that some services share.
    paths += (CHECKOUT / "Shared/ServiceKit").glob("**/*.swift")
    text = "\n".join(path.read_text() for path in paths)
    declared = re.findall(r'ConfigKey(<\w+\??>)?\(\s*"(\w+)"(?:, default: (Secret)?)?', text)
    return {name for _, name, _ in declared}, {name for kind, name, default in declared if "Secret" in kind + default}


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])
