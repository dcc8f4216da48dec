"""Roles through the gateway, and the audit log in a database with the roles of the services."""

import re
import subprocess

import contract
import pytest
from app import App
from waiting import eventually, patiently

SERVICES = ["auth", "workspace", "chat", "realtime", "payment"]


@pytest.fixture(scope="module")
def team(worlds, product):
    """A native owner, a workspace with a channel `partners`, a member, and a guest in that channel."""
    owner = worlds["native"].owner
    member, guest = App.joined(product, "native"), App.joined(product, "native")
    workspace = owner.make_workspace(member, guest)
    channel = owner.make_channel(workspace, None)
    owner.call("PUT", f"/workspaces/{workspace}/members/{guest.id}/role", json={"role": "guest"})
    owner.call("PUT", f"/workspaces/{workspace}/channels/{channel.id}/members/{guest.id}", json={})
    return owner, member, guest, workspace, channel


def test_a_guest_sees_only_the_channels_that_they_were_put_in_and_the_people_there(team):
    owner, member, guest, workspace, channel = team
    hidden = owner.make_channel(workspace, None)
    home = guest.get(f"/workspaces/{workspace}", "WorkspaceDetail")
    assert [int(each["channel_id"]) for each in home["channels"]] == [channel.id]
    assert {each["user_id"] for each in home["workspaceMembers"]} == {owner.id, guest.id}
    assert [each["name"] for each in guest.get(f"/workspaces/{workspace}/rooms")] == [channel.name]
    owner.say(channel, "안녕하세요")
    assert [each["content"] for each in guest.history(channel)] == ["안녕하세요"]
    for path in (
        f"/workspaces/{workspace}/members/{member.id}",
        f"/workspaces/{workspace}/channels/{hidden.id}",
        f"/workspaces/{workspace}/channels/{hidden.id}/chats",
        f"/users/{member.id}",
    ):
        guest.refused("E13", "GET", path)
    guest.refused("E13", "POST", f"/workspaces/{workspace}/dms", json={"opponent_id": member.id})
    member.refused("E13", "POST", f"/workspaces/{workspace}/dms", json={"opponent_id": guest.id})
    guest.refused("E14", "POST", f"/workspaces/{workspace}/channels", json={"name": "새 채널"})
    assert guest.open_dm(workspace, owner)


def test_a_promoted_admin_may_what_the_role_allows(team):
    owner, member, guest, workspace, channel = team
    member.refused("E14", "GET", f"/workspaces/{workspace}/audit")
    owner.call("PUT", f"/workspaces/{workspace}/members/{member.id}/role", json={"role": "admin"})
    log = member.get(f"/workspaces/{workspace}/audit?action=role.changed&limit=1")
    (entry,) = log["items"]
    assert (entry["actor"], entry["user"]) == (owner.id, member.id)
    assert entry["detail"] == {"from": "member", "to": "admin"} and entry["address"] and entry["app"] == "native"
    said = owner.say(channel, "지워 주세요")
    member.history(channel)
    # chat-service hears of the role a moment later.
    message = f"/workspaces/{workspace}/channels/{channel.id}/chats/{said['seq']}"
    eventually(lambda: member.send("DELETE", message).ok)
    member.refused("E14", "DELETE", f"/workspaces/{workspace}")


def test_a_banned_member_is_out_at_once(team, join):
    owner, _, _, workspace, channel = team
    troll = join("native")
    owner.post(f"/workspaces/{workspace}/members", {"email": troll.email}, "Member")
    troll.history(channel)
    owner.call("PUT", f"/workspaces/{workspace}/bans/{troll.id}", json={})
    troll.refused("E13", "GET", f"/workspaces/{workspace}")
    owner.refused("E15", "POST", f"/workspaces/{workspace}/members", json={"email": troll.email})


