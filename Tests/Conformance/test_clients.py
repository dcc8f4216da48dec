"""Quirks of the apps' requests, and behaviour that the apps rely on."""

import unicodedata
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

import contract
import pytest
from app import IMAGE, PASSWORD, PICTURE, App, counter
from waiting import eventually

each_key = pytest.mark.parametrize("key", contract.KEYS)


def named(name):
    return f"{name} {next(counter)}"


@each_key
def test_gets_may_end_in_a_question_mark_and_have_a_json_content_type(world):
    app, json = world.owner, {"Content-Type": "application/json"}
    for path in ("/workspaces?", f"/workspaces/{world.workspace}?", f"/workspaces/{world.workspace}/dms?"):
        app.call("GET", path)
        app.call("GET", path, headers=json)
    app.call("DELETE", app.path(world.spare_channel()), headers=json)


def test_one_app_adds_the_id_to_the_query(worlds):
    world = worlds["gathering"]
    world.workspace
    member = world.owner.get(f"/users/{world.member.id}?userID={world.member.id}", "Member")
    assert member["user_id"] == world.member.id


def test_one_app_loads_the_owner_of_a_channel_that_no_user_owns(worlds):
    app = worlds["gathering"].owner
    lobby = next(each for each in app.get("/workspaces", "[Workspace]") if each["name"] == "lobby")
    channels = app.get(f"/workspaces/{lobby['workspace_id']}/my-channels", "[Channel]")
    for owned in (lobby, *channels):
        for path in (f"/users/{owned['owner_id']}", f"/workspaces/{lobby['workspace_id']}/members/{owned['owner_id']}"):
            owner = app.get(path, "Member")
            assert (owner["user_id"], owner["nickname"]) == ("0", "마루")


@pytest.mark.parametrize("key", contract.FIRST)
def test_the_wall_clock_of_a_fresh_install_means_since_the_caller_joined(world):
    owner, member = world.owner, world.member
    channel = owner.make_channel(world.workspace)
    owner.say(channel, "먼저")
    clock = datetime.now(timezone.utc) + timedelta(hours=9)
    path = f"{member.path(channel)}/chats?cursor_date={quote(f'{clock:%Y-%m-%d %H:%M:%S}')}"
    assert member.get(path, "[Chat]") == []
    owner.say(channel, "나중")
    assert [each["content"] for each in member.get(path, "[Chat]")] == ["나중"]


@each_key
def test_a_token_may_follow_bearer(world):
    app = world.anybody
    app.call("GET", "/workspaces", "[Workspace]", headers={"Authorization": f"Bearer {world.owner.token}"})


def test_a_text_part_may_have_the_content_type_of_an_image(worlds):
    app = worlds["gathering"].owner
    workspace, name = worlds["gathering"].workspace, named("그림인 척")
    parts = [("name", (None, name, "image/jpeg")), ("description", (None, "설명", "image/jpeg"))]
    channel = app.call("POST", f"/workspaces/{workspace}/channels", "Channel", files=parts)
    assert (channel["name"], channel["description"]) == (name, "설명")
    said = app.call(
        "POST",
        f"/workspaces/{workspace}/channels/{channel['channel_id']}/chats",
        "Chat",
        files=[("content", (None, "안녕", "image/jpeg")), ("files", ("1722940000.12345", PICTURE, "image/jpeg"))],
    )
    assert said["content"] == "안녕" and len(said["files"]) == 1


@pytest.mark.parametrize("key", contract.FIRST)
def test_one_app_sends_its_image_twice_and_its_description_as_swift_prints_it(world):
    app = world.owner
    parts = [("name", (None, named("작업"))), IMAGE, ("image", (None, "chat"))]
    for sent, kept in {
        'Optional("모두의 공간")': "모두의 공간",
        r'Optional("둘\n\"it\'s\"\\\u{301}")': '둘\n"it\'s"\\\u0301',
        "nil": "",
        "Optional": "Optional",
    }.items():
        parts[0] = ("name", (None, named("작업")))
        workspace = app.call("POST", "/workspaces", "Workspace", files=parts + [("description", (None, sent))])
        assert workspace["description"] == kept
        assert app.send("GET", workspace["thumbnail"]).content == PICTURE


