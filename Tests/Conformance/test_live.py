"""Sockets: admission, and the events of each app, with both versions of python-socketio."""

import contract
import pytest
from sockets import LINES, Sockets
from waiting import eventually

NAMES = contract.KEYS


@pytest.fixture(scope="module")
def party(worlds):
    """An app of each key in one workspace, which the first owns."""
    apps = {key: worlds[key].owner for key in NAMES}
    owner = apps["collatalk"]
    others = [app for app in apps.values() if app is not owner]
    return apps, owner, owner.make_workspace(*others)


@pytest.mark.parametrize("line", LINES)
def test_every_app_receives_a_channel_in_its_own_generation(product, party, line):
    apps, owner, workspace = party
    channel = owner.make_channel(workspace)
    namespace = f"/ws-channel-{channel.id}"
    with Sockets(product, line) as sockets:
        # Two apps connect before their first history call, the others after it.
        for key, app in apps.items():
            connects_first = key in ("sooda", "gathering")
            if connects_first:
                assert sockets.open(key, namespace, cookie=app.cookie)
            app.history(channel)
            if not connects_first:
                assert sockets.open(key, namespace, cookie=app.cookie)
        said = [app.say(channel, f"{key} speaks")["content"] for key, app in apps.items()]
        for key, app in apps.items():
            # This app shows its own message from the reply, so an echo would show it twice.
            sockets.await_contents(key, [each for each in said if (key, each) != ("collabee", "collabee speaks")])
            for event, arguments in sockets.heard(key):
                assert event == "channel" and len(arguments) == 1
                contract.hold(arguments[0], "Chat", app.generation, key)


@pytest.mark.parametrize("line", LINES)
def test_every_app_with_live_dms_receives_them(product, party, line):
    apps, owner, _ = party
    # Each app needs its own room: some are sent unconfirmed events of their last socket again.
    workspace = owner.make_workspace(*(app for app in apps.values() if app is not owner))
    with Sockets(product, line) as sockets:
        rooms = {}
        for key, app in apps.items():
            if app is not owner:
                rooms[key] = owner.open_dm(workspace, app)
                assert sockets.open(key, f"/ws-dm-{rooms[key]}", cookie=app.cookie)
        for key, room in rooms.items():
            owner.whisper(workspace, room, f"to {key}")
        for key in rooms:
            sockets.await_contents(key, [f"to {key}"])
            ((event, arguments),) = sockets.heard(key)
            assert event == "dm" and len(arguments) == 1
            contract.hold(arguments[0], "Dm", apps[key].generation, key)


@pytest.mark.parametrize("transports", [["polling"], ["websocket"]], ids=lambda each: each[0])
@pytest.mark.parametrize("line", LINES)
def test_either_transport_alone_is_enough(product, party, line, transports):
    apps, owner, workspace = party
    listener = apps["native"]
    channel = owner.make_channel(workspace, None, listener)
    with Sockets(product, line) as sockets:
        assert sockets.open("one", f"/ws-channel-{channel.id}", cookie=listener.cookie, transports=transports)
        contents = [owner.say(channel, text)["content"] for text in ("하나", "둘", "x" * 5000)]
        sockets.await_contents("one", contents)


def test_a_socket_is_admitted_by_cookie_payload_or_bearer_token_and_by_nothing_else(product, party):
    apps, owner, workspace = party
    app = apps["native"]
    namespace = f"/ws-channel-{owner.make_channel(workspace, None, app).id}"
    with Sockets(product) as sockets:
        assert sockets.open("cookie", namespace, cookie=app.cookie)
        assert sockets.open("payload", namespace, auth={"token": app.token})
        assert sockets.open("bearer", namespace, bearer=f"Bearer {app.token}")
        assert not sockets.open("nothing", namespace)
        assert not sockets.open("garbage", namespace, cookie="maru_socket=garbage")
        assert not sockets.open("access token as cookie", namespace, cookie=f"maru_socket={app.token}")
        assert not sockets.open("refresh token", namespace, auth={"token": app.refresh})


