"""Limits per caller and per address, which let a home screen of 1,000 rooms pass."""

import socket

import pytest
from gateway import Gateway, read_head, read_reply

ROOMS = 1000


def flood(gateway, count, head, source="127.0.0.1"):
    """Sends pipelined requests over a few connections and returns their statuses and Retry-After values."""
    outcomes = []
    for _ in range(0, count, 500):
        with gateway.connect(source) as connection:
            connection.sendall((head + b"\r\n") * min(count, 500))
            pushed = b""
            for _ in range(min(count, 500)):
                status, headers, pushed = read_one(connection, pushed)
                outcomes.append((status, dict(headers).get("retry-after")))
    return outcomes


def read_one(connection, pushed):
    class Pushed:
        data = pushed

        def recv(self, count):
            data, self.data = self.data, b""
            return data or connection.recv(count)

    reply = read_reply(Pushed())
    length = int(reply.header("content-length"))
    return reply.status, reply.headers, reply.body[length:]


def head(key, token="", target="/v1/users/me"):
    return f"GET {target} HTTP/1.1\r\nHost: a\r\nSesacKey: {key}\r\nAuthorization: {token}\r\n".encode()


def test_a_home_screen_with_two_calls_per_room_passes_at_once(gateway):
    outcomes = flood(gateway, 2 * ROOMS, head("sooda", "home-screen"))
    outcomes += flood(gateway, 100, head("sooda", "home-screen"))
    assert {status for status, _ in outcomes} == {200}


@pytest.mark.parametrize("key, status", [("sooda", 400), ("native", 429)])
def test_a_flooding_caller_gets_retry_after(tmp_path, key, status):
    with Gateway(tmp_path, REQUESTS_PER_CALLER="10") as gateway:
        outcomes = flood(gateway, 1000, head(key, "flooding"))
        assert {each for each, _ in outcomes} == {200, status}
        assert {hint for each, hint in outcomes if each == status} == {"1"}
        assert gateway.request("/v1/users/me", headers={"Authorization": "somebody-else"}).status == 200


def test_an_address_that_floods_with_many_tokens_is_limited_and_others_are_not(tmp_path):
    with Gateway(tmp_path, REQUESTS_PER_ADDRESS="5") as gateway:
        # A slow machine sends more of them until it has sent them too fast. It sends more than five a second.
        statuses = set()
        for number in range(5000):
            statuses |= {status for status, _ in flood(gateway, 1, head("sooda", f"token-{number}"), "127.0.0.2")}
            if len(statuses) > 1:
                break
        assert statuses == {200, 400}
        assert gateway.request("/v1/users/me").status == 200
        reply = gateway.request("/v1/users/me")
        assert reply.status == 200


def test_connections_from_one_address_are_bounded(tmp_path):
    upgrade = b"GET /socket.io/ HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    with Gateway(tmp_path, CONNECTIONS_PER_ADDRESS="10") as gateway:
        sockets = [gateway.connect() for _ in range(12)]
        statuses = []
        for each in sockets:
            each.sendall(upgrade)
            statuses.append(read_head(each)[0])
        assert statuses == [101] * 10 + [400] * 2
        with gateway.connect("127.0.0.2") as other:
            other.sendall(upgrade)
            assert read_head(other)[0] == 101
        sockets[0].shutdown(socket.SHUT_RDWR)
        while True:
            with gateway.connect() as again:
                again.sendall(upgrade)
                if read_head(again)[0] == 101:
                    break
        for each in sockets:
            each.close()


def test_a_flood_of_unknown_routes_reaches_no_service(gateway):
    outcomes = flood(gateway, 1000, head("sooda", target="/wp-login.php"))
    assert {status for status, _ in outcomes} == {400}
