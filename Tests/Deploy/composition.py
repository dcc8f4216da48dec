"""The product from images on a Docker engine, and two users of it."""

import json
import os
import resource
import secrets
import shutil
import subprocess

import requests
import socketio
from gateway import CHECKOUT, eventually, free_ports, patiently

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000b49444154789c63600002000005"
    "00017a5eab3f0000000049454e44ae426082"
)
KEY = {"SesacKey": "gen-2024-07"}


class Composition:
    """A compose project with its own name, volumes and ports."""

    def __init__(self, folder):
        self.folder = folder
        self.port, self.tls_port = free_ports(2)
        self.clients = folder / "clients.json"
        shutil.copy(CHECKOUT / "deploy/clients.json", self.clients)
        self.clients.chmod(0o644)
        self.certificates = folder / "certificates"
        self.certificates.mkdir()
        self.certificates.chmod(0o755)
        self.project = f"maru-{secrets.token_hex(4)}"
        has_plugin = subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
        self.compose = ["docker", "compose"] if has_plugin else ["docker-compose"]
        self.environment = {
            **os.environ,
            "COMPOSE_FILE": str(CHECKOUT / "docker-compose.yml"),
            "COMPOSE_PROJECT_NAME": self.project,
            "MARU_PORT": str(self.port),
            "MARU_TLS_PORT": str(self.tls_port),
            # Do not use the default, which another project may use.
            "MARU_REDIS_MEMORY": "512m",
            "MARU_CERTIFICATES": str(self.certificates),
            "MARU_CLIENTS": str(self.clients),
            # The memory that this machine can give to a container.
            "MARU_OPEN_FILES": str(min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])),
        }

    def run(self, *arguments, timeout=300, check=True):
        command = [*self.compose, *arguments]
        result = subprocess.run(
            command, cwd=CHECKOUT, env=self.environment, capture_output=True, text=True, timeout=timeout
        )
        assert not check or result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def run_block(self, block):
        """Runs a block of a page unchanged, without a terminal and with either version of compose."""
        functions = f"""
            docker() {{
                [[ $1 == compose ]] || {{ command docker "$@"; return; }}
                shift
                if [[ ($1 == exec || $1 == run) && " $* " != *" -T "* ]]; then set -- "$1" -T "${{@:2}}"; fi
                command {' '.join(self.compose)} "$@"
            }}
        """
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", functions + block],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert result.returncode == 0, f"{block}\n{result.stdout}\n{result.stderr}"

    def containers(self, service=None):
        """Returns all containers, including those that have ended."""
        labels = {"project": self.project, "oneoff": "False"} | ({"service": service} if service else {})
        filters = [f"--filter=label=com.docker.compose.{name}={value}" for name, value in labels.items()]
        identifiers = docker("ps", "--all", "--quiet", *filters).split()
        assert identifiers, labels
        return json.loads(docker("inspect", *identifiers))

    def is_healthy(self, service):
        states = [each["State"] for each in self.containers(service)]
        return all(state.get("Health", {}).get("Status") == "healthy" for state in states)

    @property
    def api(self):
        return f"http://127.0.0.1:{self.port}/v1"


def docker(*arguments, check=True):
    result = subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=patiently(300))
    assert not check or result.returncode == 0, result.stderr
    return result.stdout


class Person:
    def __init__(self, composition, name):
        self.api = composition.api
        self.session = requests.Session()
        self.session.headers.update(KEY)
        account = {"email": f"{name}-{secrets.token_hex(4)}@example.com", "password": "Saessak-2024!", "nickname": name}
        self.email = account["email"]
        user = self.call("POST", "/users/join", json=account)
        self.session.headers["Authorization"] = user["token"]["accessToken"]

    def call(self, method, path, **arguments):
        reply = self.session.request(method, self.api + path, timeout=patiently(30), **arguments)
        assert reply.status_code == 200, (path, reply.status_code, reply.text)
        return reply.json() if reply.content else None


class Conversation:
    """Two users in one channel. The second listens on a socket that is admitted by its cookie only."""

    def __init__(self, composition):
        self.writer, self.listener = Person(composition, "writer"), Person(composition, "listener")
        image = {"image": ("a.png", PIXEL, "image/png")}
        workspace = self.writer.call("POST", "/workspaces", data={"name": secrets.token_hex(4)}, files=image)["workspace_id"]
        self.writer.call("POST", f"/workspaces/{workspace}/members", json={"email": self.listener.email})
        channel = self.writer.call("POST", f"/workspaces/{workspace}/channels", data={"name": "talk"})["channel_id"]
        self.chats = f"/workspaces/{workspace}/channels/{channel}/chats"
        self.listener.call("GET", self.chats)
        self.heard = []
        namespace = f"/ws-channel-{channel}"
        self.socket = socketio.Client(http_session=self.listener.session, reconnection_delay=0.2, request_timeout=patiently(30))
        self.socket.on("channel", lambda chat: self.heard.append(chat["content"]), namespace=namespace)
        self.socket.connect(f"http://127.0.0.1:{composition.port}", namespaces=[namespace], wait_timeout=patiently(30))

    def say(self, content):
        return self.writer.call("POST", self.chats, data={"content": content})

    def carries_a_message(self):
        """Sends a message from one user to the other's socket, and retries failed calls."""
        content = secrets.token_hex(8)

        def attempt():
            try:
                self.say(content)
                return True
            except (AssertionError, requests.RequestException):
                return False

        eventually(attempt, 30)
        eventually(lambda: content in self.heard, 30)

    def close(self):
        self.socket.disconnect()
