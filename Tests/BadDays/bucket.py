"""A bucket of SeaweedFS behind a relay that can refuse or stall."""

import contextlib
import pathlib
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Deploy"))

from gateway import free_ports
from waiting import patiently

CREDENTIALS = '{"identities":[{"name":"maru","credentials":[{"accessKey":"maru","secretKey":"secret of tests"}],' \
    '"actions":["Admin","Read","Write","List"]}]}'
BUSY = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Bucket:
    """The store, and the relay in front of it. The relay is in a `mood`: `well`, `busy` (503 for each request) or `silent`."""

    def __init__(self, checkout, folder):
        self.checkout, self.folder = checkout, folder
        self.mood = "well"
        self.open = set()
        self.refused = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        folder.mkdir()

    @property
    def settings(self):
        values = {"endpoint": f"http://127.0.0.1:{self.port}", "bucket": "chat", "access_key": "maru", "secret_key": "secret of tests"}
        return "".join(f"s3_{key} = {value}\n" for key, value in values.items())

    def start(self):
        (self.folder / "identities.json").write_text(CREDENTIALS)
        self.store, *ports = free_ports(8)
        names = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc", "s3.port.grpc"]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [
                    self.checkout / ".venv/bin/weed", "server", f"-dir={self.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                    "-filer", "-s3", "-s3.autoCreateBucket", f"-s3.port={self.store}", "-master.telemetry=false",
                    f"-s3.config={self.folder}/identities.json", "-s3.port.lance=0", "-s3.port.iceberg=0",
                    "-master.volumeSizeLimitMB=64", "-volume.max=8", *(f"-{name}={port}" for name, port in zip(names, ports)),
                ],
                stdout=log, stderr=log,
            )
        threading.Thread(target=self.accept, daemon=True).start()

    def await_ready(self):
        end = time.monotonic() + patiently(60)
        while True:
            assert self.process.poll() is None and time.monotonic() < end, (self.folder / "log").read_text()[-2000:]
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.store}/healthz", timeout=5).close()
                return
            time.sleep(0.1)

    def stop(self):
        self.listener.close()
        self.process.kill()
        self.process.wait()

    def become(self, mood):
        """Changes the mood, also for connections that are open."""
        self.mood = mood
        for connection in list(self.open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=[self.listener.accept()[0]], daemon=True).start()

    def serve(self, client):
        self.open.add(client)
        with client, contextlib.suppress(OSError):
            if self.mood == "busy":
                client.recv(65536)
                self.refused += 1
                client.sendall(BUSY)
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
            elif self.mood == "silent":
                while client.recv(65536):
                    self.refused += 1
            else:
                with socket.create_connection(("127.0.0.1", self.store)) as store:
                    threading.Thread(target=self.copy, args=[store, client], daemon=True).start()
                    self.copy(client, store)
        self.open.discard(client)

    @staticmethod
    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def some_bytes():
    """Text, so that it is a file of a type that is accepted."""
    return secrets.token_hex(2000).encode()
