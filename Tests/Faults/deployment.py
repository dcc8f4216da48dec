"""A running Maru for fault tests, with second instances of some services and connections that can be cut."""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.request

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(CHECKOUT / "Tests/Deploy"))

from gateway import free_ports
from lab import Lab
from redis_lab import RedisLab
from link import Link
from processes import SERVICES, Processes
from recording import Push, Row
from waiting import patiently

# All clients have one address.
LIMITS = {"address_rate": "10000", "address_burst": "10000"}


class Deployment(Processes):
    has_reference = False
    # The services that run twice, behind the API gateway.
    doubled = ("chat-service", "realtime-gateway")

    def __init__(self, checkout, programs, log, lab=None):
        super().__init__(checkout)
        self.folder = self.folder.rename(self.folder.with_name(self.folder.name.replace("maru-", "maru-faults-")))
        self.data = self.folder / "data"
        self.programs = pathlib.Path(programs)
        self.log = log
        self.links = {}
        self.engine = lab
        self.lab = {"postgres": Lab, "redis": RedisLab}[lab](checkout, self.folder / "lab") if lab else None

    # Start and end

    async def __aenter__(self):
        self.exits = contextlib.AsyncExitStack()
        try:
            options = []
            if self.lab:
                await asyncio.to_thread(self.lab.start)
                options = [f"--{self.engine}", self.lab.service]
            if self.engine == "redis":
                self.write_limits()
            await asyncio.to_thread(self.run, "up", "--detach", "--standins", "--port", "0", *options)
            self.ports = dict(line.split("=") for line in (self.data / "ports").read_text().split())
            await self.create_links()
            # Without links the services have their settings from the beginning.
            if self.engine != "redis":
                await asyncio.gather(*(self.restart(service) for service in SERVICES))
            for service in self.doubled:
                self.start_second(service)
            self.start_nginx()
            await self.until_ready()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_):
        self.resume_all()
        for name in list(self.children):
            process = self.children.pop(name)
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, 40)
            except subprocess.TimeoutExpired:
                process.kill()
        await asyncio.to_thread(self.run, "down")
        if self.lab:
            await asyncio.to_thread(self.lab.stop)
        await self.exits.aclose()

    def run(self, command, *options):
        environment = {**os.environ, "MARU_PROGRAMS": str(self.programs)}
        line = [self.checkout / "deploy" / command, "--data", self.data, *options]
        result = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=patiently(300))
        assert result.returncode == 0, result.stdout + result.stderr

    async def create_links(self):
        """Gives each instance its own link to Redis and to Postgres, and nginx its own link to each realtime-gateway."""
        for service in SERVICES:
            for instance in (service, f"{service}-2") if service in self.doubled else (service,):
                if self.engine != "redis":
                    await self.create_link(f"redis of {instance}", int(self.ports["redis_port"]))
                if not self.engine:
                    await self.create_link(f"postgres of {instance}", int(self.ports["postgres_port"]))
            if self.engine != "redis":
                self.write_settings(service, self.settings(service, service))
        self.second_ports = {service: tuple(free_ports(2)) for service in self.doubled}
        index = SERVICES.index("realtime-gateway")
        await self.create_link("sockets of realtime-gateway", int(self.ports["services_port"]) + index)
        await self.create_link("sockets of realtime-gateway-2", self.second_ports["realtime-gateway"][0])

    async def create_link(self, name, port):
        self.links[name] = await self.exits.enter_async_context(Link(port))

    def settings(self, service, instance):
        role = service.split("-")[0]
        redis = (self.data / f"secrets/{role}/redis_url").read_text()
        database = (self.data / f"secrets/{role}/database_url").read_text()
        if self.engine != "redis":
            redis = re.sub(r"@.*", f"@127.0.0.1:{self.links[f'redis of {instance}'].port}/0", redis)
        if not self.engine:
            database = re.sub(r"@.*", f"@127.0.0.1:{self.links[f'postgres of {instance}'].port}/maru", database)
        return {"redis_url": redis, "database_url": database, **LIMITS}

    def write_limits(self):
        """Writes the settings of services that do not run yet."""
        for service in SERVICES:
            with open(self.data / f"settings/{service}.conf", "a") as own:
                own.writelines(f"{key} = {value}\n" for key, value in LIMITS.items())

    def write_settings(self, service, settings):
        known = (self.data / f"config/{service}.conf").read_text()
        lines = [f"{key} = {value}\n" for key, value in settings.items() if key in ("redis_url", "database_url") or key in known]
        own = self.data / f"settings/{service}.conf"
        kept = own.read_text().splitlines(True) if own.exists() else []
        own.write_text("".join([line for line in kept if line.split(" =")[0] not in settings] + lines))

    def start_second(self, service):
        name, (public, internal) = f"{service}-2", self.second_ports[service]
        changed = {**self.settings(service, name), "public_address": f"127.0.0.1:{public}"}
        changed |= {"internal_address": f"127.0.0.1:{internal}"}
        if service == "realtime-gateway":
            changed["node"] = "second"
        kept = []
        for line in (self.data / f"config/{service}.conf").read_text().splitlines():
            key = line.split("=")[0].strip()
            # The first instance listens at its own addresses.
            own = ("redis_url_file", "database_url_file", "instance_address", "shared_ports")
            if key not in changed and key not in own:
                kept.append(line)
        kept += [f"{key} = {value}" for key, value in changed.items() if not key.startswith("address_")]
        configuration = self.data / f"config/{name}.conf"
        configuration.touch(0o600)
        configuration.write_text("\n".join(kept) + "\n")
        self.start_child(name, [self.programs / service, "--config", configuration])

    def start_nginx(self):
        self.render_nginx()
        folder = self.data / "nginx"
        self.start_child("nginx", ["nginx", "-p", folder, "-c", folder / "nginx.conf"])

    def render_nginx(self):
        first = int(self.ports["services_port"])
        addresses = {service: [f"127.0.0.1:{first + index}"] for index, service in enumerate(SERVICES)}
        for service in self.doubled:
            addresses[service].append(f"127.0.0.1:{self.second_ports[service][0]}")
        addresses["realtime-gateway"] = [
            f"127.0.0.1:{self.links[f'sockets of {each}'].port}" for each in ("realtime-gateway", "realtime-gateway-2")
        ]
        if not hasattr(self, "port"):
            self.port, self.status_port = free_ports(2)
            self.base = f"http://127.0.0.1:{self.port}"
        environment = {
            **os.environ,
            "MARU_GATEWAY_LISTEN": f"127.0.0.1:{self.port}",
            "MARU_GATEWAY_STATUS_LISTEN": f"127.0.0.1:{self.status_port}",
            "MARU_GATEWAY_REQUESTS_PER_ADDRESS": "100000",
            "MARU_GATEWAY_REQUESTS_PER_CALLER": "100000",
            "MARU_GATEWAY_WORKERS": "1",
            **{f"MARU_GATEWAY_{service.split('-')[0].upper()}": " ".join(addresses[service]) for service in SERVICES},
        }
        subprocess.run([self.checkout / "deploy/nginx/render", self.data / "nginx"], env=environment, check=True, timeout=patiently(30))

    def start_child(self, name, command):
        log = open(self.data / f"logs/{name}.log", "ab")
        with log:
            self.children[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC"},
            )

    def start_again(self, name):
        if name == "nginx":
            self.start_nginx()
        else:
            self.start_second(name.removesuffix("-2"))

    # State

    async def until_ready(self, limit=60):
        end = time.monotonic() + patiently(limit)
        first = int(self.ports["internals_port"])
        ports = [first + index for index in range(len(SERVICES))] + [each[1] for each in self.second_ports.values()]
        for url in [f"http://127.0.0.1:{port}/readyz" for port in ports] + [f"http://127.0.0.1:{self.status_port}/healthz"]:
            while not await asyncio.to_thread(answers, url):
                assert time.monotonic() < end, f"{url} is not ready"
                await asyncio.sleep(0.1)

    def has_started(self, name):
        """Whether a process listens; Postgres must also have recovered."""
        if name == "postgres":
            return subprocess.run(["pg_isready", "-q", "-h", "127.0.0.1", "-p", self.ports["postgres_port"]]).returncode == 0
        if name == "nginx":
            return answers(f"http://127.0.0.1:{self.status_port}/healthz")
        if name in SERVICES:
            port = int(self.ports["internals_port"]) + SERVICES.index(name)
        else:
            port = int(self.ports["redis_port"]) if name == "redis" else self.second_ports[name.removesuffix("-2")][1]
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
            return True
        return False

    def rows(self):
        """Returns all messages in the database."""
        url = (self.data / "secrets/chat/database_url").read_text()
        query = "select json_agg(json_build_array(kind, room, seq, id, author, content, client_id, created_at, rev)) from message"
        environment = {**os.environ, "PGTARGETSESSIONATTRS": "read-write", "PGCONNECT_TIMEOUT": "3"}
        command = ["psql", "-XAtc", query, url]
        output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=patiently(60)).stdout
        return [
            Row(f"{'channel' if kind == 1 else 'dm'}-{room}", seq, id, author, content, client_id, at / 1000, rev)
            for kind, room, seq, id, author, content, client_id, at, rev in json.loads(output or "null") or []
        ]

    def standin(self, path, body=None):
        url = f"http://127.0.0.1:{self.ports['standins_port']}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(request, timeout=patiently(20)).read())

    def pushes(self):
        return [
            Push(message["token"], message["apns"]["headers"]["apns-collapse-id"], message["notification"]["body"])
            for message in self.standin("/fcm/sent")
        ]


def answers(url):
    try:
        return urllib.request.urlopen(url, timeout=2).status == 200
    except OSError:
        return False
