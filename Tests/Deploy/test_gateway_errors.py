"""The gateway's own errors have the form of the contract, with true statuses for the keys that ask for them."""

import contextlib
import json
import socket

import pytest
from gateway import CHECKOUT, PATIENT_RETRIES, SERVICES, Gateway, eventually, free_ports, is_closed, patiently, read_reply
from substitutes import EchoService

LEGACY = "sooda"
TRUE_STATUSES = "native"


def assert_legacy(reply, status, code):
    assert (reply.status, reply.body) == (status, json.dumps({"errorCode": code}, separators=(",", ":")).encode())
    assert reply.header("content-type") == "application/json"
    assert reply.header("x-request-id")


def assert_true(reply, status, code):
    problem = reply.json()
    assert (reply.status, problem["status"], problem["errorCode"]) == (status, status, code)
    assert problem["title"] and problem["type"] == "about:blank"
    assert problem["requestId"] == reply.header("x-request-id")
    assert reply.header("content-type") == "application/problem+json"
    assert reply.header("x-request-id")


def test_an_unknown_route_is_e97(gateway):
    assert_legacy(gateway.request("/v1/nothing", key=LEGACY), 400, "E97")
    assert_legacy(gateway.request("/v1/nothing", key=None), 400, "E97")
    assert_legacy(gateway.request("/v1/nothing", key="never-heard-of"), 400, "E97")
    assert_true(gateway.request("/v1/nothing", key=TRUE_STATUSES), 404, "E97")


def test_an_unknown_method_is_e97(gateway):
    assert_legacy(gateway.request("/v1/users/me", method="TRACE", key=LEGACY), 400, "E97")
    assert_true(gateway.request("/v1/users/me", method="TRACE", key=TRUE_STATUSES), 405, "E97")


def test_an_error_to_head_has_no_body(gateway):
    reply = gateway.request("/v1/nothing", method="HEAD")
    assert (reply.status, reply.body) == (400, b"")


@pytest.mark.parametrize("key", [LEGACY, TRUE_STATUSES])
def test_a_body_that_is_too_large_is_e11_declared_or_chunked(gateway, key):
    target = "/v1/workspaces/1/channels/1/chats"
    declared = b"Content-Length: 60000000\r\n\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n\r\n" + (b"100000\r\n" + bytes(0x100000) + b"\r\n") * 60 + b"0\r\n\r\n"
    for framing in (declared, chunked):
        with gateway.connect() as connection:
            head = f"POST {target} HTTP/1.1\r\nHost: a\r\nSesacKey: {key}\r\n"
            connection.sendall(head.encode() + framing)
            reply = read_reply(connection)
        if key == LEGACY:
            assert_legacy(reply, 400, "E11")
        else:
            assert_true(reply, 413, "E11")


def test_five_files_of_ten_megabytes_pass(gateway):
    body = bytes(5 * 10 * 1024 * 1024 + 64 * 1024)
    assert gateway.echo("/v1/workspaces/1/channels/1/chats", method="POST", body=body)["length"] == len(body)


def test_the_largest_body_is_a_setting(tmp_path):
    body = bytes(2 * 1024 * 1024)
    with Gateway(tmp_path, LARGEST_BODY="1m") as gateway:
        assert_legacy(gateway.request("/v1/users/me/image", method="PUT", body=body, key=LEGACY), 400, "E11")
        assert gateway.echo("/v1/users/me/image", method="PUT", body=body[:1000000])["length"] == 1000000


def test_a_target_that_is_too_long_is_e11(gateway):
    target = "/v1/users/" + "a" * 20000
    assert_legacy(gateway.request(target, key=LEGACY), 400, "E11")


def test_headers_that_are_too_long_are_e11(gateway):
    headers = {"Cookie": "a" * 20000}
    assert_legacy(gateway.request("/v1/users/me", headers=headers), 400, "E11")