def test_the_cookie_opens_no_route(worlds):
    app = worlds["gen-2024-07"].owner.another_device()
    assert app.cookie
    app.token = None
    app.refused("E02", "GET", "/workspaces")


def test_a_namespace_admits_users_with_access(product, party, worlds):
    apps, owner, workspace = party
    stranger, member = worlds["collabee"].stranger, apps["collabee"]
    channel = owner.make_channel(workspace)
    room = owner.open_dm(workspace, apps["gathering"])
    with Sockets(product) as sockets:
        assert not sockets.open("stranger", f"/ws-channel-{channel.id}", cookie=stranger.cookie)
        assert not sockets.open("third", f"/ws-dm-{room}", cookie=member.cookie)
        assert not sockets.open("nowhere", "/ws-channel-999999999", cookie=owner.cookie)
        assert not sockets.open("nothing", "/ws-nothing-1", cookie=owner.cookie)
        # A member of the workspace is admitted as an observer and receives nothing before joining.
        assert sockets.open("observer", f"/ws-channel-{channel.id}", cookie=member.cookie)
        owner.say(channel, "before")
        member.history(channel)
        owner.say(channel, "after")
        sockets.await_contents("observer", ["after"])


def test_a_socket_closes_when_its_session_ends(product, party):
    apps, owner, workspace = party
    device = apps["sooda"].another_device()
    channel = owner.make_channel(workspace, None, apps["sooda"])
    with Sockets(product) as sockets:
        assert sockets.open("ended", f"/ws-channel-{channel.id}", cookie=device.cookie)
        assert sockets.open("goes on", f"/ws-channel-{channel.id}", cookie=apps["sooda"].cookie)
        device.get("/users/logout")
        sockets.wait(lambda: ["closed", "ended"] in sockets.happened)
        owner.say(channel, "after")
        sockets.await_contents("goes on", ["after"])
        assert not sockets.open("again", f"/ws-channel-{channel.id}", cookie=device.cookie)


def until_refused(app, channel):
    """Waits until chat-service refuses a former member. It hears of the removal a moment later, as the gateway does."""
    unreads = f"{app.path(channel)}/unreads"
    eventually(lambda: app.send("GET", unreads).status_code >= 400)
    app.refused("E13", "GET", unreads)


@pytest.mark.parametrize("place", ["channel", "workspace"])
def test_a_member_removed_by_the_owner_receives_nothing_more(product, party, place):
    apps, owner, _ = party
    removed, stayer = apps["gen-2024-07"], apps["native"]
    workspace = owner.make_workspace(removed, stayer)
    channel = owner.make_channel(workspace, None, removed, stayer)
    of = owner.path(channel) if place == "channel" else f"/workspaces/{workspace}"
    with Sockets(product) as sockets:
        for name, app in {"removed": removed, "stayer": stayer}.items():
            assert sockets.open(name, f"/ws-channel-{channel.id}", cookie=app.cookie)
        owner.say(channel, "before")
        sockets.await_contents("removed", ["before"])
        owner.call("DELETE", f"{of}/members/{removed.id}")
        until_refused(removed, channel)
        for text in ("one", "two"):
            owner.say(channel, text)
        sockets.await_contents("stayer", ["before", "one", "two"])
        assert sockets.contents("removed") == ["before"]


def test_a_removed_member_receives_nothing_more(product, party):
    apps, owner, workspace = party
    leaver, stayer = apps["gen-2024-07"], apps["native"]
    channel = owner.make_channel(workspace, None, leaver, stayer)
    with Sockets(product) as sockets:
        for name, app in {"leaver": leaver, "stayer": stayer}.items():
            assert sockets.open(name, f"/ws-channel-{channel.id}", cookie=app.cookie)
        leaver.get(f"{leaver.path(channel)}/exit", "[Channel]")
        until_refused(leaver, channel)
        for text in ("one", "two"):
            owner.say(channel, text)
        sockets.await_contents("stayer", ["one", "two"])
        assert sockets.contents("leaver") == []
