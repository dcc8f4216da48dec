"""The story of a user, as each app tells it."""

import pytest
from app import KEYS, PICTURE
from waiting import eventually


@pytest.mark.parametrize("key", KEYS)
def test_from_join_to_a_message_with_a_file(join, key):
    owner, guest = join(key), join("gen-2024-07" if key != "gen-2024-07" else "sooda")
    profile = owner.get("/users/my" if owner.is_first else "/users/me")
    owner.holds(profile, "user_id email nickname sesacCoin createdAt")
    assert profile["sesacCoin"] == 100

    workspace = owner.make_workspace()
    assert owner.get("/users/my" if owner.is_first else "/users/me")["sesacCoin"] == 90
    owner.invite(workspace, guest)
    detail = owner.get(f"/workspaces/{workspace}")
    owner.holds(detail, "channels workspaceMembers")
    assert [each["name"] for each in detail["channels"]] == ["일반"]
    assert len(detail["workspaceMembers"]) == 2

    channel = owner.make_channel(workspace, "잡담 방")
    first = owner.say(workspace, channel, "안녕", [("chat", PICTURE), ("note.txt", "메모".encode())])
    assert [path.rsplit(".", 1)[1] for path in first["files"]] == ["png", "txt"]
    guests_channel = {"name": channel["name"], "channel_id": str(channel["channel_id"])}
    if guest.is_first:
        guests_channel["channel_id"] = int(channel["channel_id"])
    seen = guest.history(workspace, guests_channel)
    assert [each["content"] for each in seen] == ["안녕"]
    second = guest.say(workspace, guests_channel, "반가워")
    after = owner.history(workspace, channel, first["createdAt"])
    assert [each["content"] for each in after] == [second["content"]]

    for path in first["files"]:
        reply = owner.send("GET", path)
        assert reply.status_code == 200 and reply.headers["ETag"], reply.text
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        again = owner.send("GET", path, headers={"If-None-Match": reply.headers["ETag"]})
        assert again.status_code == 304 and not again.content
    part = owner.send("GET", first["files"][0], headers={"Range": "bytes=1-3"})
    assert part.status_code == 206 and part.content == b"PNG"


@pytest.mark.parametrize("key", KEYS)
def test_refreshing_and_logging_out(join, key):
    app = join(key)
    reply = app.call("GET", "/auth/refresh", headers={"RefreshToken": app.refresh})
    app.holds(reply, "accessToken")
    app.token = reply["accessToken"]
    app.get("/workspaces")
    app.get("/users/logout")
    app.refused("E05", "GET", "/users/logout")
    # Other services hear of it.
    eventually(lambda: app.send("GET", "/workspaces").status_code != 200)
    app.refused("E05", "GET", "/workspaces")
    renewed = reply.get("refreshToken", app.refresh)
    app.token = None
    app.refused("E06", "GET", "/auth/refresh", headers={"RefreshToken": renewed})


def test_both_generations_see_the_same_messages_live(join):
    apps = {key: join(key) for key in KEYS}
    owner = apps["collatalk"]
    workspace = owner.make_workspace()
    for app in apps.values():
        if app is not owner:
            owner.invite(workspace, app)
    channel = owner.make_channel(workspace, "live")
    clients = []
    try:
        # Two apps connect before their first history call joins them, the others after.
        for key, app in apps.items():
            connects_first = key in ("sooda", "gathering")
            if connects_first:
                clients.append(app.listen(channel["channel_id"]))
            app.history(workspace, channel)
            if not connects_first:
                clients.append(app.listen(channel["channel_id"]))
        said = [app.say(workspace, channel, f"{key} speaks")["content"] for key, app in apps.items()]
        for key, app in apps.items():
            # This app shows its own message from the reply, and would show it twice.
            expected = [each for each in said if key != "collabee" or each != "collabee speaks"]
            eventually(lambda: [each["content"] for each in app.heard] == expected)
            for event in app.heard:
                app.check(event)
    finally:
        for client in clients:
            client.disconnect()


def test_a_socket_needs_the_cookie_of_a_session(join, product):
    app = join("native")
    workspace = app.make_workspace()
    channel = app.make_channel(workspace, "closed")
    app.session.cookies.clear()
    with pytest.raises(Exception, match="namespaces failed"):
        app.listen(channel["channel_id"])


def test_the_cookie_opens_no_route(join):
    app = join("gen-2024-07")
    assert app.session.cookies
    app.token = None
    app.refused("E02", "GET", "/workspaces")


def test_direct_messages_in_both_generations(join):
    first, second = join("sooda"), join("gathering")
    workspace = first.make_workspace()
    first.invite(workspace, second)
    room = second.post(f"/workspaces/{workspace}/dms", {"opponent_id": str(first.id)})
    second.holds(room, "room_id createdAt user")
    message = second.call("POST", f"/workspaces/{workspace}/dms/{room['room_id']}/chats", files=[("content", (None, "쉿"))])
    second.holds(message, "dm_id room_id content createdAt files user")
    history = first.get(f"/workspaces/{workspace}/dms/{second.id}/chats?cursor_date=")
    first.holds(history, "workspace_id room_id chats")
    assert [each["content"] for each in history["chats"]] == ["쉿"]
    assert len(first.get(f"/workspaces/{workspace}/dms")) == 1
    first.refused("E11", "GET", f"/workspaces/{workspace}/dms/{first.id}/chats")


def test_a_client_id_sends_once(join):
    app = join("native")
    workspace = app.make_workspace()
    channel = app.make_channel(workspace, "once")
    path = app.channel_path(workspace, channel) + "/chats"
    one = app.post(path, {"content": "one", "client_id": "c-1"})
    again = app.post(path, {"content": "one", "client_id": "c-1"})
    assert again["chat_id"] == one["chat_id"] and again["seq"] == one["seq"]
    app.refused("E11", "POST", path, json={"content": "another", "client_id": "c-1"})
    assert len(app.history(workspace, channel)) == 1
