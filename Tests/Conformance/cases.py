"""What the tests of routes send: for each route a request that succeeds, and wrong ones with the code that they get."""

import copy
import dataclasses
from urllib.parse import quote

from app import App

MISSING = object()


@dataclasses.dataclass
class Request:
    """A call of a route; what is not said here the world fills in."""

    by: App = None
    at: dict = dataclasses.field(default_factory=dict)
    query: str = ""
    json: object = None
    form: dict = None
    files: list = dataclasses.field(default_factory=list)
    headers: dict = dataclasses.field(default_factory=dict)
    data: object = None
    # The refusal comes before the API key is looked at.
    is_unread: bool = False

    def changed(self, **changes):
        return dataclasses.replace(copy.copy(self), **changes)

    def with_field(self, name, value):
        """The same with another value of a field, or without it."""
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
    """Marks what makes the request of these routes that succeeds."""

    def note(make):
        for route in routes:
            GOOD[route] = make
        return make

    return note


def wrong(*routes):
    """Marks what makes wrong requests of these routes, each as (code, what is wrong, request)."""

    def note(make):
        for route in routes:
            WRONG.setdefault(route, []).append(make)
        return make

    return note


def effect(*routes):
    """Marks what looks at the reply of these routes beyond its form."""

    def note(check):
        for route in routes:
            EFFECT[route] = check
        return check

    return note


def texts(request, name, longest=None, required=True, may_be_empty=False):
    """The ways in which a text may be wrong."""
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
    """The ways in which an id in a body may be wrong."""
    yield "E11", f"{name} is missing", request.with_field(name, MISSING)
    for value in (None, "", "not-an-id", "1.5", True, [1], {}):
        yield "E11", f"{name} is {value}", request.with_field(name, value)
    yield "E13", f"{name} is unknown", request.with_field(name, "999999999")


BAD_IDS = ["not-an-id", "0", "-1", "1.5", "%20", "9223372036854775806", "99999999999999999999999999", "%FF"]
BAD_NAMES = [quote("없는 방"), "n" * 400, "%FF", "%2F"]


def wrong_places(world, route, request):
    """Each parameter of the path as an id that cannot exist or does not."""
    for name in route.parameters:
        bad = BAD_NAMES if name == "channel" and world.is_first else BAD_IDS
        if name == "file":
            bad = ["nothing.png", "note_nothing.txt", "..%2Fsecret", "x" * 300]
        for value in bad:
            yield "E13", f"{name} is {value[:40]}", request.changed(at=request.at | {name: value})
        # No valid text of a request. The API gateway says so, before it has read who calls.
        yield "E11", f"{name} is NUL", request.changed(at=request.at | {name: "1%00"}, is_unread=True)