def test_a_service_that_is_down_is_e99(tmp_path):
    with Gateway(tmp_path) as gateway:
        gateway.services["auth-service"].stop()
        assert_legacy(gateway.request("/v1/users/me", key=LEGACY), 500, "E99")
        assert_true(gateway.request("/v1/users/me", key=TRUE_STATUSES), 502, "E99")
        assert gateway.echo("/v1/store/item/list")["service"] == "payment-service"


def test_the_error_log_has_the_failed_instance_but_not_the_query(tmp_path):
    with Gateway(tmp_path, changes=[PATIENT_RETRIES]) as gateway:
        service = gateway.services["workspace-service"]
        service.stop()
        for keyword in (b"secret", b"\xff\"secret", b", upstream: \"http://secret"):
            with gateway.connect() as connection:
                head = b"GET /v1/workspaces/1/search?keyword=%s HTTP/1.1\r\n" % keyword.replace(b" ", b"%20")
                connection.sendall(head + b"Host: a\r\nReferer: secret\r\nSesacKey: sooda\r\n\r\n")
                assert_legacy(read_reply(connection), 500, "E99")

        def errors():
            # nginx may be writing the last line.
            lines = (tmp_path / "errors.log").read_bytes().split(b"\n")[:-1]
            return [line for line in lines if b"connect() failed" in line]

        # Each call is tried twice.
        eventually(lambda: len(errors()) == 6)
        assert all(line.endswith(b"upstream: http://127.0.0.1:%d" % service.port) for line in errors()), errors()
        assert b"secret" not in (tmp_path / "errors.log").read_bytes()


def test_a_service_that_is_back_is_used_at_once(tmp_path):
    # Nothing else takes this port meanwhile.
    (port,) = free_ports(1)
    services = {name: EchoService(name, port if name == "auth-service" else 0) for name in SERVICES.values()}
    with Gateway(tmp_path, services) as gateway:
        gateway.echo("/v1/users/me")
        gateway.services["auth-service"].stop()
        assert gateway.request("/v1/users/me").status == 500
        gateway.services["auth-service"] = EchoService("auth-service", port)
        gateway.echo("/v1/users/me")


def test_a_service_that_hangs_up_is_e99(gateway):
    assert_legacy(gateway.request("/v1/users/vanish", method="POST", body=b"{}", key=LEGACY), 500, "E99")
    assert_true(gateway.request("/v1/users/vanish", method="POST", body=b"{}", key=TRUE_STATUSES), 502, "E99")


@contextlib.contextmanager
def two_instances(tmp_path, setting, changes=()):
    """A gateway with two instances of a service, and a function that counts the requests that reached each."""
    with EchoService(SERVICES[setting]) as second:
        services = {name: EchoService(name) for name in SERVICES.values()}
        first = services[SERVICES[setting]]
        addresses = f"127.0.0.1:{first.port} 127.0.0.1:{second.port}"
        with Gateway(tmp_path, services, changes, **{setting: addresses}) as gateway:
            yield gateway, lambda: (len(first.seen), len(second.seen))


def test_a_post_that_reached_an_instance_is_never_sent_to_another(tmp_path):
    with two_instances(tmp_path, "CHAT") as (gateway, asked):
        for _ in range(4):
            assert gateway.request("/v1/workspaces/1/dms/1/chats?vanish", method="POST", body=b"{}").status == 500
        assert sum(asked()) == 4


def test_a_post_that_times_out_at_an_instance_is_never_sent_to_another(tmp_path):
    with two_instances(tmp_path, "CHAT", [("proxy_read_timeout 60s;", "proxy_read_timeout 300ms;")]) as (gateway, asked):
        assert gateway.request("/v1/workspaces/1/dms?linger", method="POST", body=b"{}").status == 500
        # A busy machine may time out before the instance has read the call.
        eventually(lambda: sum(asked()) > 0)
        assert sum(asked()) == 1


