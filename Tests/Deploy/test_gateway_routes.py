"""Each route of the contract reaches its service with an unchanged target."""

import pytest

ROUTES = {
    "auth-service": [
        "/v1/users/join",
        "/v1/users/me?",
        "/v1/users/me/sessions",
        "/v1/users/7?userID=7",
        "/v1/auth/refresh",
        "/v1/static/profiles/a_1.jpg",
        "/v1/static/exports/a1.zip?expires=1&signature=a",
        "/v1/users/me/export",
    ],
    "workspace-service": [
        "/v1/workspaces",
        "/v1/workspaces?",
        "/v1/workspaces/",
        "/v1/workspaces/5",
        "/v1/workspaces/5?x=/dms",
        "/v1/workspaces/5/members",
        "/v1/workspaces/5/search?keyword=/chats",
        "/v1/workspaces/5/channels",
        "/v1/workspaces/5/my-channels",
        "/v1/workspaces/5/channels/my",
        "/v1/workspaces/5/channels/chats",
        "/v1/workspaces/5/channels/dms/members",
        "/v1/workspaces/5/channels/a%2Fchats",
        "/v1/workspaces/5/channels/9/transfer/ownership",
        "/v1/workspaces/dms",
        "/v1/static/workspaces/a_1.png",
        "/v1/static/channels/a_1.png",
    ],
    "chat-service": [
        "/v1/workspaces/5/channels/9/chats?cursor_date=2024-01-01T00:00:00.000Z",
        "/v1/workspaces/5/channels/%EC%9D%BC%EB%B0%98/chats?",
        "/v1/workspaces/5/channels/a%2Fb/chats",
        "/v1/workspaces/5/channels/chats/chats",
        "/v1/workspaces/5/channels/%2E%2E/chats",
        "/v1/workspaces/5/channels/9/unreads?after=2024-01-01%2000:00:00",
        "/v1/workspaces/5/channels/9/read",
        "/v1/workspaces/5/channels/9/chats/7/reactions/%F0%9F%91%8D",
        "/v1/workspaces/5/channels/9/pins",
        "/v1/workspaces/5/channels/9/changes?after_rev=3",
        "/v1/users/me/saved?cursor=3",
        "/v1/workspaces/5/threads?cursor=3",
        "/v1/workspaces/5/mentions",
        "/v1/workspaces/5/dms",
        "/v1/workspaces/5/dms/3/chats",
        "/v1/workspaces/5/dms/3/unreads",
        "/v1/workspaces/5/dms/3/read",
        "/v1/workspaces/5/rooms",
        "/v1/static/channelChats/%25EA%25B0%2580_1.pdf",
        "/v1/static/dmChats/a_1.jpg",
        "/v1/workspaces/5/channels/9/webhooks",
        "/v1/workspaces/5/channels/9/webhooks/3/secret",
        "/v1/webhooks/incoming/a",
        "/v1/webhooks/answers/a",
        "/v1/workspaces/5/commands/3",
        "/v1/workspaces/5/channels/9/commands",
        "/v1/workspaces/5/dms/9/commands",
    ],
    "realtime-gateway": [
        "/socket.io/?EIO=4&transport=polling&b64=1",
        "/socket.io?EIO=4&transport=polling",
    ],
    "payment-service": [
        "/v1/store/item/list",
        "/v1/store/pay/validation",
        "/v1/webhooks/portone",
        "/v1/webhooks/portone-v2",
        "/v1/webhooks/portone/v1",
    ],
}

UNKNOWN = [
    "/",
    "/v1",
    "/v1/",
    "/v1//users/me",
    "/v2/users/me",
    "/v1/usersx",
    "/v1/workspacesx/5",
    "/v1/static/profiles",
    "/v1/static/secrets/a",
    "/v1/storefront",
    "/v1/webhooks/other",
    "/v1/webhooks/incoming",
    "/v1/webhooks/answers",
    "/socket.iox/",
    "/socket.io/../socket.io",
    "/internal",
    "/internal/users/1",
    "/v1/internal/users/1",
    "/v1/users/../../internal/users",
    "/metrics",
    "/healthz",
    "/readyz",
    "/version",
    "/status",
    "/-/E11/400/http",
    "/favicon.ico",
]


@pytest.mark.parametrize("service, target", [(name, target) for name, all in ROUTES.items() for target in all])
def test_a_route_reaches_its_service_with_its_target_unchanged(gateway, service, target):
    echo = gateway.echo(target)
    assert (echo["service"], echo["target"]) == (service, target)


@pytest.mark.parametrize("target", UNKNOWN)
def test_an_unknown_target_reaches_no_service(gateway, target):
    before = [len(service.seen) for service in gateway.services.values()]
    reply = gateway.request(target)
    assert (reply.status, reply.body) in [(400, b'{"errorCode":"E97"}'), (400, b'{"errorCode":"E11"}')]
    assert [len(service.seen) for service in gateway.services.values()] == before


def test_a_target_in_absolute_form_is_routed_by_its_path(gateway):
    echo = gateway.echo("http://maru.test/v1/workspaces/5/channels/a%2Fb/chats?")
    assert (echo["service"], echo["target"]) == ("chat-service", "/v1/workspaces/5/channels/a%2Fb/chats?")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
def test_every_method_of_the_contract_passes(gateway, method):
    assert gateway.echo("/v1/users/me", method=method)["method"] == method


def test_connections_to_a_service_are_reused(gateway):
    connections = {gateway.echo("/v1/users/me")["connection"] for _ in range(20)}
    assert len(connections) <= 2


def test_the_status_address_answers_healthz(gateway):
    import urllib.request

    status = f"http://127.0.0.1:{gateway.status_port}"
    assert urllib.request.urlopen(f"{status}/healthz").read() == b"ok\n"
    assert b"Active connections" in urllib.request.urlopen(f"{status}/status").read()


def test_the_status_address_has_metrics_for_prometheus(gateway):
    import urllib.request

    with gateway.connect():
        reply = urllib.request.urlopen(f"http://127.0.0.1:{gateway.status_port}/metrics")
        assert reply.headers["Content-Type"] == "text/plain; version=0.0.4"
        lines = reply.read().decode().splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    active = int(values['maru_gateway_connections{state="active"}'])
    assert 2 <= active <= int(values["maru_gateway_connection_limit"]) // 2
    assert {line.split()[2] for line in lines if line.startswith("# TYPE")} == {
        "maru_gateway_connections",
        "maru_gateway_connection_limit",
    }
