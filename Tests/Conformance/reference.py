"""The reference of the API as the product serves it, and the check of every call and event of the tests against it."""

import json
import re
from functools import cache
from urllib.parse import parse_qsl, urlsplit

import examples
import jsonschema_rs
import requests
from waiting import patiently

FORMS = ("2024-01", "2024-07", "native")
# A signed URL is used as it is, and one app sends a parameter that no route reads.
UNDESCRIBED = {"user", "session", "expires", "signature", "userID"}


@cache
def document(base, name):
    reply = requests.get(f"{base}/docs/{name}.json", timeout=patiently(20))
    assert reply.status_code == 200, f"/docs has no {name}: {reply.status_code}"
    return reply.json()


@cache
def reference(base, form):
    return Reference(document(base, f"openapi-{form}"), form)


@cache
def sockets(base):
    return Sockets(document(base, "asyncapi"))


def closed(schema):
    """The schema with objects that have no other members than those that it lists. The reference itself lets the server
    add members; the tests notice those that nobody described."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: closed(value) for key, value in schema.items()}
    if copied.get("type") == "object" and isinstance(copied.get("properties"), dict):
        copied["additionalProperties"] = False
    return copied


class Schemas:
    """The schemas of a document, with closed objects."""

    def __init__(self, document):
        self.components = closed(document["components"]["schemas"])
        self.validators = {}

    def hold(self, value, schema, what):
        text = json.dumps(schema)
        if text not in self.validators:
            whole = closed(schema) | {"components": {"schemas": self.components}}
            self.validators[text] = jsonschema_rs.Draft202012Validator(whole)
        for fault in self.validators[text].iter_errors(value):
            path = "/".join(map(str, fault.instance_path))
            shown = json.dumps(value, ensure_ascii=False)[:600]
            raise AssertionError(f"{what} is not as the reference says: {fault.message} at /{path} of {shown}")


class Reference:
    """The routes of one form of clients."""

    def __init__(self, document, form):
        self.form = form
        self.schemas = Schemas(document)
        self.operations = []
        for template, methods in document["paths"].items():
            # A name or an emoji may hold anything but a slash.
            path = re.compile("[^/]+".join(map(re.escape, re.split(r"{\w+}", template))))
            letters = len(re.sub(r"{\w+}", "", template))
            for method, operation in methods.items():
                self.operations.append((letters, method.upper(), path, template, operation))
        # Of two that fit, the one with more letters is meant: `/users/me`, not `/users/{id}`.
        self.operations.sort(key=lambda each: -each[0])

    def find(self, method, path):
        for _, each, pattern, template, operation in self.operations:
            if each == method and pattern.fullmatch(path):
                return template, operation
        return None, None

    def hold(self, reply):
        """Fails unless a call and its reply are as the reference says."""
        request = reply.request
        url = urlsplit(request.url)
        template, operation = self.find(request.method, url.path)
        call = f"{request.method} {url.path}"
        if operation is None:
            assert reply.status_code >= 400, f"{call} is not in the reference"
        elif reply.status_code >= 400:
            self.hold_failure(reply, operation, call)
        else:
            body = self.hold_success(reply, operation, call, {name for name, _ in parse_qsl(url.query, True)})
            if "json" in reply.headers.get("Content-Type", ""):
                route = f"{request.method} {template}"
                examples.note(self.form, route, str(reply.status_code), body, reply.json())

    def hold_success(self, reply, operation, call, parameters):
        """Returns the body of the call, if it is JSON that the reference describes."""
        status = str(reply.status_code)
        assert status in operation["responses"], f"{call}: status {status} is not in the reference"
        content = operation["responses"][status].get("content", {})
        if "application/json" in content:
            self.schemas.hold(reply.json(), content["application/json"]["schema"], f"the reply of {call}")
        known = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"} | UNDESCRIBED
        assert parameters <= known, f"{call}: the parameters {parameters - known} are not in the reference"
        request = reply.request
        if request.body and "json" in request.headers.get("Content-Type", ""):
            described = operation.get("requestBody", {}).get("content", {}).get("application/json")
            # Some apps send an empty object where the route reads nothing.
            schema = described["schema"] if described else {"type": "object", "properties": {}}
            body = json.loads(request.body)
            self.schemas.hold(body, schema, f"the body of {call}")
            return body if described else None
        return None

    def hold_failure(self, reply, operation, call):
        if "json" not in reply.headers.get("Content-Type", ""):
            return
        body = reply.json()
        self.schemas.hold(body, {"$ref": "#/components/schemas/Failure"}, f"the refusal of {call}")
        codes = set(re.findall(r"`(E\d\d)`", json.dumps(operation["responses"])))
        assert body["errorCode"] in codes, f"{call}: the reference has no {body['errorCode']}, {body.get('detail')}"


class Sockets:
    """The events of sockets."""

    def __init__(self, document):
        self.channels = document["channels"]
        self.schemas = Schemas(document)

    def hold(self, channel, message, argument):
        messages = self.channels[channel]["messages"]
        assert message in messages, f"the reference has no event {message} of {channel}"
        self.schemas.hold(argument, messages[message]["payload"], f"the event {message} of {channel}")
