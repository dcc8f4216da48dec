"""A worker of Citus ends: its workspaces stop until it returns, and all others continue, also their work in the background."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
from datetime import datetime, timedelta, timezone

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

from app import App
from device import Device
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
        """Ends all processes of a node at once, like the loss of a machine. It stays away until `bring_back`."""
        (self.lab / f"{node}.away").touch()
        server = self.process(self.lab / f"run/{node}.pid")
        # A stopped server begins no other process meanwhile.
        os.kill(server, signal.SIGSTOP)
        children = subprocess.run(["pgrep", "-P", str(server)], capture_output=True, text=True).stdout.split()
        os.kill(server, signal.SIGKILL)
        for child in map(int, children):
            # Some end by themselves once the server has ended.
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)

    def ctl(self, *words):
        """The exit status and the reply of the operators' command."""
        result = subprocess.run(
            [self.checkout / "deploy/maructl", "--data", self.data, *map(str, words), "--json"],
            env={**os.environ, "MARU_PROGRAMS": str(self.checkout / ".build/debug")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patiently(180),
        )
        return result.returncode, json.loads(result.stdout) if result.returncode == 0 else None

    def kill_service(self):
        """deploy/up starts chat-service again."""
        os.kill(self.process(self.data / "run/chat-service.pid"), signal.SIGKILL)

    @staticmethod
    def process(record):
        return int(record.read_text().split()[0])

    def bring_back(self, node):
        """The node returns now, and not after the 20 seconds that a machine takes."""
        (self.lab / f"{node}.now").touch()
        (self.lab / f"{node}.away").unlink()


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

    def found(self, query):
        """The number of messages that a search finds, and whether it is complete."""
        reply = self.owner.send("GET", f"/workspaces/{self.workspace}/search?q={query}").json()
        return len(reply["items"]), reply["complete"]

    def history(self):
        return self.owner.send("GET", f"{self.path}?cursor_date=")

    def contents(self):
        return [each["content"] for each in self.history().json()]


def rooms_on_both_workers(product, owner):
    """A room with its workspace on node2, and one on node3."""
    rooms = {}
    # Twenty workspaces on one of two workers would be a chance of one in 500,000.
    for _ in range(20):
        room = Room(owner)
        rooms.setdefault(product.node(room.workspace), room)
        if len(rooms) == 2:
            break
    return rooms["node2"], rooms["node3"]


def test_a_worker_that_ends_stops_its_own_workspaces_and_no_other(product):
    owner = App.joined(product, "native")
    dead, living = rooms_on_both_workers(product, owner)
    for each in (dead, living):
        assert each.send("before").ok

    product.kill("node2")
    eventually(lambda: not dead.history().ok, 30)
    for number in range(20):
        assert living.send(f"meanwhile {number}").ok
        assert living.contents() == living.sent
        assert dead.send(f"refused {number}").json()["errorCode"] == "E99"
    assert dead.history().json()["errorCode"] == "E99"
    changed = owner.send("PUT", f"{living.path}/1/reactions/%F0%9F%91%8D")
    assert changed.ok, changed.text
    eventually(lambda: living.found("meanwhile") == (20, True))

    product.bring_back("node2")
    eventually(lambda: dead.send("after").ok, 60)
    # No message that was refused is there.
    assert dead.contents() == dead.sent == ["before", "after"]
    assert living.contents() == living.sent


def test_operators_see_the_reports_rooms_and_messages_of_other_workspaces_without_a_worker(product):
    owner = App.joined(product, "native")
    dead, living = rooms_on_both_workers(product, owner)
    lost, kept = [
        owner.post("/reports", {"type": "workspace", "workspace_id": str(each.workspace), "reason": "spam"})["report_id"]
        for each in (dead, living)
    ]
    for each in (dead, living):
        assert each.send("before").ok

    def listed():
        status, reply = product.ctl("reports", "list")
        return status == 0 and ({each["report_id"] for each in reply["items"]}, reply["complete"])

    assert listed() == ({lost, kept}, True)
    product.kill("node2")
    eventually(lambda: not dead.history().ok, 30)
    eventually(lambda: listed() == ({kept}, False), 60)
    place = f"channel-{living.channel.id}"
    for words in (("rooms", "show", place), ("messages", "show", place, 1), ("reports", "show", kept)):
        eventually(lambda words=words: product.ctl(*words)[0] == 0, 60)
    # They are not taken for unknown.
    place = f"channel-{dead.channel.id}"
    for words in (("rooms", "show", place), ("messages", "show", place, 1), ("reports", "show", lost)):
        assert product.ctl(*words)[0] == 4
    eventually(lambda: product.ctl("reports", "answer", kept, "dismiss", "--yes")[0] == 0, 60)

    product.bring_back("node2")
    eventually(lambda: listed() == ({lost}, True), 60)


def test_a_socket_starts_without_the_rooms_of_a_lost_worker_and_gets_them_when_it_returns(product):
    owner = App.joined(product, "native")
    dead, living = rooms_on_both_workers(product, owner)
    lost, kept = (f"channel-{each.channel.id}" for each in (dead, living))
    for each in (dead, living):
        assert each.send("before").ok

    product.kill("node2")
    eventually(lambda: not dead.history().ok, 30)
    with Device(product, cookie=owner.cookie, cursors={lost: [0, 0], kept: [0, 0]}) as device:
        rooms = {each["room"] for each in device.ready["rooms"]}
        assert kept in rooms and lost not in rooms
        assert str(dead.workspace) in device.ready["unavailable"]
        assert str(living.workspace) not in device.ready["unavailable"]
        assert living.send("meanwhile").ok

        def has(room, texts):
            return [message["content"] for message in device.messages(room)] == texts

        device.wait(lambda: has(kept, living.sent))
        product.bring_back("node2")
        eventually(lambda: dead.send("after").ok, 60)
        # The pauses grow to a minute.
        device.wait(lambda: has(lost, dead.sent), 120)
        mine = [(name, each) for name, each in device.events if name in ("joined", "message") and each["room"] == lost]
        assert mine[0][0] == "joined"
        assert not device.of("left")


class Background:
    """The work in the background of a room: messages that wait for their time, and a receiver of its events."""

    def __init__(self, product, room):
        self.product, self.room = product, room
        self.receiver = f"/receivers/citus-{room.workspace}"
        subscription = {"url": product.standins_base + self.receiver, "events": ["message"]}
        made = room.owner.post(f"/workspaces/{room.workspace}/webhooks", subscription)
        product.standins("PUT", self.receiver, json={"secret": made["secret"]})

    def schedule(self, text):
        """A message that is not due before `make_due`."""
        later = (datetime.now(timezone.utc) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.room.owner.post(f"{self.room.owner.path(self.room.channel)}/scheduled", {"content": text, "at": later})

    def make_due(self, text):
        self.product.sql(
            "chat", f"update scheduled set due_at = 0 where workspace = {self.room.workspace} and content = '{text}'"
        )

    def is_listed(self):
        """Whether an instance of chat-service that starts without a worker finds the workspace."""
        query = f"select work from busy_workspace where id = {self.room.workspace} order by work"
        return self.product.sql("chat", query).split() == ["scheduled", "webhooks"]

    def told(self):
        """The messages that the receiver was told of. A crash may repeat one with its id."""
        calls = {each["id"]: each["body"] for each in self.product.standins("GET", self.receiver).json()}
        return [each["data"]["message"]["content"] for each in calls.values()]

    def waits_for(self, *contents):
        """Waits until the room has these messages, and the receiver was told of each."""
        eventually(lambda: self.room.contents() == list(contents), 60)
        eventually(lambda: self.told() == list(contents), 60)


def test_scheduled_messages_webhooks_and_read_events_of_other_workspaces_continue_without_a_worker(product):
    owner, reader = App.joined(product, "native"), App.joined(product, "native")
    dead, living = rooms_on_both_workers(product, owner)
    owner.post(f"/workspaces/{living.workspace}/members", {"email": reader.email}, "Member")
    reader.history(living.channel)
    lost, other = Background(product, dead), Background(product, living)
    lost.schedule("late")
    other.schedule("first")
    other.schedule("second")
    # The lists are brought up to date each minute.
    eventually(lambda: lost.is_listed() and other.is_listed(), 120)

    room, said = f"channel-{living.channel.id}", []

    def say(text):
        assert living.send(text).ok
        said.append(text)

    def send_due(text):
        other.make_due(text)
        said.append(text)
        other.waits_for(*said)

    with Device(product, cookie=owner.cookie) as device, Device(product, cookie=reader.cookie) as own:
        assert device.ready and own.ready
        # The owner's socket may still open its rooms of both workers.
        product.kill("node2")
        eventually(lambda: not dead.history().ok, 30)
        send_due("first")
        say("meanwhile")
        other.waits_for(*said)
        for each in (device, own):
            each.wait(lambda each=each: [message["content"] for message in each.messages(room)] == said)

        def are_told():
            # An event may be lost on a slow machine. The next one has the newer marker.
            say("more")
            reader.call("PUT", f"{reader.path(living.channel)}/read", json={"seq": len(said)})
            reads = [[each for each in one.of("read") if each["user_id"] == reader.id] for one in (device, own)]
            return all(reads) and "unreadCount" in reads[1][-1]

        eventually(are_told, 60, pause=1)

    # An instance that starts now knows the workspaces by the list alone.
    product.kill_service()
    eventually(lambda: living.history().ok, 60)
    say("again")
    send_due("second")
    assert dead.send("refused").json()["errorCode"] == "E99"

    product.bring_back("node2")
    eventually(lambda: dead.send("back").ok, 60)
    lost.make_due("late")
    lost.waits_for("back", "late")
    assert living.contents() == said
