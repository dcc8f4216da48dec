"""A worker of Citus ends: its workspaces stop until it returns, and the messages of all others go on."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

from app import App
from product import Product
from waiting import eventually, patiently

pytestmark = pytest.mark.timeout(patiently(600))


class CitusProduct(Product):
    """Maru on a cluster of its own: a coordinator, and the workers node2 and node3."""

    def __init__(self, checkout):
        super().__init__(checkout)
        self.lab = self.folder / "lab"
        (self.data / "settings/chat-service.conf").write_text("user_burst = 10000\nchat_engine = citus\n")

    def __enter__(self):
        self.in_lab("citus", "--detach")
        try:
            return super().__enter__()
        except BaseException:
            self.in_lab("down")
            raise

    def __exit__(self, *_):
        self.run("down")
        self.in_lab("down")
        # The servers of a lab that root starts have a folder elsewhere.
        subprocess.run(["rm", "-rf", self.folder], check=True)

    def run(self, command, *options):
        super().run(command, *options, *(["--postgres", self.lab / "service.conf"] if command == "up" else []))

    def in_lab(self, *words):
        command = [self.checkout / "deploy/lab", *words, "--data", self.lab]
        result = subprocess.run(command, capture_output=True, text=True, timeout=patiently(180))
        assert result.returncode == 0, result.stdout + result.stderr

    def node(self, workspace):
        """The node that has the rows of a workspace."""
        query = f"""
            select nodeport from pg_dist_shard_placement
            where shardid = get_shard_id_for_distribution_column('chat.room', {workspace})
        """
        environment = {**os.environ, "PGSERVICEFILE": str(self.lab / "service.conf"), "PGSERVICE": "maru"}
        found = subprocess.run(
            ["psql", "-XAtc", query, "dbname=maru"], env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()
        ports = {port: name for name, port, _ in map(str.split, (self.lab / "nodes").read_text().splitlines())}
        return ports[found]

    def kill(self, node):
        os.kill(int((self.lab / f"run/{node}.pid").read_text().split()[0]), signal.SIGKILL)

    def bring_back(self, node):
        """The node returns now, and not after the 20 seconds that a machine takes."""
        (self.lab / f"{node}.now").touch()


@pytest.fixture(scope="module")
def product():
    with CitusProduct(CHECKOUT) as running:
        yield running


class Room:
    """A channel of a workspace, and the messages that were acknowledged."""

    def __init__(self, owner):
        self.owner = owner
        self.workspace = owner.make_workspace()
        self.channel = owner.make_channel(self.workspace, None)
        self.sent = []

    @property
    def path(self):
        return f"{self.owner.path(self.channel)}/chats"

    def send(self, text):
        reply = self.owner.send("POST", self.path, files=[("content", (None, text))])
        if reply.ok:
            self.sent.append(text)
        return reply

    def history(self):
        return self.owner.send("GET", f"{self.path}?cursor_date=")


def test_a_worker_that_ends_stops_its_own_workspaces_and_no_other(product):
    owner = App.joined(product, "native")
    rooms = {}
    # Twenty workspaces on one of two workers would be a chance of one in 500,000.
    for _ in range(20):
        room = Room(owner)
        rooms.setdefault(product.node(room.workspace), room)
        if len(rooms) == 2:
            break
    dead, living = rooms["node2"], rooms["node3"]
    for each in rooms.values():
        assert each.send("before").ok

    product.kill("node2")
    eventually(lambda: dead.send("lost").json().get("errorCode") == "E99", 30)
    for number in range(20):
        assert living.send(f"meanwhile {number}").ok
        assert [each["content"] for each in living.history().json()] == living.sent
        assert dead.send(f"refused {number}").json()["errorCode"] == "E99"
    assert dead.history().json()["errorCode"] == "E99"
    changed = owner.send("PUT", f"{living.path}/1/reactions/%F0%9F%91%8D")
    assert changed.ok, changed.text

    product.bring_back("node2")
    eventually(lambda: dead.send("after").ok, 60)
    # No message that was refused is there.
    assert [each["content"] for each in dead.history().json()] == dead.sent == ["before", "after"]
    assert [each["content"] for each in living.history().json()] == living.sent
