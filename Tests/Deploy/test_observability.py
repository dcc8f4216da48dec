"""Dashboards and alerts use metrics that exist, and alerts fire when they should."""

import json
import re
import subprocess

from gateway import CHECKOUT

OBSERVED = [*CHECKOUT.glob("deploy/prometheus/rules/*.yml"), *CHECKOUT.glob("deploy/grafana/dashboards/*.json")]


SOURCES = "\n".join(path.read_text() for folder in ("Shared", "Services") for path in CHECKOUT.glob(f"{folder}/**/*.swift"))


# The gateway writes its metrics itself.
GATEWAY = (CHECKOUT / "deploy/nginx/nginx.conf").read_text()


def known_metrics():
    written = re.findall(r'(?:begin|counter|gauge|histogram)\(\s*"((?:maru|process)_[a-z_]+)"', SOURCES)
    return {*written, *re.findall(r"# TYPE (\w+)", GATEWAY)}


def test_every_used_metric_exists():
    known = known_metrics()
    for path in OBSERVED:
        for name in re.findall(r"\b(?:maru|process)_[a-z_]+\b", path.read_text()):
            assert re.sub(r"_(bucket|sum|count)$", "", name) in known, f"{path.name} uses {name}"


def test_every_used_label_exists():
    jobs = set(re.findall(r"job_name: (\S+)", (CHECKOUT / "deploy/prometheus/prometheus.yml").read_text()))
    looked_for = set()
    for path in OBSERVED:
        for label, values in re.findall(r'\b([a-z_]+)=~?\\?"([^"\\$]+)', path.read_text()):
            looked_for |= {(label, value) for value in values.split("|")}
    assert {label for label, _ in looked_for} == {"job", "outcome", "code", "state", "queue"}
    for label, value in looked_for:
        assert value in jobs if label == "job" else f'"{value}"' in SOURCES.replace("\\", "") + GATEWAY.replace("\\", ""), f'{label}="{value}"'


def test_the_operations_page_lists_every_metric():
    page = (CHECKOUT / "docs/operations.md").read_text().split("## Metrics")[1].split("\n## ")[0]
    listed = set(re.findall(r"`(maru_[a-z_]+)", "".join(re.findall(r"^\| (`maru_.*?) \|", page, re.MULTILINE))))
    assert listed == {name for name in known_metrics() if name.startswith("maru_")}


def test_dashboards_use_the_recorded_rules_and_the_provisioned_source():
    for path in CHECKOUT.glob("deploy/grafana/dashboards/*.json"):
        dashboard = json.loads(path.read_text())
        assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
        for panel in dashboard["panels"]:
            assert panel["datasource"]["uid"] == "prometheus" and panel["targets"][0]["expr"]


def test_every_alert_has_a_test_and_a_row_on_the_operations_page():
    alerts = re.findall(r"- alert: (\w+)", "\n".join(path.read_text() for path in OBSERVED if path.suffix == ".yml"))
    assert len(set(alerts)) == len(alerts) > 10
    fired = re.findall(r"alertname: (\w+)\n +exp_alerts:", (CHECKOUT / "Tests/Deploy/alerts.yml").read_text())
    assert set(fired) == set(alerts)
    page = (CHECKOUT / "docs/operations.md").read_text()
    assert all(f"`{alert}`" in page for alert in alerts)


def test_alerts_fire_when_they_should_and_not_before():
    result = subprocess.run(
        ["promtool", "test", "rules", CHECKOUT / "Tests/Deploy/alerts.yml"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_severity_has_a_receiver():
    text = (CHECKOUT / "deploy/prometheus/alertmanager.yml").read_text()
    receivers = set(re.findall(r"^  - name: (\S+)$", text, re.MULTILINE))
    assert set(re.findall(r"receiver: (\S+)", text)) == receivers == {"on-call", "tickets"}
    rules = (CHECKOUT / "deploy/prometheus/rules/services.yml").read_text()
    assert set(re.findall(r"severity: (\w+)", rules)) == {"page", "ticket"}
    assert 'severity="page"' in text
    alerts = set(re.findall(r"- alert: (\w+)", rules))
    assert set(re.findall(r"[A-Z]\w+", " ".join(re.findall(r"alertname=~?\"([^\"]+)", text)))) <= alerts
