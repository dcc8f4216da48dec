"""Runs the shipped nginx configuration on free ports in front of substitutes for the services."""

import contextlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time
import urllib.request

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(CHECKOUT / "Tests/Conformance"))

from substitutes import EchoService
from waiting import patiently

SERVICES = {
    "AUTH": "auth-service",
    "WORKSPACE": "workspace-service",
    "CHAT": "chat-service",
    "REALTIME": "realtime-gateway",
    "PAYMENT": "payment-service",
}

# A machine that stands still would leave no time for the second instance.
PATIENT_RETRIES = ("proxy_next_upstream_timeout 5s;", "proxy_next_upstream_timeout 60s;")

# nginx would cut off a client that stands still before it sends. Tests of these limits have their own.
PATIENT_CLIENTS = (
    ("client_header_timeout 10s;", f"client_header_timeout {round(patiently(60))}s;"),
    ("client_body_timeout 15s;", f"client_body_timeout {round(patiently(60))}s;"),
)

given_ports = set()


def free_ports(count):
    """Free ports, none of them twice. The kernel uses none of them for outgoing connections, and deploy/up uses the others of each 20."""
    found = []
    while len(found) < count:
        port = random.randrange(10000, 32000, 20) + random.randrange(10, 20)
        with contextlib.suppress(OSError), socket.socket() as each:
            each.bind(("127.0.0.1", port))
            if port not in given_ports:
                given_ports.add(port)
                found.append(port)
    return found


def make_certificate(folder):
    """The paths of a self-signed certificate and its key."""
    paths = str(folder / "tls.crt"), str(folder / "tls.key")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=maru.test"
    command += " -addext subjectAltName=DNS:maru.test"
    subprocess.run([*command.split(), "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name):
        return next((value for each, value in self.headers if each == name.lower()), None)

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"


class Gateway:
    def __init__(self, folder, services=None, changes=(), **settings):
        """`changes` are pairs of texts to replace in the configuration, for times that are too long for a test."""
        self.changes = changes
        self.folder = pathlib.Path(folder)
        self.services = services or {name: EchoService(name) for name in SERVICES.values()}
        self.port, self.status_port, self.tls_port = free_ports(3)
        self.environment = {
            "PATH": os.environ["PATH"],
            "MARU_GATEWAY_LISTEN": f"127.0.0.1:{self.port}",
            "MARU_GATEWAY_STATUS_LISTEN": f"127.0.0.1:{self.status_port}",
            "MARU_GATEWAY_TLS_LISTEN": f"127.0.0.1:{self.tls_port}",
            "MARU_GATEWAY_WORKERS": "1",
            "MARU_GATEWAY_ACCESS_LOG": str(self.folder / "access.log"),
            **{f"MARU_GATEWAY_{key}": f"127.0.0.1:{self.services[name].port}" for key, name in SERVICES.items()},
            **{f"MARU_GATEWAY_{key}": value for key, value in settings.items()},
        }

    def __enter__(self):
        subprocess.run([CHECKOUT / "deploy/nginx/render", self.folder], env=self.environment, check=True)
        changed = {old for old, _ in self.changes}
        change(self.folder, [*self.changes, *(pair for pair in PATIENT_CLIENTS if pair[0] not in changed)])
        self.errors = open(self.folder / "errors.log", "w")
        self.process = subprocess.Popen([CHECKOUT / "deploy/nginx/start", self.folder], stderr=self.errors)
        deadline = time.monotonic() + patiently(60)
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.status_port}/healthz", timeout=10).read()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "errors.log").read_text())
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(patiently(60))
        self.errors.close()
        for service in self.services.values():
            service.stop()

    def logged(self, request_id):
        """Returns the line of the access log, or None. nginx writes it after the reply."""
        # nginx may be writing the last line.
        lines = map(json.loads, (self.folder / "access.log").read_text().split("\n")[:-1])
        return next((line for line in lines if line["request_id"] == request_id), None)

    def workers(self):
        return workers_of(self.process.pid)

    def connect(self, source="127.0.0.1"):
        return socket.create_connection(("127.0.0.1", self.port), timeout=patiently(60), source_address=(source, 0))

    def request(self, target, method="GET", headers=None, body=b"", key="sooda"):
        """Sends these exact bytes on a new connection."""
        lines = [f"{method} {target} HTTP/1.1", "Host: maru.test", "Connection: close"]
        lines += [f"SesacKey: {key}"] if key else []
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        lines += [f"Content-Length: {len(body)}"] if body else []
        with self.connect() as connection:
            connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            return read_reply(connection, method)

    def echo(self, target, **arguments):
        reply = self.request(target, **arguments)
        assert reply.status == 200, reply
        return reply.json()


def change(folder, changes):
    """Replaces texts in the configuration of nginx in a folder."""
    for old, new in changes:
        holders = [each for each in folder.glob("*.conf") if old in each.read_text()]
        assert holders, f"the configuration has no {old}"
        for each in holders:
            each.write_text(each.read_text().replace(old, new))


def workers_of(master):
    return subprocess.run(["pgrep", "-P", str(master), "nginx"], capture_output=True, text=True).stdout.split()


def eventually(found, seconds=30):
    """Returns the first result of `found` that is not None. MARU_PATIENCE extends the time limit."""
    deadline = time.monotonic() + patiently(seconds)
    while not (result := found()):
        assert time.monotonic() < deadline, "the condition did not hold in time"
        time.sleep(0.02)
    return result


def read_head(connection):
    """Returns status, headers and the bytes after them."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            raise EOFError(f"closed after {data!r}")
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = [tuple(re.split(r":\s*", line, maxsplit=1)) for line in lines[1:]]
    return int(lines[0].split()[1]), [(name.lower(), value) for name, value in headers], rest


def read_reply(connection, method="GET"):
    status, headers, body = read_head(connection)
    length = next((int(value) for name, value in headers if name == "content-length"), None)
    while method != "HEAD" and (length is None or len(body) < length):
        more = connection.recv(65536)
        if not more:
            break
        body += more
    return Reply(status, headers, body)


def is_closed(connection):
    """Whether the peer closes the connection without another reply."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
