"""Dashboards and alerts speak of metrics that exist, and alerts fire when they should."""

import json
import re
import subprocess

from gateway import CHECKOUT

OBSERVED = [*CHECKOUT.glob("deploy/prometheus/rules/*.yml"), *CHECKOUT.glob("deploy/grafana/dashboards/*.json")]


def test_every_metric_that_is_looked_at_is_one_that_a_service_has():
    sources = [*CHECKOUT.glob("Shared/**/*.swift"), *CHECKOUT.glob("Services/**/*.swift")]
    known = set(re.findall(r'"((?:maru|process)_[a-z_]+)"', "\n".join(path.read_text() for path in sources)))
    for path in OBSERVED:
        for name in re.findall(r"\b(?:maru|process)_[a-z_]+\b", path.read_text()):
            assert re.sub(r"_(bucket|sum|count)$", "", name) in known, f"{path.name} asks for {name}"


def test_a_dashboard_reads_what_the_rules_and_the_provisioning_name():
    for path in CHECKOUT.glob("deploy/grafana/dashboards/*.json"):
        dashboard = json.loads(path.read_text())
        assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
        for panel in dashboard["panels"]:
            assert panel["datasource"]["uid"] == "prometheus" and panel["targets"][0]["expr"]


def test_alerts_fire_when_they_should_and_not_before():
    result = subprocess.run(
        ["promtool", "test", "rules", CHECKOUT / "Tests/Deploy/alerts.yml"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
