"""TLS by mounting a certificate; without one, plain http alone."""

import socket
import ssl

import pytest
from gateway import Gateway, read_reply


def request(gateway, certificate, protocol=None):
    context = ssl.create_default_context(cafile=certificate[0])
    if protocol:
        context.maximum_version = protocol
    with socket.create_connection(("127.0.0.1", gateway.tls_port), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname="maru.test") as connection:
            connection.sendall(b"GET /v1/users/me HTTP/1.1\r\nHost: maru.test\r\nSesacKey: sooda\r\n\r\n")
            return read_reply(connection)


def test_a_certificate_turns_tls_on_and_plain_http_goes_on(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        assert ["x-forwarded-proto", "https"] in request(gateway, certificate).json()["headers"]
        assert ["x-forwarded-proto", "http"] in gateway.echo("/v1/users/me")["headers"]


def test_old_tls_is_refused(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        with pytest.warns(DeprecationWarning), pytest.raises(OSError):
            request(gateway, certificate, ssl.TLSVersion.TLSv1_1)


def test_without_a_certificate_there_is_no_tls(gateway):
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", gateway.tls_port), timeout=10)
