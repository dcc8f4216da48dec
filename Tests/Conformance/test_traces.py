"""Traces: a call that asks for one is one trace from nginx to the socket, in which every step names its cause."""

import json
import secrets
import time

import pytest
import requests
from device import Device
from sockets import Sockets
from spans import collected, spans, whole
from waiting import eventually, patiently

SEND = "POST /v1/workspaces/{id}/channels/{channel_id}/chats"


CALLER = "00f067aa0ba902b7"


def header(flag, trace=None):
    trace = trace or secrets.token_hex(16)
    return trace, {"traceparent": f"00-{trace}-{CALLER}-{flag}"}


@pytest.fixture(scope="module")
def home(product):
    from app import App

    owner, member = App.joined(product, "native"), App.joined(product, "native")
    workspace = owner.make_workspace(member)
    return owner, member, owner.make_channel(workspace, None, member)


def say(app, channel, headers):
    reply = app.send("POST", app.path(channel) + "/chats", headers, json={"content": "추적"})
    assert reply.status_code == 201, reply.text
    return reply


def counted(product, outcome):
    """How many spans of all processes had this outcome."""
    lines = "\n".join(product.metrics(place) for place in range(5)).splitlines()
    marks = [line for line in lines if line.startswith(f'maru_spans_total{{outcome="{outcome}"}}')]
    assert len(marks) == 5
    return sum(float(line.split()[-1]) for line in marks)


def test_a_message_is_one_trace_from_nginx_to_the_socket(product, home):
    owner, member, channel = home
    trace, headers = header("01")
    with Device(product, cookie=member.cookie) as device:
        assert device.ready
        reply = say(owner, channel, headers)
        device.wait(lambda: any(each["message"]["seq"] == reply.json()["seq"] for each in device.of("message")))
    found = whole(product, trace, CALLER, "POST", SEND, "commit batch", "publish room", "process room")

    def one(name):
        (span,) = [each for each in found if each.name == name]
        return span

    gateway, call, commit, publish = one("POST"), one(SEND), one("commit batch"), one("publish room")
    assert (gateway.service, gateway.parent, gateway.kind) == ("gateway", CALLER, 2)
    assert (call.service, call.parent, call.kind) == ("chat-service", gateway.id, 2)
    assert gateway.start <= call.start < call.end <= gateway.end
    assert call.values["http.route"] in SEND and call.values["http.response.status_code"] == 201
    assert call.values["maru.request.id"] == gateway.values["maru.request.id"] == reply.headers["X-Request-ID"]
    assert (commit.service, commit.parent) == ("chat-service", call.id)
    statements = [each for each in found if each.parent == commit.id]
    assert [each.values["db.system.name"] for each in statements] == ["postgresql"]
    assert (publish.service, publish.parent, publish.kind) == ("chat-service", call.id, 4)
    deliveries = [each for each in found if each.name == "process room"]
    assert {(each.service, each.parent, each.kind) for each in deliveries} == {("realtime-gateway", publish.id, 5)}
    assert sum(each.values["maru.sockets"] for each in deliveries) == 1
    assert not any(each.has_failed for each in found)
    told = " ".join(map(str, found))
    assert "추적" not in told and owner.email not in told and "user" not in {key for each in found for key in each.values}


def test_a_call_between_services_belongs_to_the_trace(product, home, join):
    owner, _, channel = home
    trace, headers = header("01")
    stranger = join("native")
    # Nothing is cached of a new user, so chat-service asks workspace-service.
    assert stranger.send("GET", stranger.path(channel) + "/chats?cursor_date=", headers).status_code == 404
    found = whole(product, trace, CALLER, "POST /internal/access", "POST /internal/access")
    client, server = sorted((each for each in found if each.name == "POST /internal/access"), key=lambda each: -each.kind)
    assert (client.service, client.kind) == ("chat-service", 3)
    assert (server.service, server.kind, server.parent) == ("workspace-service", 2, client.id)
    assert client.start <= server.start <= server.end <= client.end
    statements = [each for each in found if each.parent == server.id]
    assert statements and {each.service for each in statements} == {"workspace-service"}


