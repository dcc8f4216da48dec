"""Every route of the contract under every API key: its reply and its refusals."""

import re

import cases
import cases_accounts
import cases_chats
import cases_workspaces
import contract
import pytest
from app import App
from cases import GOOD, WRONG, EFFECT, Request

assert cases_accounts and cases_chats and cases_workspaces
ALL = [(key, route) for key in contract.KEYS for route in contract.routes(contract.generation(key))]
each_route = pytest.mark.parametrize("key, route", ALL, ids=[f"{key} {route.name}" for key, route in ALL])


def test_the_product_and_the_contract_have_the_same_routes(product):
    listed = set().union(*({route.anonymous for route in contract.routes(of)} for of in contract.ROUTES))
    served = set()
    for place in range(5):
        for method, path in re.findall(r'method="(\w+)",route="/v1([^"]+)"', product.metrics(place)):
            if not path.startswith("/webhooks/"):
                served.add(f"{method} " + re.sub(r"{\w+}", "{}", path))
    assert served - listed == contract.ADDITIONS | contract.native_routes()
    assert listed <= served


@each_route
def test_its_reply_has_the_form_of_the_contract(world, route):
    request = GOOD[route.name](world)
    reply = request.send(world, route)
    assert reply.ok, f"{reply.status_code} {reply.text}"
    if world.key == "native":
        assert reply.status_code == (201 if route.makes else 200)
    if route.reply == "bytes":
        body = reply.content
        assert body and reply.headers["ETag"] and reply.headers["X-Content-Type-Options"] == "nosniff"
    else:
        body = reply.json()
        if route.reply != "-":
            contract.hold(body, route.reply, world.owner.generation, route.name)
    if route.name in EFFECT:
        EFFECT[route.name](world, reply, body)


@each_route
def test_it_refuses_wrong_requests_with_the_code_of_the_contract(world, route):
    request = plain(world, route)
    seen, faults = set(), []

    def expect(code, what, wrong):
        reply = wrong.send(world, route)
        found = reply.json().get("errorCode") if "json" in reply.headers.get("Content-Type", "") else None
        seen.add(code)
        if found != code:
            faults.append(f"{what}: {reply.status_code} {reply.text[:200]}, not {code}")

    for code, what, wrong in [
        *everywhere(world, route, request),
        *cases.wrong_places(world, route, request),
        *(each for make in WRONG.get(route.name, []) for each in make(world)),
    ]:
        expect(code, what, wrong)
    assert not faults, "\n".join(faults)
    assert route.errors <= seen, f"no wrong input gets {route.errors - seen}"


def plain(world, route):
    """A request that has no effect if an earlier check fails."""
    world.channel
    at = {"file": world.files[route.path.split("/")[2]]} if "file" in route.parameters else {}
    if route.method == "GET":
        return Request(at=at)
    request = GOOD[route.name](world)
    return request.changed(at={name: value for name, value in request.at.items() if name == "user"} | at, by=None)


def everywhere(world, route, request):
    """Yields requests that are wrong on any route."""
    stranger = App(world.product, "no such key")
    stranger.token = world.owner.token
    yield "E01", "unknown key", request.changed(by=stranger)
    keyless = App(world.product, world.key)
    keyless.tells_truth = stranger.tells_truth = False
    del keyless.session.headers["SesacKey"]
    yield "E01", "no key", request.changed(by=keyless)
    if not route.is_open:
        for what, token in {
            "no token": None,
            "an empty token": "",
            "garbage": "garbage",
            "a forged token": forged(world.owner.token),
            "the refresh token": world.owner.refresh,
            "the socket's cookie": world.owner.session.cookies["maru_socket"],
        }.items():
            app = App(world.product, world.key)
            headers = {} if token is None else {"Authorization": token}
            yield "E02", what, request.changed(by=app, headers=request.headers | headers)
        yield "E05", "a session that has ended", request.changed(by=world.ended)
    if "workspace" in route.parameters:
        yield "E13", "a stranger", request.changed(by=world.stranger)
    if request.json:
        json = {"Content-Type": "application/json"}
        bad = {"cut off": b'{"name": "', "no object": b"[]", "no JSON": b"name=a", "not UTF-8": b'"\xff"'}
        for what, data in bad.items():
            yield "E11", what, request.changed(data=data, headers=request.headers | json)
        # Use a new connection: the API gateway refuses the body unread and closes the connection.
        apart = App(world.product, world.key)
        apart.token = None if route.is_open else world.owner.token
        large = b'{"name":"' + b" " * 400_000 + b'"}'
        yield "E11", "too large", request.changed(by=apart, data=large, headers=json)


def forged(token):
    """The same claims with a wrong signature."""
    head, claims, signature = token.split(".")
    return f"{head}.{claims}.{signature[:-8]}AAAAAAAA"


@pytest.mark.parametrize("key", contract.KEYS)
def test_a_route_of_the_other_generation_is_unknown(world):
    own = {route.anonymous for route in contract.routes(world.owner.generation)}
    other = next(of for of in contract.ROUTES if of != world.owner.generation)
    foreign = [route for route in contract.routes(other) if route.anonymous not in own]
    assert len(foreign) >= 5
    for route in foreign:
        path = re.sub(r"{\w+}", "1", route.path)
        for app in (world.owner, world.anybody):
            app.refused("E97", route.method, path)


@pytest.mark.parametrize("key", contract.KEYS)
def test_an_unknown_route_is_reported_before_a_wrong_key_and_a_wrong_key_before_a_token(product, key):
    app = App(product, key)
    for call in ("GET /nothing", "PATCH /workspaces", "PUT /users/join", "POST /workspaces/1/2"):
        app.refused("E97", *call.split())
    app.refused("E02", "GET", "/workspaces")
    stranger = App(product, "no such key")
    stranger.refused("E97", "GET", "/nothing")
    stranger.refused("E01", "GET", "/workspaces")
