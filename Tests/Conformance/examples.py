"""The examples of the reference: calls that the conformance tests have made, one for each route.

`MARU_RECORD_EXAMPLES=1 .venv/bin/pytest Tests/Conformance` writes them to docs/examples.json, from where
deploy/lib/publish-reference puts them into the documents.
"""

import json
import os
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parents[2] / "docs/examples.json"
RECORDS = bool(os.environ.get("MARU_RECORD_EXAMPLES"))
# The forms of the calls that this run has made, by form of clients and route.
made = {}
recorded = {}


def note(form, route, status, body, reply):
    """Notes a successful call."""
    example = {"status": status, "request": shown(body), "reply": shown(reply)}
    made.setdefault((form, route), set()).add(shape(example))
    routes = recorded.setdefault(form, {})
    # A later call may show more, such as a member that may be absent.
    if len(json.dumps(example)) > len(json.dumps(routes.get(route, ""))) and len(json.dumps(example)) < 4000:
        routes[route] = example


def shown(value, name=""):
    """The value as an example: lists have one element, and there are no secrets."""
    if isinstance(value, dict):
        return {key: shown(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [shown(each, name) for each in value[:1]]
    if isinstance(value, str):
        if "oken" in name and not name.endswith("_id") or name in ("secret", "ticket", "recoveryCodes", "url", "link"):
            return value[:8] + "..."
        if "@" in value and "." in value:
            return re.sub(r"\S+@\S+", "anna@example.com", value)
        return value if len(value) <= 200 else value[:20]
    return value


def shape(value):
    """A text that is equal for values of one form with other ids, times and texts."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{shape(each)}" for key, each in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(shape(each) for each in value[:1]) + "]"
    return type(value).__name__


def stored():
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def write():
    """Writes the calls of this run, and keeps the stored ones of other routes."""
    kept = stored()
    for form, routes in sorted(recorded.items()):
        kept[form] = dict(sorted((kept.get(form, {}) | routes).items()))
    FILE.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
