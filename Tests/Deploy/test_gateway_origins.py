"""Pages of other origins: those on the list may call the API from a browser, all others may not."""

import pytest
from gateway import Gateway

ORIGIN = "https://chat.example.com"
REQUESTED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, sesackey"}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    with Gateway(tmp_path_factory.mktemp("origins"), ALLOWED_ORIGINS=f"{ORIGIN}, http://127.0.0.1:3000") as running:
        yield running


@pytest.mark.parametrize("origin", [ORIGIN, "http://127.0.0.1:3000"])
@pytest.mark.parametrize("target", ["/v1/users/login", "/v1/workspaces/1/channels/2/chats", "/v1/store/item/list"])
def test_a_preflight_without_a_key_is_answered_by_the_gateway(gateway, origin, target):
    reply = gateway.request(target, "OPTIONS", {"Origin": origin, **REQUESTED}, key=None)
    assert reply.status == 204
    assert reply.header("access-control-allow-origin") == origin
    assert "POST" in reply.header("access-control-allow-methods")
    allowed = {name.strip().lower() for name in reply.header("access-control-allow-headers").split(",")}
    assert {"sesackey", "authorization", "refreshtoken", "content-type", "idempotency-key", "range"} <= allowed
    assert int(reply.header("access-control-max-age")) > 0
    assert not any(target in service.seen for service in gateway.services.values())


@pytest.mark.parametrize("key", ["sooda", "native"])
@pytest.mark.parametrize("target", ["/v1/users/me", "/v1/nothing"])
def test_a_reply_can_be_read_by_a_page_of_an_allowed_origin_errors_included(gateway, key, target):
    reply = gateway.request(target, headers={"Origin": ORIGIN}, key=key)
    assert reply.header("access-control-allow-origin") == ORIGIN
    assert reply.header("access-control-allow-credentials") == "true"
    exposed = {name.strip() for name in reply.header("access-control-expose-headers").split(",")}
    assert {"X-Request-ID", "Retry-After", "ETag"} <= exposed
    assert reply.header("access-control-allow-methods") is None
    assert reply.header("vary") == "Origin"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://chat.example.com", "https://chat.example.com.evil.example", "null"]
)
def test_another_origin_is_told_nothing(gateway, origin):
    preflight = gateway.request("/v1/users/login", "OPTIONS", {"Origin": origin, **REQUESTED})
    for reply in (preflight, gateway.request("/v1/users/me", headers={"Origin": origin})):
        assert not [name for name, _ in reply.headers if name.startswith("access-control-")]
        assert reply.header("vary") == "Origin"


def test_a_call_without_an_origin_is_as_ever_but_for_caches(gateway):
    reply = gateway.request("/v1/users/me")
    assert reply.status == 200 and reply.header("vary") == "Origin"
    assert reply.header("access-control-allow-origin") is None


def test_sockets_are_answered_by_the_service_alone(gateway):
    reply = gateway.request("/socket.io/?EIO=4", headers={"Origin": ORIGIN})
    assert reply.header("access-control-allow-origin") is None
    preflight = gateway.request("/socket.io/?EIO=4", "OPTIONS", {"Origin": ORIGIN, **REQUESTED}, key=None)
    assert preflight.json()["service"] == "realtime-gateway"


def test_without_the_setting_no_origin_is_allowed(tmp_path):
    with Gateway(tmp_path) as closed:
        reply = closed.request("/v1/users/me", headers={"Origin": ORIGIN})
        assert reply.status == 200
        assert not [name for name, _ in reply.headers if name.startswith("access-control-") or name == "vary"]


@pytest.mark.parametrize("origins", ["*", "https://a;", "https://a' '*", "chat.example.com", "https://a/path"])
def test_only_origins_are_accepted_as_origins(tmp_path, origins):
    with pytest.raises(Exception, match="render"):
        Gateway(tmp_path, ALLOWED_ORIGINS=origins).__enter__()
