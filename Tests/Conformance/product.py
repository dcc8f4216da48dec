"""Runs all of Maru with deploy/up on ports and a data folder of its own."""

import os
import pathlib
import shutil
import subprocess
import tempfile


class Product:
    def __init__(self, checkout):
        self.checkout = checkout
        # Where the user postgres can reach it, unlike pytest's own folders.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        # All tests come from one address, and faster than people.
        settings = self.data / "settings"
        settings.mkdir(parents=True)
        for service in ("auth-service", "workspace-service", "chat-service", "payment-service"):
            (settings / f"{service}.conf").write_text("address_rate = 10000\naddress_burst = 10000\n")

    def __enter__(self):
        self.run("up", "--detach", "--port", "0")
        ports = dict(line.split("=") for line in (self.data / "ports").read_text().split())
        self.base = f"http://127.0.0.1:{ports['gateway_port']}"
        return self

    def __exit__(self, *_):
        self.run("down")
        shutil.rmtree(self.folder)

    def run(self, command, *options):
        environment = {**os.environ, "MARU_PROGRAMS": str(self.checkout / ".build/debug")}
        result = subprocess.run(
            [self.checkout / "deploy" / command, "--data", self.data, *options],
            env=environment,
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert result.returncode == 0, result.stdout + result.stderr
