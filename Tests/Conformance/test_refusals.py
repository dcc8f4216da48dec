"""Every refusal of the contract, in the form that each app can bear."""

import pytest
from app import KEYS, App


@pytest.mark.parametrize("key", KEYS)
def test_an_unknown_route_is_told_before_a_wrong_key_and_that_before_a_token(join, product, key):
    app = App(product, key)
    app.refused("E97", "GET", "/nothing")
    app.refused("E02", "GET", "/workspaces")
    app.token = "garbage"
    app.refused("E02", "GET", "/workspaces")
    stranger = App(product, key)
    stranger.tells_truth = False
    stranger.session.headers["SesacKey"] = "no such key"
    stranger.refused("E01", "GET", "/workspaces")
    stranger.refused("E97", "GET", "/nothing")


@pytest.mark.parametrize("key", KEYS)
def test_the_other_generation_s_routes_are_unknown(join, key):
    app = join(key)
    workspace = app.make_workspace()
    first = ["/users/my", f"/workspaces/{workspace}/channels/my", f"/workspaces/{workspace}/leave"]
    second = ["/users/me", f"/workspaces/{workspace}/my-channels", f"/workspaces/{workspace}/exit"]
    for path in second if app.is_first else first:
        app.refused("E97", "GET", path)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"email": None, "password": "Passw0rd!", "nickname": "n"},
        {"email": 7, "password": "Passw0rd!", "nickname": "n"},
        {"email": "nobody", "password": "Passw0rd!", "nickname": "n"},
        {"email": "a@b.kr", "password": "password", "nickname": "n"},
        {"email": "a@b.kr", "password": "Passw0rd!", "nickname": ""},
        {"email": "a@b.kr", "password": "Passw0rd!", "nickname": "n" * 31},
        {"email": "a\0@b.kr", "password": "Passw0rd!", "nickname": "n"},
        {"email": "a@b.kr", "password": "Passw0rd!", "nickname": "n", "phone": "call me"},
    ],
)
def test_a_wrong_application_is_not_valid(product, key, body):
    App(product, key).refused("E11", "POST", "/users/join", json=body)


@pytest.mark.parametrize("key", KEYS)
def test_a_taken_email_and_a_wrong_password(join, product, key):
    app = join(key)
    stranger = App(product, key)
    taken = {"email": app.email.upper(), "password": "Passw0rd!", "nickname": "n", "deviceToken": ""}
    stranger.refused("E12", "POST", "/users/join", json=taken)
    for email in (app.email, f"nobody.{app.email}"):
        wrong = {"email": email, "password": "Wr0ng!!!", "deviceToken": ""}
        stranger.refused("E03", "POST", "/users/login", json=wrong)


def test_what_strangers_members_and_owners_may(join):
    owner, member, stranger = join("collabee"), join("sooda"), join("gathering")
    workspace = owner.make_workspace()
    owner.invite(workspace, member)
    channel = owner.make_channel(workspace, "일하는 방")
    for path in ("", "/members", "/channels", "/dms"):
        stranger.refused("E13", "GET", f"/workspaces/{workspace}{path}")
    stranger.refused("E13", "GET", owner.channel_path(workspace, channel) + "/chats")
    stranger.refused("E13", "GET", "/workspaces/999999")
    stranger.refused("E13", "GET", "/workspaces/not-an-id")
    member.refused("E14", "DELETE", f"/workspaces/{workspace}")
    member.refused("E14", "POST", f"/workspaces/{workspace}/members", json={"email": stranger.email})
    owner.refused("E03", "POST", f"/workspaces/{workspace}/members", json={"email": "nobody@example.com"})
    owner.refused("E12", "POST", f"/workspaces/{workspace}/members", json={"email": member.email})
    owner.refused("E12", "POST", f"/workspaces/{workspace}/channels", json={"name": "일하는 방"})
    for name in ("", "my", ".", "a/b", "n" * 31):
        owner.refused("E11", "POST", f"/workspaces/{workspace}/channels", json={"name": name})
    owner.refused("E15", "GET", f"/workspaces/{workspace}/exit")
    default = next(each for each in owner.get(f"/workspaces/{workspace}/channels") if each["name"] == "일반")
    owner.refused("E11", "GET", owner.channel_path(workspace, default) + "/exit")
    owner.refused("E11", "DELETE", owner.channel_path(workspace, default))
    # Someone in the workspace who is not in the channel.
    member.refused("E13", "GET", member.channel_path(workspace, channel) + "/unreads?after=")
    member.refused("E13", "POST", member.channel_path(workspace, channel) + "/chats", json={"content": "hi"})


def test_who_leaves_sees_nothing_any_more(join):
    owner, member = join("gen-2024-07"), join("gen-2024-01")
    workspace = owner.make_workspace()
    owner.invite(workspace, member)
    assert member.get(f"/workspaces/{workspace}/leave") == []
    member.refused("E13", "GET", f"/workspaces/{workspace}")


def test_six_files_and_no_content_are_not_valid(join):
    app = join("collatalk")
    workspace = app.make_workspace()
    channel = app.make_channel(workspace, "files")
    path = app.channel_path(workspace, channel) + "/chats"
    app.refused("E11", "POST", path, files=[("files", (f"{n}.txt", b"text")) for n in range(6)])
    app.refused("E11", "POST", path, files=[("content", (None, ""))])
    app.refused("E11", "POST", path, files=[("files", ("a.exe", b"MZ\x90\x00\x03"))])
    assert app.history(workspace, channel) == []
