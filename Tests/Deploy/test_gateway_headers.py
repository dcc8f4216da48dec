"""The headers that reach a service."""

import json
import time

import pytest
from gateway import Gateway, eventually


def sent(echo, name):
    return [value for each, value in echo["headers"] if each == name]


@pytest.mark.parametrize(
    "name",
    [
        "X-Maru-User",
        "X-Maru-Session",
        "X-User-Id",
        "X-Internal-Token",
        "X-Service-Credential",
        "X-Authenticated-User",
        "X-Real-IP",
        "Forwarded",
        "X-Forwarded-Host",
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-HTTP-Method-Override",
        "Proxy",
        "TE",
        "x_maru_user",
    ],
)
def test_an_identity_header_from_outside_is_dropped(gateway, name):
    echo = gateway.echo("/v1/users/me", headers={name: "1"})
    assert not sent(echo, name.lower())


@pytest.mark.parametrize("target, protocol", [("/v1/users/me", "websocket"), ("/v1/users/me", "h2c"), ("/socket.io/", "h2c")])
def test_only_sockets_can_change_the_protocol(gateway, target, protocol):
    echo = gateway.echo(target, headers={"Upgrade": protocol, "HTTP2-Settings": "AAMAAABkAAQAAP__"})
    assert not sent(echo, "upgrade") and not sent(echo, "http2-settings") and not sent(echo, "connection")


def test_only_listed_headers_pass(gateway):
    echo = gateway.echo("/v1/users/me", headers={"X-Anything-Else": "1", "Accept": "*/*"})
    assert {name for name, _ in echo["headers"]} <= {
        "host",
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-request-id",
        "x-request-start",
        "sesackey",
        "accept",
    }


@pytest.mark.parametrize(
    "name, value",
    [
        ("SesacKey", "sooda"),
        ("Authorization", "eyJ.a.b"),
        ("RefreshToken", "abc"),
        ("Cookie", "maru=1; other=2"),
        ("Idempotency-Key", "k1"),
        ("Content-Type", "application/json"),
        ("Accept-Encoding", "gzip"),
        ("User-Agent", "Sooda/1"),
        ("Range", "bytes=0-1"),
        ("If-Range", '"a"'),
        ("If-None-Match", '"a"'),
        ("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("Origin", "https://maru.test"),
        ("Access-Control-Request-Method", "POST"),
        ("Webhook-Id", "w1"),
        ("Webhook-Timestamp", "1"),
        ("Webhook-Signature", "v1,abc= v1,def="),
        ("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
        ("Host", "maru.test"),
    ],
)
def test_a_header_of_the_contract_passes_unchanged(gateway, name, value):
    headers = {} if name in ("SesacKey", "Host") else {name: value}
    assert sent(gateway.echo("/v1/users/me", headers=headers), name.lower()) == [value]


def test_the_gateway_sets_the_address_of_the_client(gateway):
    echo = gateway.echo("/v1/users/me", headers={"X-Forwarded-For": "10.9.8.7", "X-Forwarded-Proto": "https"})
    assert sent(echo, "x-forwarded-for") == ["127.0.0.1"]
    assert sent(echo, "x-forwarded-proto") == ["http"]


def test_a_trusted_proxy_sets_the_address_of_the_client(tmp_path):
    with Gateway(tmp_path, TRUSTED_PROXIES="127.0.0.0/8") as gateway:
        headers = {"X-Forwarded-For": "203.0.113.9, 127.0.0.1", "X-Forwarded-Proto": "https"}
        echo = gateway.echo("/v1/users/me", headers=headers)
        assert sent(echo, "x-forwarded-for") == ["203.0.113.9"]
        assert sent(echo, "x-forwarded-proto") == ["https"]


def test_the_gateway_shows_its_credential_and_passes_no_other(tmp_path):
    credential = tmp_path / "credential"
    credential.write_text("a-credential_of.the~gateway")
    forged = {"X-Gateway-Credential": "forged"}
    with Gateway(tmp_path / "with", CREDENTIAL_FILE=str(credential)) as gateway:
        for target in ("/v1/users/me", "/socket.io/?EIO=4"):
            assert sent(gateway.echo(target, headers=forged), "x-gateway-credential") == [credential.read_text()]
        mode = (tmp_path / "with/generated/credential.conf").stat().st_mode
        assert mode & 0o077 == 0, "others can read the credential"
    with Gateway(tmp_path / "without") as gateway:
        assert sent(gateway.echo("/v1/users/me", headers=forged), "x-gateway-credential") == []


@pytest.mark.parametrize("status", [400, 429])
def test_the_time_after_which_a_service_may_be_called_again_reaches_the_client(gateway, status):
    reply = gateway.request(f"/v1/users/busy-{status}")
    assert reply.status == status and reply.json()["errorCode"] == "E98"
    assert [value for name, value in reply.headers if name == "retry-after"] == ["7"]


def test_a_service_is_told_when_the_gateway_received_the_call(gateway):
    before = time.time()
    echo = gateway.echo("/v1/users/me", headers={"X-Request-Start": "1 0"})
    (start,) = sent(echo, "x-request-start")
    now, past = map(float, start.split())
    # nginx has milliseconds.
    assert before - 0.001 <= now - past <= now <= time.time()


def test_the_client_the_service_and_the_log_get_the_same_request_id(gateway):
    reply = gateway.request("/v1/users/me?secret=hidden", headers={"X-Request-ID": "from-outside"})
    ids = [value for name, value in reply.headers if name == "x-request-id"]
    assert ids == sent(reply.json(), "x-request-id")
    assert len(ids[0]) == 32
    line = eventually(lambda: gateway.logged(ids[0]))
    assert (line["status"], line["path"], line["upstream"]) == (200, "/v1/users/me", "auth-service")
    assert "hidden" not in json.dumps(line)
