"""The `/me` socket of native clients: one socket a device for all rooms of all workspaces."""

import pytest
from device import Device
from waiting import eventually

POLLING, WEBSOCKET = ["polling"], ["websocket"]


@pytest.fixture
def home(join):
    """A user with a channel and a DM in each of two workspaces, and a friend in them."""
    owner, friend = join("native", nickname="주인"), join("native", nickname="친구")
    workspaces = [owner.make_workspace(friend) for _ in range(2)]
    channels = [owner.make_channel(workspace, None, friend) for workspace in workspaces]
    dms = [owner.open_dm(workspace, friend) for workspace in workspaces]
    return owner, friend, workspaces, channels, dms


def key(channel):
    return f"channel-{channel.id}"


@pytest.mark.parametrize("how", ["cookie", "bearer", "token"])
def test_it_is_identified_by_cookie_bearer_or_token(product, join, how):
    app = join("native")
    proof = {"cookie": app.cookie, "bearer": f"Bearer {app.token}", "token": app.token}[how]
    with Device(product, **{how: proof}) as device:
        assert device.ready["user"]["user_id"] == app.id
        assert device.events[0][0] == "ready"
        assert device.ready["session"].isdigit() and device.ready["serverTime"].endswith("Z")
        assert device.ready["settings"]["presence"] is True and device.ready["rooms"] == []


def test_it_is_refused_without_an_identity_and_to_shipped_apps(product, join):
    with Device(product) as device:
        assert device.refusal == "Unauthorized"
    with Device(product, cookie=join("collatalk").cookie) as device:
        assert device.refusal == "Forbidden"
    with Device(product, cookie=join("native").cookie, cursors={"lobby": [1, 2]}) as device:
        assert device.refusal == "Invalid cursors"


@pytest.mark.parametrize("transports, deflate", [(POLLING, False), (WEBSOCKET, False), (WEBSOCKET, True), (None, True)])
def test_it_hears_all_rooms_of_all_workspaces(product, home, transports, deflate):
    owner, friend, workspaces, channels, dms = home
    with Device(product, cookie=owner.cookie, transports=transports, deflate=deflate) as device:
        assert {each["room"] for each in device.ready["rooms"]} >= {key(each) for each in channels}
        assert {each["workspace_id"] for each in device.ready["rooms"]} == {str(each) for each in workspaces}
        listed = {each["channel_id"]: each for each in owner.get(f"/workspaces/{workspaces[0]}/rooms")
                  if "channel_id" in each}
        for room in device.ready["rooms"]:
            if room.get("channel_id") in listed:
                assert {name: room[name] for name in room if name not in ("room", "workspace_id")} == listed[
                    room["channel_id"]
                ]
        for channel in channels:
            friend.say(channel, f"in {channel.id}")
        for workspace, dm in zip(workspaces, dms):
            friend.whisper(workspace, dm, f"dm {dm}" * 100)
        device.wait(lambda: len(device.of("message")) == 4)
        for channel in channels:
            (message,) = device.messages(key(channel))
            assert (message["seq"], message["content"], message["rev"]) == (1, f"in {channel.id}", 0)
            assert message == {**owner.get(f"{owner.path(channel)}/chats/1"), "reactions": message["reactions"]}
        friend.call("PUT", f"{friend.path(channels[0])}/chats/1", json={"content": "edited"})
        changed = device.first("changed")
        assert changed["room"] == key(channels[0]) and changed["message"]["content"] == "edited"


def test_it_resumes_from_cursors(product, home):
    owner, friend, workspaces, channels, dms = home
    first, second = channels
    for number in range(1, 6):
        friend.say(first, f"{number}")
    friend.say(second, "seen")
    friend.call("PUT", f"{friend.path(first)}/chats/1", json={"content": "eins"})
    friend.call("PUT", f"{friend.path(first)}/chats/2", json={"content": "zwei"})
    friend.call("PUT", f"{friend.path(second)}/chats/1/reactions/👍")
    cursors = {key(first): [3, 1], key(second): [1, 1]}
    with Device(product, cookie=owner.cookie, cursors=cursors) as device:
        device.wait(lambda: device.of("changed"))
        friend.say(second, "live")
        device.wait(lambda: device.messages(key(second)))
        assert [each["seq"] for each in device.messages(key(first))] == [4, 5]
        assert [(each["message"]["seq"], each["message"]["rev"]) for each in device.of("changed")] == [(2, 2)]
        assert [each["content"] for each in device.messages(key(second))] == ["live"]
        names = [name for name, _ in device.events]
        assert names.index("changed") > names.index("message")
        assert device.of("gap") == []
    # A room that is not named begins at the present that ready reports.
    with Device(product, cookie=owner.cookie, cursors={key(second): [2, 1]}) as device:
        assert device.room(key(first))["lastSeq"] == 5
        friend.say(first, "six")
        device.wait(lambda: device.of("message"))
        assert [each["message"]["content"] for each in device.of("message")] == ["six"]


def test_access_follows_joins_and_removals(product, home, join):
    owner, friend, workspaces, channels, dms = home
    with Device(product, cookie=friend.cookie) as device:
        assert key(channels[0]) in {each["room"] for each in device.ready["rooms"]}
        added = owner.make_channel(workspaces[0])
        friend.history(added)
        device.first("joined", lambda each: each["room"] == key(added))
        owner.say(added, "welcome")
        device.wait(lambda: device.messages(key(added)))
        owner.call("DELETE", f"/workspaces/{workspaces[0]}/channels/{added.id}/members/{friend.id}")
        device.first("left", lambda each: each["room"] == key(added))
        owner.say(added, "secret")
        third = join("native", nickname="셋")
        owner.post(f"/workspaces/{workspaces[0]}/members", {"email": third.email})
        dm = third.open_dm(workspaces[0], friend)
        device.first("joined", lambda each: each["room"] == f"dm-{dm}")
        third.whisper(workspaces[0], dm, "hello")
        device.wait(lambda: device.messages(f"dm-{dm}"))
        assert [each["content"] for each in device.messages(key(added))] == ["welcome"]
        # One that leaves the workspace leaves all of its rooms.
        friend.call("GET", f"/workspaces/{workspaces[0]}/exit")
        eventually(lambda: key(channels[0]) in {each["room"] for each in device.of("left")})
        eventually(lambda: f"dm-{dm}" in {each["room"] for each in device.of("left")})


def test_a_channel_of_ones_own_joins_by_itself(product, home):
    owner, friend, workspaces, channels, dms = home
    with Device(product, cookie=owner.cookie) as device:
        assert device.ready
        made = owner.make_channel(workspaces[0])
        device.first("joined", lambda each: each["room"] == key(made))
        workspace = owner.make_workspace()
        default = owner.default_channel(workspace)
        device.first("joined", lambda each: each["room"] == key(default))


def test_the_end_of_the_session_closes_it(product, join):
    app = join("native")
    with Device(product, cookie=app.cookie) as device:
        assert device.ready
        app.get("/users/logout")
        assert device.first("sessionEnded")["reason"]
        device.wait(lambda: device.is_closed)