@pytest.mark.parametrize("key", contract.FIRST)
@pytest.mark.parametrize("text", ["nil", 'Optional("안녕")'])
def test_only_workspace_descriptions_of_that_app_are_unwrapped(world, text):
    app, body = world.owner, {"name": named("그대로"), "description": text}
    made = app.call("POST", f"/workspaces/{world.workspace}/channels", "Channel", json=body)
    assert made["description"] == text
    assert app.say(app.default_channel(world.workspace), text)["content"] == text


@pytest.mark.parametrize("key", [key for key in contract.KEYS if key not in contract.FIRST])
def test_descriptions_of_other_apps_are_not_unwrapped(world):
    fields = {"name": named("작업"), "description": 'Optional("text")'}
    workspace = world.owner.form("POST", "/workspaces", fields, [IMAGE], "Workspace")
    assert workspace["description"] == 'Optional("text")'


@each_key
def test_an_empty_image_part_keeps_the_image(world):
    app, image = world.owner, "thumbnail" if world.is_first else "coverImage"
    path = f"/workspaces/{app.make_workspace()}"
    before = app.get(path, "WorkspaceDetail")
    for part in (("image", ("chat", b"", "image/jpeg")), ("image", (None, ""))):
        fields = {"name": before["name"], "description": before["description"]}
        after = app.form("PUT", path, fields, [part], "Workspace")
        assert after[image] == before[image]
    changed = app.form("PUT", path, {"name": before["name"], "description": ""}, [IMAGE], "Workspace")
    assert changed[image] != before[image] and changed["description"] == ""


@pytest.mark.parametrize("key", [key for key in contract.KEYS if key not in contract.FIRST])
def test_owner_ship_is_accepted_for_owner_id(world):
    body = {"owner_ship": world.member.id}
    path = f"/workspaces/{world.spare_workspace()}/transfer/ownership"
    assert world.owner.call("PUT", path, "Workspace", json=body)["owner_id"] == world.member.id


@each_key
def test_names_of_channels_are_compared_without_case_and_composition(world):
    app = world.owner
    name = named("Café 방")
    app.make_channel(world.workspace, name)
    for same in (name.upper(), unicodedata.normalize("NFD", name)):
        app.refused("E12", "POST", f"/workspaces/{world.workspace}/channels", json={"name": same})
    if app.is_first:
        for same in (name, name.lower(), unicodedata.normalize("NFD", name)):
            found = app.get(f"/workspaces/{world.workspace}/channels/{quote(same, safe='')}", "ChannelDetail")
            assert found["name"] == name


@each_key
def test_reading_chats_joins_a_channel_and_reading_its_details_does_not(world):
    owner, member = world.owner, world.member
    channel = owner.make_channel(world.workspace)
    path = member.path(channel)
    assert len(member.get(path, "ChannelDetail")["channelMembers"]) == 1
    member.refused("E13", "GET", f"{path}/unreads?after=")
    member.refused("E13", "POST", f"{path}/chats", json={"content": "hi"})
    member.get(f"{path}/chats?cursor_date=", "[Chat]")
    assert len(owner.get(owner.path(channel), "ChannelDetail")["channelMembers"]) == 2
    path = f"/workspaces/{world.workspace}/" + ("channels/my" if member.is_first else "my-channels")
    mine = member.get(path, "[Channel]")
    assert int(next(each for each in mine if each["name"] == channel.name)["channel_id"]) == channel.id


@each_key
def test_a_channel_is_the_same_in_every_list(world):
    app, one = world.owner, world.owner.get(world.owner.path(world.channel), "ChannelDetail")
    mine = app.get(f"/workspaces/{world.workspace}/" + ("channels/my" if app.is_first else "my-channels"), "[Channel]")
    everywhere = app.get(f"/workspaces/{world.workspace}/channels", "[Channel]")
    detail = app.get(f"/workspaces/{world.workspace}", "WorkspaceDetail")["channels"]
    assert everywhere == detail
    assert [each for each in everywhere if each in mine] == mine and mine
    del one["channelMembers"]
    assert one in everywhere


