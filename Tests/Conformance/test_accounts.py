"""Accounts of native clients: exports, second factors and sign-in with an OpenID Connect issuer, through the whole product."""

import base64
import hashlib
import hmac
import io
import json
import struct
import time
import zipfile
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests
from app import PASSWORD, PICTURE, App, counter
from waiting import eventually


@pytest.fixture
def native(worlds):
    return worlds["native"]


def exported(app):
    """The archive of an export that the app orders."""
    assert app.call("POST", "/users/me/export") == {"state": "pending"}
    eventually(lambda: app.get("/users/me/export")["state"] == "ready")
    ready = app.get("/users/me/export")
    # The link needs neither key nor token.
    reply = requests.get(f"{app.product.base}/v1{ready['url']}")
    assert reply.status_code == 200 and reply.headers["Content-Type"] == "application/zip"
    return zipfile.ZipFile(io.BytesIO(reply.content))


def records(archive, name):
    return json.loads(archive.read(f"{name}.json"))


def test_an_export_has_the_data_of_all_services_and_the_files(native):
    owner, app = native.owner, App.joined(native.product, "native", nickname="사본")
    workspace = owner.make_workspace(app)
    channel = owner.make_channel(workspace, "방", app)
    owner.say(channel, "남의 말")
    app.say(channel, "내 말")
    app.say(channel, "사진", [("사진.png", PICTURE)])
    assert app.coins > 0
    app.call("PUT", f"{app.path(channel)}/chats/1/reactions/{quote('👍')}")
    app.call("PUT", f"{app.path(channel)}/draft", json={"content": "쓰다 만 글"})
    archive = exported(app)
    assert archive.testzip() is None
    assert [each["content"] for each in records(archive, "chats/messages")] == ["내 말", "사진"]
    assert records(archive, "account/profile")[0]["email"] == app.email
    assert [each["emoji"] for each in records(archive, "chats/reactions")] == ["👍"]
    assert records(archive, "chats/drafts")[0]["content"] == "쓰다 만 글"
    assert str(workspace) in [each["workspace_id"] for each in records(archive, "workspaces/memberships")]
    (file,) = records(archive, "chats/files")
    assert archive.read(file["entry"]) == PICTURE
    assert {each["kind"] for each in records(archive, "payments/ledger")} == {"grant"}
    app.refused("E98", "POST", "/users/me/export")
    eventually(lambda: owner.get(f"/workspaces/{workspace}/audit?action=export")["items"])
    (entry,) = owner.get(f"/workspaces/{workspace}/audit?action=export")["items"]
    assert entry["action"] == "export.requested" and entry["actor"] == app.id and entry["address"]


def code(secret, distance=0):
    """A code of an authenticator app."""
    step = int(time.time()) // 30 + distance
    mac = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    start = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[start : start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def protect(app):
    """Sets up a second factor, and returns the secret of the authenticator app and the recovery codes."""
    secret = app.call("POST", "/users/me/second-factor", json={"password": PASSWORD})["secret"]
    return secret, app.call("PUT", "/users/me/second-factor", json={"code": code(secret)})["recoveryCodes"]


def test_a_second_factor_is_asked_for_at_each_sign_in(native):
    app = App.joined(native.product, "native")
    _, codes = protect(app)
    body = {"email": app.email, "password": PASSWORD, "deviceToken": ""}
    asked = App(native.product, "native").send("POST", "/users/login", json=body)
    assert asked.status_code == 401 and asked.json()["errorCode"] == "E07"
    second = App(native.product, "native")
    step = {"ticket": asked.json()["ticket"], "code": codes[0], "remember": True}
    reply = second.call("POST", "/users/login/second-factor", json=step)
    second.enter(reply)
    assert second.id == app.id and second.get("/users/me")["email"] == app.email
    again = App(native.product, "native").send(
        "POST", "/users/login", json=body | {"rememberToken": reply["token"]["rememberToken"]}
    )
    assert again.ok
    for key in ("sooda", "collatalk"):
        assert App(native.product, key).send("POST", "/users/login", json=body).json()["errorCode"] == "E03"


def test_a20_a_workspace_that_requires_a_second_factor_locks_out_members_without_one(native):
    product = native.product
    owner, member, shipped = (App.joined(product, key) for key in ("native", "native", "collatalk"))
    name = f"workspace {next(counter)}"
    workspace = owner.make_workspace(member, shipped, name=name)
    channel = owner.make_channel(workspace, None, member, shipped)
    member.call("PUT", "/users/me", json={"language": "en"})
    home, settings = f"/workspaces/{workspace}", f"/workspaces/{workspace}/settings"
    rooms = [member.path(channel), f"{home}/dms/{member.open_dm(workspace, owner)}"]
    for room in rooms:
        member.call("POST", f"{room}/chats", json={"content": "안녕하세요"})
    owner.refused("E15", "PUT", settings, json={"requiresSecondFactor": True})
    protect(owner)
    rule = owner.call("PUT", settings, json={"requiresSecondFactor": True, "secondFactorGraceDays": 0})
    assert rule["requiresSecondFactor"] and rule["secondFactorGraceDays"] == 0
    member.refused("E08", "GET", home)
    shipped.refused("E14", "GET", home)
    for room in rooms:
        eventually(lambda: member.send("GET", f"{room}/chats").status_code == 403)
        member.refused("E08", "POST", f"{room}/chats", json={"content": "나도요"})
    chats = f"{shipped.path(channel)}/chats"
    eventually(lambda: shipped.send("GET", chats).status_code >= 400)
    shipped.refused("E14", "GET", chats)

    def told(app, subject):
        mails = [each for each in product.standins("GET", "/mail/sent").json() if each["to"] == [app.email]]
        return [each for each in mails if subject in each["subject"] and name in each["text"]]

    eventually(lambda: told(member, "A workspace requires two-step sign-in"))
    eventually(lambda: told(shipped, "워크스페이스가 2단계 로그인을 요구합니다"))
    assert not told(owner, "")
    lacking = owner.get(f"{home}/second-factor")["items"]
    assert {each["user"]["user_id"] for each in lacking} == {member.id, shipped.id}
    assert all(each["lockedOut"] for each in lacking)
    protect(member)
    eventually(lambda: member.send("GET", home).ok)
    for room in rooms:
        eventually(lambda: member.send("GET", f"{room}/chats").ok)
        member.call("POST", f"{room}/chats", json={"content": "다시 왔어요"})
    shipped.refused("E14", "GET", home)

    def actions():
        return {each["action"] for each in owner.get(f"{home}/audit?limit=20")["items"]}

    # An entry may be written after the change.
    eventually(lambda: {"settings.changed", "member.locked", "member.unlocked"} <= actions())


def test_an_issuer_of_openid_connect_signs_a_user_in(native):
    number = next(counter)
    person = {"sub": f"person-{number}", "email": f"person-{number}@example.com"}
    native.product.standins("POST", "/oidc/person", json=person)
    app = native.anybody
    assert app.call("GET", "/auth/oidc")["issuers"] == [{"name": "company", "title": "Company"}]
    begun = app.call("POST", "/auth/oidc/company", json={"redirect": "com.example.chat:/signed-in"})
    back = requests.get(begun["url"], allow_redirects=False).headers["Location"]
    reply = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    app.enter(app.call("POST", "/users/login/oidc", json=reply | {"ticket": begun["ticket"]}))
    assert app.get("/users/me")["email"] == person["email"]
    native.anybody.refused("E02", "POST", "/users/login/oidc", json=reply | {"ticket": begun["ticket"]})
