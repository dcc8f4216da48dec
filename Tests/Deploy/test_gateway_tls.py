"""TLS works with a mounted certificate. Without one there is only HTTP."""

import json
import socket
import ssl
import subprocess

import pytest
from gateway import Gateway, patiently, read_reply


def request(gateway, certificate, protocol=None):
    context = ssl.create_default_context(cafile=certificate[0])
    if protocol:
        context.maximum_version = protocol
    with socket.create_connection(("127.0.0.1", gateway.tls_port), timeout=patiently(10)) as plain:
        with context.wrap_socket(plain, server_hostname="maru.test") as connection:
            connection.sendall(b"GET /v1/users/me HTTP/1.1\r\nHost: maru.test\r\nSesacKey: sooda\r\n\r\n")
            return read_reply(connection)


def test_a_certificate_enables_tls_beside_http(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        assert ["x-forwarded-proto", "https"] in request(gateway, certificate).json()["headers"]
        assert ["x-forwarded-proto", "http"] in gateway.echo("/v1/users/me")["headers"]


def test_http_2_follows_the_same_rules(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        command = ["curl", "-s", "--http2", "--cacert", certificate[0], "--connect-to", f"::127.0.0.1:{gateway.tls_port}"]
        command += ["-H", "SesacKey: native", "-H", "X-Maru-User: 1", "-H", "Cookie: a=1", "-H", "Cookie: b=2"]
        command += ["-w", "\n%{http_version} %{http_code}"]
        echo, status = subprocess.check_output([*command, "https://maru.test/v1/users/a%2Fb?"], text=True).split("\n")
        assert status == "2 200" and json.loads(echo)["target"] == "/v1/users/a%2Fb?"
        headers = json.loads(echo)["headers"]
        assert ["cookie", "a=1; b=2"] in headers and "x-maru-user" not in dict(headers)
        error, status = subprocess.check_output([*command, "https://maru.test/v1/nothing"], text=True).split("\n")
        assert status == "2 404" and json.loads(error)["errorCode"] == "E97"


def test_old_tls_is_refused(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        with pytest.warns(DeprecationWarning), pytest.raises(OSError):
            request(gateway, certificate, ssl.TLSVersion.TLSv1_1)


def test_without_a_certificate_there_is_no_tls(gateway):
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", gateway.tls_port), timeout=10)


def test_redirect_and_hsts_are_settings(tmp_path, certificate):
    tls = {"CERTIFICATE": certificate[0], "CERTIFICATE_KEY": certificate[1]}
    with Gateway(tmp_path, **tls, REDIRECT_PORT="8443", HSTS="600") as gateway:
        reply = gateway.request("/v1/users/a%2Fb?x=1", method="POST")
        assert (reply.status, reply.header("location")) == (308, "https://maru.test:8443/v1/users/a%2Fb?x=1")
        assert reply.header("strict-transport-security") is None
        assert request(gateway, certificate).header("strict-transport-security") == "max-age=600"


def test_by_default_http_is_served_and_there_is_no_hsts(tmp_path, certificate):
    with Gateway(tmp_path, CERTIFICATE=certificate[0], CERTIFICATE_KEY=certificate[1]) as gateway:
        assert gateway.echo("/v1/users/me")["service"] == "auth-service"
        assert request(gateway, certificate).header("strict-transport-security") is None


def test_without_tls_there_is_no_redirect(tmp_path):
    with Gateway(tmp_path, REDIRECT_PORT="443") as gateway:
        assert gateway.echo("/v1/users/me")["service"] == "auth-service"