def test_a_poll_that_reached_an_instance_is_never_sent_to_another(tmp_path):
    # The first instance may have fetched messages for it from the owner of the session: a second poll would not get them.
    with two_instances(tmp_path, "REALTIME") as (gateway, asked):
        for count, query in enumerate(("sid=a.0.b&vanish", "EIO=4&vanish&transport=polling&sid=a.0.b"), 1):
            assert_legacy(gateway.request(f"/socket.io/?{query}", key=LEGACY), 500, "E99")
            assert sum(asked()) == count
        posted = gateway.echo("/socket.io/?EIO=4&sid=a.0.b", method="POST", body=b"40/me,")
        assert (posted["method"], posted["target"], posted["length"]) == ("POST", "/socket.io/?EIO=4&sid=a.0.b", 6)


def test_a_new_socket_is_tried_at_a_second_instance(tmp_path):
    with two_instances(tmp_path, "REALTIME", [PATIENT_RETRIES]) as (gateway, asked):
        assert gateway.request("/socket.io/?EIO=4&transport=polling&vanish").status == 500
        assert asked() == (1, 1)


def test_an_instance_with_an_unreachable_address_is_skipped(tmp_path):
    # A listener with a full queue does not answer new connections.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as vanished, contextlib.ExitStack() as waiting:
        port = vanished.getsockname()[1]
        while True:
            caller = waiting.enter_context(socket.socket())
            caller.settimeout(0.5)
            try:
                caller.connect(("127.0.0.1", port))
            except TimeoutError:
                break
        services = {name: EchoService(name) for name in SERVICES.values()}
        both = f"127.0.0.1:{port} 127.0.0.1:{services['chat-service'].port}"
        with Gateway(tmp_path, services, [PATIENT_RETRIES], CHAT=both) as gateway:
            for _ in range(2):
                assert gateway.echo("/v1/workspaces/1/dms", method="POST", body=b"{}")["service"] == "chat-service"


def test_instances_share_the_work_and_replace_one_that_is_gone(tmp_path):
    services = {name: EchoService(name) for name in SERVICES.values()}
    second = EchoService("chat-service")
    both = f"127.0.0.1:{services['chat-service'].port} 127.0.0.1:{second.port}"
    with Gateway(tmp_path, services, [PATIENT_RETRIES], CHAT=both) as gateway:
        for _ in range(10):
            gateway.echo("/v1/workspaces/1/dms")
        assert len(second.seen) == 5
        second.stop()
        for _ in range(10):
            gateway.echo("/v1/workspaces/1/dms", method="POST", body=b"{}")


def test_a_refusal_before_the_end_of_the_upload_reaches_the_client(gateway):
    body = bytes(20 * 1024 * 1024)
    reply = gateway.request("/v1/workspaces/1/dms/1/chats?refuse-early", method="POST", body=body)
    assert (reply.status, reply.json()) == (400, {"errorCode": "E02"})


def test_a_refusal_of_a_service_passes_unchanged(gateway):
    reply = gateway.request("/v1/users/refuse-early", key=TRUE_STATUSES)
    assert (reply.status, reply.body) == (400, b'{"errorCode":"E02"}')


@pytest.mark.parametrize("character", [b"\x00", b"\x7f", b"\x01"])
def test_a_control_character_in_a_request_is_e11(gateway, character):
    with gateway.connect() as connection:
        connection.sendall(b"GET /v1/users/me" + character + b" HTTP/1.1\r\nHost: a\r\nSesacKey: sooda\r\n\r\n")
        assert_legacy(read_reply(connection), 400, "E11")
        assert is_closed(connection)


def test_plain_http_on_the_port_for_tls_is_e11(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        with socket.create_connection(("127.0.0.1", gateway.tls_port), timeout=patiently(10)) as connection:
            connection.sendall(b"GET /v1/users/me HTTP/1.1\r\nHost: a\r\n\r\n")
            assert_legacy(read_reply(connection), 400, "E11")


def test_every_key_of_the_development_profiles_has_its_statuses(gateway):
    profiles = json.loads((CHECKOUT / "deploy/clients.json").read_text())
    for key, profile in profiles.items():
        expected = {"legacy": 400, "http": 404}[profile["statuses"]]
        assert gateway.request("/v1/nothing", key=key).status == expected
        assert gateway.request("/v1/nothing", key=key.upper()).status == 400
