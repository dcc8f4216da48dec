"""Runs Maru with deploy/up on its own ports and data folder, with stand-ins for the outside providers."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import requests
from waiting import patiently

# A process for previews may take ten times as long by the clock.
PREVIEWS = f"preview_time = {round(patiently(1))}s\n"
# All tests come from one address, and faster than users.
SETTINGS = {
    "auth-service": "address_rate = 10000\naddress_burst = 10000\nfree_joins = 10000\n" + PREVIEWS,
    "workspace-service": "user_burst = 10000\n" + PREVIEWS,
    # A busy machine may need longer than a person would wait.
    "chat-service": "user_burst = 10000\nhere_timeout = 3s\nsearch_timeout = 10s\n"
    f"command_timeout = {min(30, round(patiently(10)))}s\nwebhook_timeout = {min(60, round(patiently(10)))}s\n" + PREVIEWS,
    "payment-service": "welcome_grant = 1000\n",
}
# Time limits that a machine which stands still would meet, in seconds.
LIMITS = {
    "auth-service": {"provider_deadline": 5},
    "payment-service": {"provider_deadline": 5},
    "realtime-gateway": {"nameless_timeout": 10, "provider_deadline": 10},
}
for program in ("auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"):
    limits = {"internal_timeout": 3, "database_timeout": 5, "database_connect_timeout": 2, "redis_timeout": 1, "connect_timeout": 3}
    limits |= LIMITS.get(program, {})
    own = "".join(f"{name} = {round(patiently(seconds))}s\n" for name, seconds in limits.items())
    SETTINGS[program] = SETTINGS.get(program, "") + own
GRANT = 1000


# A file of libpq that names a cluster of Citus, on which chat-service divides its tables: deploy/test citus.
CITUS = os.environ.get("MARU_TEST_CITUS_SERVICE")


class Product:
    # Whether its API gateway serves the reference, with which apps compare all replies.
    has_reference = True

    def __init__(self, checkout):
        self.checkout = checkout
        # The user postgres can reach this folder, unlike pytest's own.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        settings = self.data / "settings"
        settings.mkdir(parents=True)
        for service, text in SETTINGS.items():
            if CITUS and service == "chat-service":
                text += "chat_engine = citus\ndatabase_connections = 8\n"
            (settings / f"{service}.conf").write_text(text)

    def __enter__(self):
        self.run("up", "--detach", "--standins", "--port", "0")
        ports = dict(line.split("=") for line in (self.data / "ports").read_text().split())
        self.port = int(ports["gateway_port"])
        self.base = f"http://127.0.0.1:{self.port}"
        self.internals = int(ports["internals_port"])
        self.services = int(ports["services_port"])
        self.console = f"http://127.0.0.1:{ports['console_port']}"
        self.standins_base = f"http://127.0.0.1:{ports['standins_port']}"
        return self

    def __exit__(self, *_):
        self.run("down")
        shutil.rmtree(self.folder)

    def run(self, command, *options):
        if CITUS and command == "up":
            options += ("--postgres", CITUS)
        environment = {"MARU_PROGRAMS": str(self.checkout / ".build/debug"), **os.environ}
        result = subprocess.run(
            [self.checkout / "deploy" / command, "--data", self.data, *options],
            env=environment,
            capture_output=True,
            text=True,
            timeout=patiently(180),
        )
        assert result.returncode == 0, result.stdout + result.stderr

    def standins(self, method, path, **more):
        reply = requests.request(method, self.standins_base + path, timeout=patiently(20), **more)
        assert reply.status_code == 200, reply.text
        return reply

    def sql(self, role, query):
        """The output of a query by the role of a service."""
        url = (self.data / f"secrets/{role}/database_url").read_text()
        return subprocess.run(
            ["psql", "-XAtc", query, url], capture_output=True, text=True, check=True, timeout=patiently(60)
        ).stdout.strip()

    def pushes(self, device):
        """Returns the pushes to a device, oldest first."""
        return [each for each in self.standins("GET", "/fcm/sent").json() if each["token"] == device]

    def push_decisions(self, room, seq):
        """The recorded decisions about the pushes of a message, or None before they are complete."""
        credential = (self.data / "secrets/realtime/service_credential").read_text().strip()
        reply = requests.get(
            f"http://127.0.0.1:{self.internals + 3}/internal/pushes/{room}/{seq}",
            headers={"Authorization": f"Bearer {credential}"},
            timeout=patiently(20),
        )
        return reply.json() if reply.status_code == 200 else None

    # The internal ports, in the order of the services.

    def metrics(self, place):
        return requests.get(f"http://127.0.0.1:{self.internals + place}/metrics", timeout=patiently(20)).text

    def spend(self, user, amount):
        """Spends coins of a user, as another service would."""
        credential = (self.data / "secrets/payment/service_credential").read_text().strip()
        reply = requests.post(
            f"http://127.0.0.1:{self.internals + 4}/internal/reserves",
            headers={"Authorization": f"Bearer {credential}"},
            json={"key": f"spent-{user}", "user_id": str(user), "amount": amount, "reason": "test"},
            timeout=patiently(20),
        )
        assert reply.status_code == 200, reply.text