@each_key
def test_unread_messages_are_those_of_others_after_the_read_marker(world):
    owner, member = world.owner, world.member
    channel = world.spare_channel()

    def unread(app, after=""):
        return app.get(f"{app.path(channel)}/unreads?after={quote(after)}", "ChannelUnreads")["count"]

    first = owner.say(channel, "one")
    owner.say(channel, "two")
    assert (unread(member), unread(owner)) == (2, 0)
    assert unread(member, first["createdAt"]) == 1
    member.history(channel)
    assert unread(member) == 0
    owner.say(channel, "three")
    member.say(channel, "four")
    # A send moves its author's read marker to the sent message.
    assert (unread(member), unread(owner)) == (0, 1)
    # One app omits the parameter.
    assert owner.get(f"{owner.path(channel)}/unreads", "ChannelUnreads")["count"] == 1


@each_key
def test_a_dm_stays_readable_after_the_opponent_left(world):
    owner, member = world.owner, world.member
    workspace = owner.make_workspace(member)
    room = owner.open_dm(workspace, member)
    member.whisper(workspace, room, "bye")
    member.get(f"/workspaces/{workspace}/" + ("leave" if member.is_first else "exit"), "[Workspace]")
    if owner.is_first:
        chats = owner.get(f"/workspaces/{workspace}/dms/{member.id}/chats?cursor_date=", "DmHistory")["chats"]
    else:
        chats = owner.get(f"/workspaces/{workspace}/dms/{room}/chats?cursor_date=", "[Dm]")
        owner.refused("E13", "POST", f"/workspaces/{workspace}/dms", json={"opponent_id": member.id})
    assert [each["content"] for each in chats] == ["bye"]
    path = f"/workspaces/{workspace}/dms/{room}/chats"
    eventually(lambda: owner.send("POST", path, json={"content": "?"}).status_code >= 400)
    owner.refused("E13", "POST", path, json={"content": "anybody?"})


@pytest.mark.parametrize("first, second", [("sooda", "gathering"), ("native", "gen-2024-01")])
def test_both_generations_share_a_direct_message(join, first, second):
    one, other = join(first), join(second)
    workspace = one.make_workspace(other)
    room = other.open_dm(workspace, one)
    assert one.open_dm(workspace, other) == room
    other.whisper(workspace, room, "쉿")
    for app in (one, other):
        found = app.get(f"/workspaces/{workspace}/dms", "[Room]")
        assert [int(each["room_id"]) for each in found] == [room]


@each_key
def test_workspaces_come_in_the_order_of_the_app(world):
    app = App.joined(world.product, world.key)
    made = [app.make_workspace() for _ in range(3)]
    found = [int(each["workspace_id"]) for each in app.get("/workspaces", "[Workspace]")]
    assert [each for each in found if each in made] == (made if app.is_first else made[::-1])


@pytest.mark.parametrize("key", ["sooda", "gathering"])
def test_a_home_screen_of_many_rooms_at_once_is_served(world):
    """Two calls per room for a hundred rooms, as fast as possible."""
    app, path = world.owner, world.owner.path(world.channel)
    for _ in range(100):
        app.get(f"{path}/unreads?after=", "ChannelUnreads")
        app.get(f"{path}/chats?cursor_date=2099-01-01T00:00:00.000Z", "[Chat]")


@each_key
def test_a_message_with_a_client_id_is_sent_once(world):
    app, path = world.owner, world.owner.path(world.spare_channel()) + "/chats"
    name = f"c-{next(counter)}"
    one = app.post(path, {"content": "one", "client_id": name}, "Chat")
    again = app.post(path, {"content": "one", "client_id": name}, "Chat")
    assert again == one and one["client_id"] == name
    app.refused("E11", "POST", path, json={"content": "another", "client_id": name})
    assert len(app.get(path + "?cursor_date=", "[Chat]")) == 1


def test_a_phone_comes_back_as_it_was_sent(product):
    for phone in ("", "010-1234-5678", "01012345678"):
        app = App(product, "collatalk")
        body = {"email": f"phone.{next(counter)}@example.com", "password": PASSWORD, "nickname": "n", "phone": phone}
        assert app.post("/users/join", body, "User")["phone"] == phone
