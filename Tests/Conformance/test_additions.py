"""Additions of the product to the contract, in both generations. Shipped apps do not notice them."""

import time

import contract
import pytest
from app import PASSWORD, App, counter
from waiting import eventually

each_key = pytest.mark.parametrize("key", contract.KEYS)


@each_key
def test_a_home_screen_is_one_call(world):
    owner, member = world.owner, world.member
    workspace = owner.make_workspace(member)
    channel = owner.make_channel(workspace, "방", member)
    room = owner.open_dm(workspace, member)
    owner.say(channel, "하나")
    last = owner.say(channel, "둘")
    owner.whisper(workspace, room, "셋")
    rooms = member.get(f"/workspaces/{workspace}/rooms")
    said = next(each for each in rooms if each.get("name") == "방")
    assert (said["lastSeq"], said["readSeq"], said["unreadCount"]) == (2, 0, 2)
    contract.hold(said["lastMessage"], "Chat", member.generation)
    assert int(said["lastMessage"]["chat_id"]) == int(last["chat_id"])
    direct = next(each for each in rooms if "room_id" in each)
    assert direct["unreadCount"] == 1 and direct["user"]["nickname"] == "주인"
    contract.hold(direct["lastMessage"], "Dm", member.generation)
    silent = next(each for each in rooms if each.get("name") == "일반")
    assert (silent["lastSeq"], silent["unreadCount"]) == (0, 0) and "lastMessage" not in silent


@each_key
def test_a_read_marker_moves_forward_only_and_not_beyond_the_head(world):
    owner, member = world.owner, world.member
    channel = world.spare_channel()
    for text in ("하나", "둘", "셋"):
        owner.say(channel, text)
    path = f"{member.path(channel)}/read"
    for seq, stands in ((2, 2), (1, 2), (99, 3)):
        assert member.call("PUT", path, json={"seq": seq}) == {"seq": stands}
    assert member.get(f"{member.path(channel)}/unreads?after=", "ChannelUnreads")["count"] == 0
    for wrong in ({}, {"seq": -1}, {"seq": "much"}, {"seq": None}):
        member.refused("E11", "PUT", path, json=wrong)
    owner.whisper(world.workspace, world.room, "넷")
    dm = f"/workspaces/{world.workspace}/dms/{world.room}"
    assert member.call("PUT", f"{dm}/read", json={"seq": 99})["seq"] >= 1
    assert member.get(f"{dm}/unreads?after=", "RoomUnreads")["count"] == 0


@each_key
def test_sessions_of_the_caller_are_listed_and_can_be_ended(world):
    other = world.stranger.another_device()
    listed = world.stranger.get("/users/me/sessions")
    assert [each["app"] for each in listed] == [world.key] * len(listed) and len(listed) >= 2
    (mine,) = (each["session_id"] for each in world.stranger.get("/users/me/sessions") if each["current"])
    (theirs,) = (each["session_id"] for each in other.get("/users/me/sessions") if each["current"])
    assert mine != theirs
    world.owner.refused("E13", "DELETE", f"/users/me/sessions/{theirs}")
    world.stranger.call("DELETE", f"/users/me/sessions/{theirs}")
    eventually(lambda: other.send("GET", "/workspaces").status_code != 200)
    other.refused("E05", "GET", "/workspaces")


@each_key
def test_all_sessions_of_the_caller_can_be_ended_at_once(world):
    app = App.joined(world.product, world.key)
    devices = [app, app.another_device(), app.another_device()]
    reply = devices[1].send("DELETE", "/users/me/sessions")
    assert reply.ok and "Max-Age=0" in reply.headers["Set-Cookie"]
    for device in devices:
        eventually(lambda: device.send("GET", "/workspaces").status_code != 200)
        device.refused("E05", "GET", "/workspaces")
        device.refused("E06", "GET", "/auth/refresh", headers={"RefreshToken": device.refresh})
    app.another_device().get("/workspaces", "[Workspace]")


@each_key
def test_history_is_read_in_pages_by_seq(world):
    owner = world.owner
    channel = world.spare_channel()
    for number in range(7):
        owner.say(channel, f"{number}")

    def page(query):
        return [each["content"] for each in owner.get(f"{owner.path(channel)}/chats?{query}", "[Chat]")]

    assert page("after_seq=2&limit=3") == ["2", "3", "4"]
    assert page("before_seq=4&limit=2") == ["1", "2"]
    assert page("after_seq=7") == []
    for wrong in ("after_seq=much", "limit=0", "limit=501", "before_seq=0"):
        owner.refused("E11", "GET", f"{owner.path(channel)}/chats?{wrong}")


@each_key
def test_too_many_wrong_passwords_must_wait(world):
    """E98 in the app's form with the time to wait. Failures at a user's own address throttle nobody else."""
    device = world.member.another_device()
    wrong = {"email": world.member.email, "password": "Wr0ng!!!", "deviceToken": ""}
    codes, began = [], time.monotonic()
    while "E98" not in codes and len(codes) < 12:
        before, began = began, time.monotonic()
        reply = world.anybody.send("POST", "/users/login", json=wrong)
        codes.append(reply.json()["errorCode"])
        # Beyond five only a try after the wait passes, which begins with a second and doubles.
        assert len(codes) <= 5 or codes[-1] == "E98" or time.monotonic() - before >= 1
    assert codes[:5] == ["E03"] * 5 and codes[-1] == "E98" and int(reply.headers["Retry-After"]) >= 1
    if not world.anybody.tells_truth:
        assert reply.status_code == 400
    device.get("/workspaces", "[Workspace]")
    world.stranger.another_device()
    # After the time to wait the right password works.
    right = wrong | {"password": PASSWORD}
    eventually(lambda: world.anybody.send("POST", "/users/login", json=right).ok, patience=60, pause=0.5)


@each_key
def test_a_provider_that_is_down_gives_e99(world):
    try:
        world.product.standins("POST", "/standins/mood", json={"provider": "kakao", "answer": "refuse"})
        body = {"oauthToken": f"kakao-{9000 + next(counter)}", "deviceToken": ""}
        reply = world.anybody.send("POST", "/users/login/kakao", json=body)
        assert reply.json()["errorCode"] == "E99" and reply.status_code == (503 if world.key == "native" else 500)
        world.product.standins("POST", "/standins/mood", json={"provider": "portone", "answer": "nonsense"})
        reply = world.owner.send("POST", "/store/pay/validation", json=world.owner.order())
        assert reply.json()["errorCode"] == "E99" and reply.status_code == (503 if world.key == "native" else 500)
    finally:
        for provider in ("kakao", "portone"):
            world.product.standins("POST", "/standins/mood", json={"provider": provider, "answer": "well"})


@each_key
def test_the_server_makes_an_order_before_its_payment(world):
    order = world.owner.post("/store/orders", {"item": "10 Coin"})
    assert (order["item"], order["amount"]) == ("10 Coin", "100")
    assert order["merchant_uid"].startswith(f"maru_{world.key}_")
    for wrong in ({}, {"item": ""}, {"item": "1 Coin"}):
        world.owner.refused("E11", "POST", "/store/orders", json=wrong)