@pytest.mark.parametrize("service", SERVICES)
def test_d5_no_role_of_a_service_can_change_the_audit_log(team, product, service):
    owner, _, _, workspace, _ = team
    count = len(owner.get(f"/workspaces/{workspace}/audit?limit=200")["items"])
    assert count > 0
    dsn = (product.data / f"secrets/{service}/database_url").read_text().strip()

    def run(statement):
        return subprocess.run(
            ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "-v", "ON_ERROR_STOP=1", "-c", statement, dsn],
            capture_output=True,
            text=True,
            timeout=patiently(30),
        )

    for statement in (
        "update audit.entry set actor = 1",
        "delete from audit.entry",
        "truncate audit.entry",
        "drop table audit.entry",
        "drop schema audit cascade",
        "alter table audit.entry disable trigger all",
        "alter table audit.entry owner to current_user",
        "create or replace function audit.refuse_change() returns trigger language sql as 'select null'",
        "create function audit.mine() returns int language sql as 'select 1'",
        "grant all on audit.entry to current_user",
        "set role audit",
        "grant audit to current_user",
        "set session_replication_role = replica",
    ):
        refused = run(statement)
        # Postgres warns about a grant that it does not make.
        assert refused.returncode != 0 or "no privileges were granted" in refused.stderr, statement
    if service == "workspace":
        assert run("select audit.expire(9223372036854775807)").stdout.strip() == "0"
    else:
        assert run("select count(*) from audit.entry").returncode != 0
    assert len(owner.get(f"/workspaces/{workspace}/audit?limit=200")["items"]) == count


def test_an_invitation_lets_in_as_many_as_it_has_uses(team, join):
    owner, _, _, workspace, _ = team
    made = owner.call("POST", f"/workspaces/{workspace}/invitations", json={"uses": 1})
    first, second = join("native"), join("native")
    preview = first.post("/workspaces/invitations/preview", {"token": made["token"]})
    assert preview["workspace"]["workspace_id"] == str(workspace) and preview["role"] == "member"
    first.post("/workspaces/invitations/accept", {"token": made["token"]}, "Workspace")
    second.refused("E13", "POST", "/workspaces/invitations/accept", json={"token": made["token"]})
    first.get(f"/workspaces/{workspace}", "WorkspaceDetail")


def test_a_person_without_an_account_is_invited_by_mail(team, join, product):
    owner, _, _, workspace, _ = team
    address = f"invited.{workspace}@example.com"
    made = owner.call("POST", f"/workspaces/{workspace}/invitations", json={"email": address, "language": "en"})
    assert made["email"] == address and "token" not in made

    def mails():
        return [each for each in product.standins("GET", "/mail/sent").json() if each["to"] == [address]]

    eventually(mails)
    (token,) = re.findall(r"Open the invitation: (\S+)", mails()[0]["text"])
    join("native").post("/workspaces/invitations/accept", {"token": token}, "Workspace")
    listed = owner.get(f"/workspaces/{workspace}/invitations")["items"]
    assert next(each["state"] for each in listed if each["invitation_id"] == made["invitation_id"]) == "used"


def test_a_request_to_join_is_answered(team, join):
    owner, _, _, workspace, _ = team
    stranger = join("native")
    path = f"/workspaces/{workspace}/join-requests"
    stranger.refused("E13", "POST", path, json={"text": "안녕하세요"})
    owner.call("PUT", f"/workspaces/{workspace}/settings", json={"joinRequests": True})
    stranger.post(path, {"text": "안녕하세요"})
    (request,) = owner.get(path)["items"]
    assert (request["user"]["user_id"], request["text"]) == (stranger.id, "안녕하세요")
    owner.call("PUT", f"{path}/{stranger.id}", json={"action": "approve"})
    stranger.get(f"/workspaces/{workspace}", "WorkspaceDetail")


def test_a_sign_in_is_in_the_audit_log(team):
    owner, member, _, workspace, _ = team
    member.another_device()

    def sign_ins():
        log = owner.get(f"/workspaces/{workspace}/audit?action=session.opened&actor={member.id}")
        return [(each["app"], each["address"]) for each in log["items"]]

    eventually(sign_ins)
    assert sign_ins() == [("native", "127.0.0.1")]


def test_shipped_apps_have_no_route_of_roles(worlds):
    for key in contract.KEYS:
        if key != "native":
            app = worlds[key].owner
            app.refused("E97", "GET", "/workspaces/1/roles")
            app.refused("E97", "GET", "/workspaces/1/audit")
