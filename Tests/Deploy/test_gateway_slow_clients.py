"""Clients that send too slowly are cut off. Sockets that are only quiet are not."""

import re
import signal
import threading
import time

from gateway import CHECKOUT, Gateway, eventually, is_closed, patiently, read_head

UPGRADE = b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
HEAD = b"POST /v1/users/me HTTP/1.1\r\nHost: a\r\nSesacKey: sooda\r\n"


def seconds_until_cut_off(gateway, start, drip, pause):
    began = time.monotonic()
    with gateway.connect() as connection:
        connection.settimeout(pause)
        connection.sendall(start)
        while time.monotonic() - began < patiently(40):
            try:
                if connection.recv(65536) == b"":
                    break
            except TimeoutError:
                pass
            except ConnectionError:
                break
            try:
                connection.sendall(drip)
            except ConnectionError:
                break
    return time.monotonic() - began


def test_clients_that_send_too_slowly_are_cut_off(tmp_path):
    silence, longest = patiently(30), patiently(25)
    # The start of a request, what follows it again and again, the pause in between, and the time that it gets at least.
    cases = {
        "header": (HEAD, b"X-A: b\r\n", 0.2, 1.9),
        "line": (b"GET /v1/users/", b"a", 0.2, 1.9),
        "upgrade": (UPGRADE, b"X-A: b\r\n", 0.2, 1.9),
        "poll": (b"GET /socket.io/?EIO=4&transport=polling&sid=", b"a", 0.2, 1.9),
        "nothing after the header of a body": (HEAD + b"Content-Length: 100\r\n\r\n", b"", silence, 2.9),
        "nothing at all": (b"", b"", silence, 1.9),
    }
    # These times of the configuration are too long for a test.
    quick = [("client_header_timeout 10s;", "client_header_timeout 2s;"), ("client_body_timeout 15s;", "client_body_timeout 3s;")]
    measured = {}

    def measure(name, start, drip, pause):
        measured[name] = seconds_until_cut_off(gateway, start, drip, pause)

    with Gateway(tmp_path, changes=quick) as gateway:
        threads = [threading.Thread(target=measure, args=(name, *case[:3])) for name, case in cases.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for name, (*_, shortest) in cases.items():
        assert shortest <= measured[name] <= longest, (name, measured)


def test_a_body_is_streamed_to_its_service_so_that_the_service_sets_the_deadline(gateway):
    service = gateway.services["auth-service"]
    with gateway.connect() as connection:
        connection.sendall(HEAD.replace(b"/me", b"/drips") + b"Content-Length: 100\r\n\r\nabc")
        eventually(lambda: "/v1/users/drips" in service.seen)
        assert "/v1/users/drips" not in service.truncated
    eventually(lambda: "/v1/users/drips" in service.truncated)


def test_the_bytes_of_a_web_socket_pass_unchanged(gateway):
    with gateway.connect() as connection:
        connection.sendall(
            UPGRADE + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        status, headers, rest = read_head(connection)
        assert (status, dict(headers)["upgrade"], rest) == (101, "websocket", b"")
        for message in (b"\x00\xff" * 10, b"a" * 70000):
            connection.sendall(message)
            echoed = b""
            while len(echoed) < len(message):
                echoed += connection.recv(65536)
            assert echoed == message


def test_a_socket_may_be_quiet_for_longer_than_ping_interval_and_timeout(gateway):
    settings = (CHECKOUT / "Services/realtime-gateway/GatewaySettings.swift").read_text()
    longest = 2 * int(re.search(r"longestSilence = Duration\.seconds\((\d+)\)", settings)[1])
    configuration = (gateway.folder / "socket.conf").read_text()
    for direction in ("read", "send"):
        assert int(re.search(rf"proxy_{direction}_timeout (\d+)s;", configuration)[1]) > longest


def test_a_socket_whose_service_dies_is_closed(gateway):
    service = gateway.services["realtime-gateway"]
    with gateway.connect() as connection:
        connection.sendall(UPGRADE + b"\r\n")
        assert read_head(connection)[0] == 101
        for each in list(service.connections):
            each.shutdown(2)
        assert is_closed(connection)


def test_a_socket_stays_with_its_worker_for_a_limited_time_after_a_reload(tmp_path):
    # Longer than a machine stands still: the old worker carries a message before its end.
    short = f"worker_shutdown_timeout {round(patiently(10))}s;"
    with Gateway(tmp_path, changes=[("worker_shutdown_timeout 10m;", short)]) as gateway:
        with gateway.connect() as connection:
            connection.sendall(UPGRADE + b"\r\n")
            assert read_head(connection)[0] == 101
            gateway.process.send_signal(signal.SIGHUP)
            # The new worker answers while the old one still carries the socket.
            eventually(lambda: len(gateway.workers()) == 2)
            connection.sendall(b"still here")
            assert connection.recv(65536) == b"still here"
            assert is_closed(connection)
        eventually(lambda: len(gateway.workers()) == 1)
