"""Several sockets of one session in one room, and history calls made while a socket joins."""

import json
import pathlib
import signal
import threading
import time

import contract
import pytest
from app import App
from sockets import Sockets
from wire import Wire

PROFILES = json.loads((pathlib.Path(__file__).resolve().parents[2] / "deploy/clients.json").read_text())
FATAL = [key for key in contract.KEYS if PROFILES[key]["repeated_event"] == "fatal"]
HARMLESS = [key for key in contract.KEYS if key not in FATAL]
each_key = pytest.mark.parametrize("key", contract.KEYS)
# Seconds. A history reply leaves out the messages of a socket of its session for this long after the join, and a joining socket waits a
# little longer than the second time for the reply. On a machine that stood still between the two, a message may come twice.
JOINED_JUST_NOW, HISTORY_WAIT = 3, 0.8


@pytest.fixture(scope="module")
def author(worlds):
    """A user of another profile, the author of the messages."""
    return worlds["gen-2024-07"].painter


@pytest.fixture
def room(product, author, key):
    """An app of the profile that has read a channel's history, and the channel."""
    app = App.joined(product, key)
    workspace = author.make_workspace(app)
    return app, author.make_channel(workspace, None, app)


@pytest.mark.parametrize("old", ["alive", "silent", "half-open"])
@each_key
def test_each_socket_gets_what_is_said_after_its_join_whatever_the_sessions_older_socket_does(
    product, author, room, key, old
):
    app, channel = room
    namespace = f"/ws-channel-{channel.id}"
    with Wire(product) as wire, Sockets(wire) as first, Sockets(product) as second:
        assert first.open("one", namespace, cookie=app.cookie)
        author.say(channel, "before")
        first.await_contents("one", ["before"])
        if old == "silent":
            first.process.send_signal(signal.SIGSTOP)
        elif old == "half-open":
            wire.swallow()
        try:
            assert second.open("two", namespace, cookie=app.cookie)
            said = [author.say(channel, f"after {number}")["content"] for number in range(3)]
            second.wait(lambda: said[-1] in second.contents("two"))
            assert [each for each in second.contents("two") if each != "before"] == said
            # Only a profile with harmless repeated events may get unconfirmed messages again.
            assert key in HARMLESS or "before" not in second.contents("two")
            if old == "alive":
                first.wait(lambda: said[-1] in first.contents("one"))
                assert sorted(first.contents("one")) == sorted(["before", *said])
        finally:
            first.process.send_signal(signal.SIGCONT)
            wire.is_open.set()


@pytest.mark.parametrize("key", FATAL)
def test_a_history_reply_leaves_out_what_the_joining_socket_was_just_sent(product, author, room, key):
    app, channel = room
    namespace = f"/ws-channel-{channel.id}"
    said = []
    while True:
        read, live = f"read {len(said)}", f"live {len(said)}"
        said += [read, live]
        cursor = author.say(channel, read)["createdAt"]
        app.history(channel)
        with Sockets(product) as sockets:
            began = time.monotonic()
            assert sockets.open("one", namespace, cookie=app.cookie)
            author.say(channel, live)
            sockets.await_contents("one", [live])
            found = [each["content"] for each in app.history(channel, cursor)]
            if found and time.monotonic() - began >= JOINED_JUST_NOW and len(said) < 10:
                continue
            assert found == []
            # A client without any message yet cannot take live ones in: its history holds everything.
            assert [each["content"] for each in app.history(channel)] == said
            break
    other = app.another_device()
    assert [each["content"] for each in other.history(channel, cursor)] == [live]


@pytest.mark.parametrize("key", HARMLESS)
def test_a_history_reply_holds_everything_where_repeated_events_are_harmless(product, author, room, key):
    app, channel = room
    cursor = author.say(channel, "read")["createdAt"]
    app.history(channel)
    with Sockets(product) as sockets:
        assert sockets.open("one", f"/ws-channel-{channel.id}", cookie=app.cookie)
        author.say(channel, "live")
        sockets.await_contents("one", ["live"])
        assert [each["content"] for each in app.history(channel, cursor)] == ["live"]


@pytest.mark.parametrize("key", ["gathering", "gen-2024-07"])
def test_entering_a_busy_room_over_a_slow_network_shows_each_message_once(product, author, room, key):
    app, channel = room
    for _ in range(5):
        numbers, longest = shown_in_a_busy_room(product, author, app, channel)
        if numbers == list(range(1, numbers[-1] + 1)) or longest < HISTORY_WAIT:
            break
        channel = author.make_channel(channel.workspace, None, app)
    assert numbers == list(range(1, numbers[-1] + 1)), longest


def shown_in_a_busy_room(product, author, app, channel):
    """The numbers of all messages that the app shows after six entries, and the longest time until one had its history."""
    namespace = f"/ws-channel-{channel.id}"
    longest = 0
    shown, cursor = [], author.say(channel, "0")["createdAt"]
    app.history(channel)
    done = threading.Event()
    said = ["0"]

    def talk():
        while not done.wait(0.03):
            said.append(author.say(channel, str(len(said)))["content"])

    talking = threading.Thread(target=talk)
    talking.start()
    with Wire(product, delay=0.08) as wire:
        app.product = wire
        try:
            for entry in range(6):
                with Sockets(wire) as sockets:
                    began = time.monotonic()
                    opening = threading.Thread(target=sockets.open, args=("app", namespace), kwargs={"cookie": app.cookie})
                    opening.start()
                    history = app.history(channel, cursor)
                    longest = max(longest, time.monotonic() - began)
                    opening.join()
                    newest = str(len(said))
                    sockets.wait(lambda: newest in sockets.contents("app"))
                    heard = [arguments[0] for _, arguments in sockets.heard("app")]
                    shown += [each["content"] for each in history + heard]
                    cursor = max(each["createdAt"] for each in history + heard)
        finally:
            done.set()
            talking.join()
            app.product = product
    return sorted(map(int, shown)), longest
