"""The reference of the API at /docs: its documents are valid and complete, and the product keeps to them."""

import json
import os
import re
import subprocess
import sys

import examples
import jsonschema
import openapi_spec_validator
import pytest
import reference
from app import App
from asyncapi3.models.asyncapi import AsyncAPI3
from generated_calls import KEYS, GeneratedCalls
from waiting import patiently

each_form = pytest.mark.parametrize("form", reference.FORMS)
# Of generated calls; a full run makes more.
IS_FULL = bool(os.environ.get("MARU_FULL"))
EXAMPLES = 8 if IS_FULL else 2


@each_form
def test_openapi_spec_validator_accepts_the_document(product, form):
    document = reference.document(product.base, f"openapi-{form}")
    openapi_spec_validator.validate(document)
    assert document["openapi"].startswith("3.1")
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"] and operation["tags"] and len(operation["responses"]) >= 2


def test_the_document_of_sockets_is_asyncapi_3(product):
    document = reference.document(product.base, "asyncapi")
    AsyncAPI3.model_validate(document)
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for channel in document["channels"].values():
        for message in channel["messages"].values():
            jsonschema.Draft202012Validator.check_schema(message["payload"])


@pytest.mark.parametrize("name", [*(f"openapi-{form}" for form in reference.FORMS), "asyncapi"])
def test_every_reference_within_a_document_has_its_target(product, name):
    document = reference.document(product.base, name)

    def targets(value):
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for each in value.values():
                yield from targets(each)
        elif isinstance(value, list):
            for each in value:
                yield from targets(each)

    found = set(targets(document))
    assert found
    for target in found:
        place = document
        for step in target.removeprefix("#/").split("/"):
            place = place[step]


def test_the_product_serves_the_routes_of_the_reference_and_no_other(product):
    described = set()
    for form in reference.FORMS:
        for path, methods in reference.document(product.base, f"openapi-{form}")["paths"].items():
            described |= {(method.upper(), path) for method in methods}
    served = set()
    for place in range(5):
        served |= set(re.findall(r'method="(\w+)",route="(/v1[^"]+)"', product.metrics(place)))
    # Payment providers call these.
    served = {each for each in served if not each[1].startswith("/v1/webhooks/")}
    assert served - described == set(), "describe them in the folder Reference of their service"
    assert described - served == set()


def test_the_documents_name_the_version_that_runs_and_nothing_outside(product):
    for name in ("native", "2024-07", "2024-01", "events", ""):
        page = App(product, "native").session.get(f"{product.base}/docs/{name}", timeout=patiently(20))
        assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
        assert not re.search(r'(src|href)="(https?:)?//', page.text)
        policy = page.headers["Content-Security-Policy"]
        assert "script-src 'self';" in policy and "default-src 'none'" in policy
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=", page.text), "the policy forbids inline code"


@each_form
def test_made_up_calls_get_replies_of_the_reference_and_no_fault_of_the_server(product, form, tmp_path):
    calls = GeneratedCalls(product, form)
    config = tmp_path / "schemathesis.toml"
    config.write_text(calls.configuration())
    program = [sys.executable, "-m", "schemathesis.cli", "--config-file", config, "run"]
    options = [
        f"{product.base}/docs/openapi-{form}.json", "--header", f"SesacKey:{KEYS[form]}",
        "--header", f"Authorization:{calls.owner.token}", "--phases", "examples,fuzzing",
        "--max-examples", str(EXAMPLES),
        "--checks",
        "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        "--seed", "7", "--no-shrink", "--request-timeout", str(round(patiently(20))), "--suppress-health-check", "all", "--warnings", "off",
        "--report", "json", "--report-json-path", str(tmp_path / "report.json"),
    ]
    result = subprocess.run([*program, *options], capture_output=True, text=True, timeout=patiently(250), cwd=tmp_path)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["operations"]["tested"] == report["operations"]["total"], report["operations"]
    # These had something to delete, and deleted it.
    rates = {name: [rate["accepted"] for rate in phases.values()] for name, phases in report["valid_rates"].items()}
    assert not {name for name in calls.succeed if not any(rates.get(name, []))}, rates


@each_form
def test_every_example_has_the_form_of_its_route(product, form):
    documented = reference.document(product.base, f"openapi-{form}")
    schemas = reference.Schemas(documented)
    for route, example in examples.stored()[form].items():
        method, path = route.split(" ")
        operation = documented["paths"][path][method.lower()]
        content = operation["responses"][example["status"]]["content"]
        schemas.hold(example["reply"], content["application/json"]["schema"], f"the example of {route}")
        if example["request"] is not None:
            body = operation["requestBody"]["content"]["application/json"]
            schemas.hold(example["request"], body["schema"], f"the body of the example of {route}")


def test_every_example_is_a_call_that_a_test_makes(pytestconfig):
    if examples.RECORDS:
        examples.write()
    stale = []
    for form, routes in examples.stored().items():
        for route, example in routes.items():
            made = examples.made.get((form, route), set())
            # A part of the tests makes only some of the calls.
            if pytestconfig.is_whole and examples.shape(example) not in made:
                stale.append(f"{form} {route}")
    assert not stale, f"no test makes these calls; record them again with MARU_RECORD_EXAMPLES=1: {stale}"


def test_every_route_with_a_reply_has_an_example(product):
    missing = []
    for form in reference.FORMS:
        for path, methods in reference.document(product.base, f"openapi-{form}")["paths"].items():
            for method, operation in methods.items():
                replies = [reply for status, reply in operation["responses"].items() if status.startswith("2")]
                contents = [each["content"]["application/json"] for each in replies if "application/json" in each.get("content", {})]
                if contents and not any("example" in each for each in contents):
                    missing.append(f"{form} {method.upper()} {path}")
    assert not missing, f"make a successful call in Tests/Conformance, and record it with MARU_RECORD_EXAMPLES=1: {missing}"
