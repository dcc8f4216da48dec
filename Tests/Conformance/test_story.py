"""A user's way from joining to buying coins, in each app."""

import contract
import pytest
from app import PASSWORD, PICTURE, App
from product import GRANT
from sockets import Sockets
from waiting import eventually


@pytest.mark.parametrize("key", contract.KEYS)
def test_from_joining_to_buying_coins(product, join, key):
    # Join.
    user = App(product, key)
    user.email, user.device = f"story.{key}@example.com", f"story-{key}"
    user.post("/users/validation/email", {"email": user.email})
    application = {"email": user.email, "password": PASSWORD, "nickname": "새싹이", "phone": ""}
    application["deviceToken"] = user.device
    user.enter(user.post("/users/join", application, "User"))
    user.refused("E12", "POST", "/users/validation/email", json={"email": user.email})
    assert user.coins == GRANT
    homes = user.get("/workspaces", "[Workspace]")
    assert len(homes) == (1 if key == "gathering" else 0)

    # Create a workspace with a guest and a channel.
    guest = join("gen-2024-07" if key != "gen-2024-07" else "sooda", nickname="손님")
    workspace = user.make_workspace(guest)
    assert user.coins == GRANT - 10
    detail = user.get(f"/workspaces/{workspace}", "WorkspaceDetail")
    assert [each["name"] for each in detail["channels"]] == ["일반"]
    assert {each["nickname"] for each in detail["workspaceMembers"]} == {"새싹이", "손님"}
    channel = user.make_channel(workspace, "잡담 방")
    first = user.say(channel, "안녕", [("chat", PICTURE), ("note.txt", "메모".encode())])

    # Both see each other's messages, in history and live.
    assert [each["content"] for each in guest.history(channel)] == ["안녕"]
    user.history(channel)
    with Sockets(product) as sockets:
        assert sockets.open("user", f"/ws-channel-{channel.id}", cookie=user.cookie)
        assert sockets.open("guest", f"/ws-channel-{channel.id}", cookie=guest.cookie)
        reply = guest.say(channel, "반가워")
        sockets.await_contents("user", ["반가워"])
        sockets.await_contents("guest", ["반가워"])
        for name, app in {"user": user, "guest": guest}.items():
            ((event, arguments),) = sockets.heard(name)
            assert event == "channel" and len(arguments) == 1
            contract.hold(arguments[0], "Chat", app.generation)
    after = user.history(channel, first["createdAt"])
    assert [int(each["chat_id"]) for each in after] == [int(reply["chat_id"])]
    for path in first["files"]:
        assert user.send("GET", path).content

    # Send a DM.
    room = guest.open_dm(workspace, user)
    guest.whisper(workspace, room, "쉿")
    assert user.get(f"/workspaces/{workspace}/dms/{room}/unreads?after=", "RoomUnreads")["count"] == 1
    if user.is_first:
        chats = user.get(f"/workspaces/{workspace}/dms/{guest.id}/chats?cursor_date=", "DmHistory")["chats"]
    else:
        chats = user.get(f"/workspaces/{workspace}/dms/{room}/chats?cursor_date=", "[Dm]")
    assert [each["content"] for each in chats] == ["쉿"]
    eventually(lambda: "쉿" in [each["notification"]["body"] for each in product.pushes(user.device)])

    # Sign in again.
    user.get("/users/logout")
    body = {"email": user.email, "password": PASSWORD, "deviceToken": user.device}
    user.enter(user.post("/users/login", body, "Login" if user.is_first else "User"))
    assert user.get(f"/workspaces/{workspace}/dms", "[Room]")[0]["user"]["nickname"] == "손님"

    # Buy coins: they are credited once and can be spent.
    before = user.coins
    item = user.get("/store/item/list", "[Item]")[0]
    order = user.order(price=int(item["amount"]), name=item["item"])
    bill = user.post("/store/pay/validation", order, "Bill")
    assert bill["merchant_uid"] == order["merchant_uid"] and bill["sesacCoin"] == 10
    assert user.coins == before + 10
    assert user.post("/store/pay/validation", order, "Bill") == bill
    assert user.coins == before + 10
    mine = f"ios_{guest.key}_1"
    guest.refused("E82", "POST", "/store/pay/validation", json=order | {"merchant_uid": mine})
    second = user.make_workspace()
    assert user.coins == before
    ids = [int(each["workspace_id"]) for each in user.get("/workspaces", "[Workspace]")]
    made = [each for each in ids if each in (workspace, second)]
    assert made == ([workspace, second] if user.is_first else [second, workspace])


def test_a_workspace_needs_coins(product, join):
    user = join("collatalk")
    product.spend(user.id, GRANT)
    image = [("image", ("chat", PICTURE, "image/png")), ("name", (None, "살 수 없는 곳"))]
    user.refused("E21", "POST", "/workspaces", files=image)
    user.post("/store/pay/validation", user.order(), "Bill")
    user.call("POST", "/workspaces", "Workspace", files=image)
    assert user.coins == 0
