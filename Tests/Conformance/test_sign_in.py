"""Signing in with the stand-ins of Kakao and Apple, and the life of sessions."""

import threading

import contract
import pytest
from app import App, counter
from cases_accounts import identity_token
from waiting import eventually

each_key = pytest.mark.parametrize("key", contract.KEYS)
NOBODY = "@users.invalid"


def provider(app):
    profile = app.get("/users/my" if app.is_first else "/users/me", "Profile")
    return profile["vendor" if app.is_first else "provider"]


@each_key
def test_kakao_signs_the_same_user_in_to_the_same_account(product, key):
    first, again = App(product, key), App(product, key)
    token = f"kakao-{5000 + next(counter)}"
    for app in (first, again):
        app.enter(app.post("/users/login/kakao", {"oauthToken": token, "deviceToken": ""}, "User"))
    assert first.id == again.id and provider(first) == "kakao"
    # Kakao gave no email, so the account has an undeliverable address.
    body = first.get("/users/my" if first.is_first else "/users/me", "Profile")
    assert body["email"].endswith(NOBODY) and body["nickname"].startswith("카카오")


@each_key
def test_apple_signs_the_same_user_in_to_the_same_account(world):
    first, again = world.anybody, world.anybody
    subject = f"person-{next(counter)}"
    for app in (first, again):
        body = {"idToken": identity_token(world, sub=subject), "deviceToken": ""}
        if not app.is_first:
            body["nickname"] = "사과"
        app.enter(app.post("/users/login/apple", body, "User"))
    assert first.id == again.id and provider(first) == "apple"
    profile = first.get("/users/my" if first.is_first else "/users/me", "Profile")
    assert profile["email"].endswith(NOBODY) and (first.is_first or profile["nickname"] == "사과")


def test_an_account_with_a_password_has_no_provider(worlds):
    assert provider(worlds["sooda"].owner) is None and provider(worlds["collabee"].owner) is None


def test_a_verified_email_links_to_the_same_account(worlds):
    world = worlds["gen-2024-07"]
    email = f"verified.{next(counter)}@example.com"
    by_kakao, by_apple = world.anybody, world.anybody
    body = {"oauthToken": f"kakao-{5000 + next(counter)}-{email}", "deviceToken": ""}
    by_kakao.enter(by_kakao.post("/users/login/kakao", body, "User"))
    by_apple.enter(by_apple.post("/users/login/apple", {"idToken": identity_token(world, email=email)}, "User"))
    assert by_kakao.id == by_apple.id
    # An unverified email links to no account.
    stranger = world.anybody
    body["oauthToken"] = f"kakao-unverified-{5000 + next(counter)}-{email}"
    stranger.enter(stranger.post("/users/login/kakao", body, "User"))
    assert stranger.id != by_kakao.id


def test_an_identity_token_with_a_nonce_works_once(worlds):
    world = worlds["collatalk"]
    body = {"idToken": identity_token(world, nonce=f"nonce-{next(counter)}"), "deviceToken": ""}
    world.anybody.post("/users/login/apple", body, "User")
    world.anybody.refused("E03", "POST", "/users/login/apple", json=body)


def test_the_first_token_of_a_new_apple_key_works(worlds):
    world = worlds["sooda"]
    world.anybody.post("/users/login/apple", {"idToken": identity_token(world), "deviceToken": ""}, "User")
    world.product.standins("POST", "/apple/rotate")
    body = {"idToken": identity_token(world), "deviceToken": ""}
    # Keys are fetched again at most once in ten seconds.
    eventually(lambda: world.anybody.send("POST", "/users/login/apple", json=body).ok, patience=30, pause=0.5)


@each_key
def test_a_refresh_token_stays_unless_the_app_can_keep_a_new_one(world):
    app = world.owner.another_device()
    replies = []

    def refresh():
        replies.append(app.call("GET", "/auth/refresh", "Access", headers={"RefreshToken": app.refresh}))

    # Several apps refresh in parallel and while the access token is still valid.
    calls = [threading.Thread(target=refresh) for _ in range(4)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert len(replies) == 4
    for reply in replies:
        assert app.get("/workspaces", "[Workspace]") is not None
        app.token = reply["accessToken"]
        app.get("/workspaces", "[Workspace]")
        kept = reply.get("refreshToken", app.refresh)
        assert (kept != app.refresh) == (world.key == "native")
        assert not app.is_first or "refreshToken" not in reply


@pytest.mark.parametrize("key", ["collatalk", "gathering"])
def test_every_call_of_a_home_screen_may_refresh(world):
    """The calls of a hundred rooms find an expired token, and each refreshes. One app deletes its data if one fails."""
    app = world.owner.another_device()
    for _ in range(200):
        app.call("GET", "/auth/refresh", "Access", headers={"RefreshToken": app.refresh})


@each_key
def test_logging_out_ends_this_session_alone(world):
    app = world.owner.another_device()
    app.get("/users/logout")
    app.refused("E05", "GET", "/users/logout")
    app.refused("E06", "GET", "/auth/refresh", headers={"RefreshToken": app.refresh})
    world.owner.get("/workspaces", "[Workspace]")


@each_key
def test_tokens_sent_where_none_are_needed_are_ignored(world):
    app = world.anybody
    login = {"email": world.owner.email, "password": "Saessak-2024!", "deviceToken": ""}
    for headers in (
        {"Authorization": "", "RefreshToken": ""},
        {"Authorization": world.ended.token, "RefreshToken": world.ended.refresh},
        {"Authorization": "garbage"},
    ):
        app.call("POST", "/users/login", "Login" if app.is_first else "User", headers=headers, json=login)
    ended = world.ended
    # A refresh never gets E05, or the app would refresh for ever.
    ended.refused("E06", "GET", "/auth/refresh", headers={"RefreshToken": ended.refresh})


def test_a_refresh_token_works_only_for_its_app(worlds):
    app = worlds["native"].owner.another_device()
    worlds["collatalk"].anybody.refused("E06", "GET", "/auth/refresh", headers={"RefreshToken": app.refresh})


def test_an_app_s_users_are_in_its_workspaces_from_the_start(product):
    app = App.joined(product, "gathering")
    (lobby,) = app.get("/workspaces", "[Workspace]")
    channels = app.get(f"/workspaces/{lobby['workspace_id']}/my-channels", "[Channel]")
    assert [each["name"] for each in channels] == ["일반"]
    social = App(product, "gathering")
    body = {"oauthToken": f"kakao-{5000 + next(counter)}", "deviceToken": ""}
    social.enter(social.post("/users/login/kakao", body, "User"))
    assert [each["workspace_id"] for each in social.get("/workspaces")] == [lobby["workspace_id"]]