def test_a_call_without_the_flag_is_not_traced(product, home):
    owner, _, channel = home
    untraced, headers = header("00")
    reply = say(owner, channel, headers)
    plain = say(owner, channel, {})
    # A traced call afterwards has arrived, so earlier spans would have, too.
    trace, headers = header("01")
    say(owner, channel, headers)
    whole(product, trace, CALLER, SEND, "publish room")
    for other in (untraced, reply.headers["X-Request-ID"], plain.headers["X-Request-ID"]):
        assert spans(product, other) == []


def test_a_shipped_app_is_sent_the_same_bytes_with_and_without_a_trace(product, join):
    app = join("collatalk")
    channel = app.make_channel(app.make_workspace())
    with Sockets(product) as sockets:
        name = sockets.open("collatalk", f"/ws-channel-{channel.id}", cookie=app.another_device().cookie)
        assert name
        bodies = []
        for flag in ("00", "01"):
            trace, headers = header(flag)
            files = [("content", (None, "같다"))]
            reply = app.send("POST", app.path(channel) + "/chats", headers, files=files)
            bodies.append(reply.json())
    assert bodies[0].keys() == bodies[1].keys() and "traceparent" not in json.dumps(bodies)
    whole(product, trace, CALLER, "publish room")


def test_callers_cannot_begin_more_traces_than_the_limit(product, home):
    owner, _, channel = home
    traces = []
    start = time.monotonic()
    for _ in range(60):
        trace, headers = header("01")
        traces.append(trace)
        owner.send("GET", "/users/me", headers)
    seconds = int(time.monotonic() - start) + 2
    last, headers = header("01")
    eventually(lambda: owner.send("GET", "/users/me", header("01", last)[1]).ok and spans(product, last))

    def traced():
        return len({each.trace for each in collected(product)} & set(traces))

    def are_all_counted():
        # Each loop sends its spans by itself, and some come after the last one's.
        refused = [line for line in product.metrics(0).splitlines() if line.startswith("maru_traces_refused_total ")]
        return float(refused[0].split()[1]) >= 60 - traced()

    eventually(are_all_counted)
    assert 0 < traced() <= 10 * seconds


@pytest.mark.parametrize("mood", [{"answer": "refuse"}, {"delayMs": 60000}])
def test_a_collector_that_refuses_or_hangs_fails_no_call_and_is_counted(product, home, mood):
    owner, _, channel = home
    before = counted(product, "failed")
    product.standins("POST", "/standins/mood", json={"provider": "collector"} | mood)
    try:
        # Calls go on while the exporters wait for the collector, and spans are counted as failed in the end.
        def failed():
            say(owner, channel, header("01")[1])
            return counted(product, "failed") > before

        eventually(failed, patience=60, pause=0.5)
    finally:
        product.standins("POST", "/standins/mood", json={"provider": "collector"})
    trace = []

    def arrives():
        trace.append(header("01"))
        say(owner, channel, trace[-1][1])
        return {each.trace for each in collected(product)} & {each for each, _ in trace}

    eventually(arrives, patience=60, pause=0.5)


def test_every_failure_of_a_native_client_has_the_request_id_and_those_of_shipped_apps_only_in_the_header(product, join):
    native, shipped = join("native"), join("collatalk")
    for method, path in [("GET", "/workspaces/999999"), ("GET", "/nothing"), ("POST", "/users/login")]:
        reply = native.send(method, path, json={})
        assert reply.status_code >= 400 and reply.json()["requestId"] == reply.headers["X-Request-ID"], reply.text
        reply = shipped.send(method, path, json={})
        assert reply.status_code >= 400 and "requestId" not in reply.json() and reply.headers["X-Request-ID"]
    # nginx refuses this one itself.
    reply = requests.get(product.base + "/elsewhere", headers={"SesacKey": "native"}, timeout=patiently(20))
    assert reply.status_code == 404 and reply.json()["requestId"] == reply.headers["X-Request-ID"]


def test_the_log_line_of_a_call_has_its_request_id_and_trace(product, home):
    owner, _, channel = home
    trace, headers = header("01")
    reply = say(owner, channel, headers)
    log = product.data / "logs/chat-service.log"

    def lines():
        # The service may be writing the last line.
        return [json.loads(line) for line in log.read_text().split("\n")[:-1] if trace in line]

    eventually(lines)
    assert {line["request_id"] for line in lines()} == {reply.headers["X-Request-ID"]}
