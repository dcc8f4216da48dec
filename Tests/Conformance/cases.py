"""The requests of the route tests: for each route one that succeeds, and wrong ones with their error codes."""

import copy
import dataclasses
from urllib.parse import quote

from app import App

MISSING = object()


@dataclasses.dataclass
class Request:
    """A call of a route. The world supplies the values that are not set here."""

    by: App = None
    at: dict = dataclasses.field(default_factory=dict)
    query: str = ""
    json: object = None
    form: dict = None
    files: list = dataclasses.field(default_factory=list)
    headers: dict = dataclasses.field(default_factory=dict)
    data: object = None
    # The refusal comes before the API key is checked.
    is_unread: bool = False

    def changed(self, **changes):
        return dataclasses.replace(copy.copy(self), **changes)

    def with_field(self, name, value):
        """Returns the same request with another value of a field, or without the field."""
        kind = "json" if self.json is not None else "form"
        fields = dict(getattr(self, kind))
        if value is MISSING:
            fields.pop(name, None)
        else:
            fields[name] = value
        return self.changed(**{kind: fields})

    @property
    def has_body(self):
        return self.json is not None or self.form is not None or bool(self.files)

    def send(self, world, route):
        path = route.path
        for name in route.parameters:
            path = path.replace("{" + name + "}", str(self.at[name] if name in self.at else world.place(name)))
        body = {}
        if self.data is not None:
            body["data"] = self.data
        elif self.json is not None:
            body["json"] = self.json
        elif self.form is not None or self.files:
            body["files"] = [(name, (None, text)) for name, text in (self.form or {}).items()] + self.files
        by = self.by or (world.anybody if route.is_open else world.owner)
        body["headers"] = self.headers
        return by.send(route.method, path + self.query, as_others=self.is_unread, **body)


GOOD, WRONG, EFFECT = {}, {}, {}


def good(*routes):
    """Marks the function that makes a successful request for these routes."""

    def note(make):
        for route in routes:
            GOOD[route] = make
        return make

    return note


def wrong(*routes):
    """Marks a function that yields wrong requests for these routes, each as (code, fault, request)."""

    def note(make):
        for route in routes:
            WRONG.setdefault(route, []).append(make)
        return make

    return note


def effect(*routes):
    """Marks a function that checks the content of the reply of these routes."""

    def note(check):
        for route in routes:
            EFFECT[route] = check
        return check

    return note


def texts(request, name, longest=None, required=True, may_be_empty=False):
    """Yields requests with each kind of wrong text."""
    if required:
        yield "E11", f"{name} is missing", request.with_field(name, MISSING)
    if not may_be_empty:
        yield "E11", f"{name} is empty", request.with_field(name, "")
    if longest:
        yield "E11", f"{name} is too long", request.with_field(name, "가" * (longest + 1))
    if request.json is not None:
        if required:
            yield "E11", f"{name} is null", request.with_field(name, None)
        for value in (7, True, ["text"], {"text": "text"}):
            yield "E11", f"{name} is {value}", request.with_field(name, value)
        yield "E11", f"{name} holds NUL", request.with_field(name, "a\0b")


def ids(request, name):
    """Yields requests with each kind of wrong id in the body."""
    yield "E11", f"{name} is missing", request.with_field(name, MISSING)
    for value in (None, "", "not-an-id", "1.5", True, [1], {}):
        yield "E11", f"{name} is {value}", request.with_field(name, value)
    yield "E13", f"{name} is unknown", request.with_field(name, "999999999")


BAD_IDS = ["not-an-id", "0", "-1", "1.5", "%20", "9223372036854775806", "99999999999999999999999999", "%FF"]
BAD_NAMES = [quote("없는 방"), "n" * 400, "%FF", "%2F"]


def wrong_places(world, route, request):
    """Yields requests with an impossible or unknown id in each parameter of the path."""
    for name in route.parameters:
        bad = BAD_NAMES if name == "channel" and world.is_first else BAD_IDS
        if name == "file":
            bad = ["nothing.png", "note_nothing.txt", "..%2Fsecret", "x" * 300]
        for value in bad:
            if value == "0" and route.name == "GET /users/{user}":
                # The system's owner answers as a member.
                continue
            yield "E13", f"{name} is {value[:40]}", request.changed(at=request.at | {name: value})
        # Not a valid request target. The API gateway refuses it before it reads the API key.
        yield "E11", f"{name} is NUL", request.changed(at=request.at | {name: "1%00"}, is_unread=True)
