"""The operators' command, deploy/maructl, against the product: its output, and the effect of its acts on users."""

import datetime
import json
import os
import subprocess
import time

import pytest
from app import PASSWORD, App
from device import Device
from waiting import eventually, patiently

DONE, FAILED, USAGE, NOT_FOUND, UNAUTHORIZED, UNCONFIRMED = 0, 1, 2, 3, 5, 6


@pytest.fixture(scope="session")
def ctl(product):
    """Runs maructl and returns its output, as JSON if it was asked for."""

    def run(*words, status=DONE, **environment):
        result = subprocess.run(
            [product.checkout / "deploy/maructl", "--data", product.data, *map(str, words)],
            env={**os.environ, "MARU_PROGRAMS": str(product.checkout / ".build/debug"), "USER": "tester", "SUDO_USER": ""}
            | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patiently(180),
        )
        assert result.returncode == status, (result.returncode, result.stdout, result.stderr)
        return json.loads(result.stdout) if "--json" in words and status in (DONE, FAILED) else result.stdout + result.stderr

    return run


@pytest.fixture
def user(join):
    return join("native")


def moment(seconds):
    """The time so many seconds from now, as calls have it."""
    at = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Seconds after which the doctor gives up its message.
LONGEST_PROBE = 10


def diagnosis(doctor):
    """The doctor's report on a product in order. On a machine that stands still for as long as the doctor waits, it is asked again."""
    for _ in range(4):
        began = time.monotonic()
        try:
            return doctor("doctor", "--json")
        except AssertionError:
            if time.monotonic() - began < LONGEST_PROBE:
                raise
    return doctor("doctor", "--json")


def acts(ctl, subject):
    return [(each["act"], each.get("outcome")) for each in ctl("audit", "--subject", subject, "--json")["acts"]]


def test_an_operator_finds_and_shows_a_user_by_address(ctl, user):
    table = ctl("users", "find", user.email)
    assert table.splitlines()[0].split() == ["USER_ID", "STATE", "NICKNAME", "EMAIL", "CREATEDAT"]
    assert user.email in table
    shown = ctl("users", "show", user.email, "--json")
    assert (shown["user_id"], shown["state"], shown["sessions"]) == (str(user.id), "active", 1)
    assert "active" in ctl("users", "show", user.id)
    ctl("users", "show", "nobody@example.com", status=NOT_FOUND)
    ctl("users", "show", 999_999_999, status=NOT_FOUND)


def test_a_destructive_command_wants_to_be_confirmed(ctl, user):
    refusal = ctl("users", "sign-out", user.id, status=UNCONFIRMED)
    assert f"This ends all sessions of user {user.id}. Pass --yes" in refusal
    assert user.get("/users/me")
    assert acts(ctl, f"users/{user.id}") == []


def test_a_signed_out_user_is_out_everywhere_and_the_log_has_the_operator(product, ctl, user):
    other = user.another_device()
    with Device(product, bearer=f"Bearer {user.token}") as device:
        assert device.ready
        assert ctl("users", "sign-out", user.email, "--yes", "--json", "--as", "anna")["sessionsEnded"] == 2
        device.wait(lambda: device.is_closed)
    for app in (user, other):
        app.refused("E05", "GET", "/users/me")
        # Other services hear of it a moment later.
        eventually(lambda: app.send("GET", "/workspaces").status_code == 401)
        app.refused("E05", "GET", "/workspaces")
    entries = ctl("audit", "--operator", "anna", "--subject", f"users/{user.id}", "--json")["acts"]
    assert [(each["act"], each.get("outcome")) for each in entries] == [("users.sign-out", "done"), ("users.sign-out", None)]
    assert {(each["address"], each["service"]) for each in entries} == {("127.0.0.1", "auth-service")}
    assert len({each["call"] for each in entries}) == 1


def test_one_session_is_ended_alone(ctl, user):
    other = user.another_device()
    newest = ctl("sessions", "list", user.id, "--json")["sessions"][0]["session_id"]
    ctl("sessions", "end", newest, "--yes")
    other.refused("E05", "GET", "/users/me")
    assert user.get("/users/me")


def test_a_disabled_user_gets_the_error_everywhere_until_enabled(product, ctl, join, user):
    workspace = user.make_workspace()
    with Device(product, bearer=f"Bearer {user.token}") as device:
        assert device.ready
        ctl("users", "disable", user.id, "--yes")
        device.wait(lambda: device.is_closed)
    for path in ("/users/me", "/workspaces", f"/workspaces/{workspace}", f"/workspaces/{workspace}/dms", "/store/item/list"):
        eventually(lambda: user.send("GET", path).status_code == 401)
        user.refused("E05", "GET", path)
    user.refused("E06", "GET", "/auth/refresh", headers={"RefreshToken": user.refresh})
    for key in ("native", "sooda", "collatalk"):
        app = App(product, key)
        body = {"email": user.email, "password": PASSWORD, "deviceToken": ""}
        app.refused("E03", "POST", "/users/login", json=body)
    with Device(product, bearer=f"Bearer {user.token}") as device:
        assert device.refusal
    assert ctl("users", "show", user.id, "--json")["state"] == "disabled"
    ctl("users", "enable", user.id)
    assert user.another_device().get("/users/me")


def test_a_deleted_user_is_erased(product, ctl, join, user):
    member = join("native")
    workspace = user.make_workspace(member)
    assert "Hand over or close" in ctl("users", "delete", user.id, "--yes", status=FAILED)
    ctl("workspaces", "hand-over", workspace, member.email, "--yes")
    ctl("users", "delete", user.id, "--yes")
    user.refused("E05", "GET", "/users/me")
    assert ctl("users", "show", user.id, "--json")["state"] == "deleted"
    assert member.get(f"/workspaces/{workspace}")["owner_id"] == member.id


def test_an_export_is_ready_when_the_command_ends(product, ctl, user):
    state = ctl("users", "export", user.id, "--json")
    assert state["state"] == "ready"
    reply = user.session.get(product.base + state["url"], headers={"SesacKey": ""}, timeout=patiently(30))
    assert reply.status_code == 200 and reply.content.startswith(b"PK")


def test_the_owner_is_handed_over_and_both_logs_tell_it(ctl, join, user):
    member = join("native")
    workspace = user.make_workspace(member)
    assert ctl("workspaces", "show", workspace, "--json")["owner_id"] == str(user.id)
    ctl("roles", "set", workspace, member.id, "admin", "--yes")
    roles = {each["user_id"]: each["role"] for each in ctl("roles", "list", workspace, "--json")["members"]}
    assert roles == {str(user.id): "owner", str(member.id): "admin"}
    ctl("workspaces", "hand-over", workspace, member.id, "--yes")
    log = member.get(f"/workspaces/{workspace}/audit")["items"]
    assert [each["action"] for each in log[:2]] == ["workspace.transferred", "role.changed"]
    assert all("actor" not in each and each["detail"]["by"] == "operator" for each in log[:2])
    assert ("workspaces.hand-over", "done") in acts(ctl, f"workspaces/{workspace}/owner/{member.id}")


def test_a_ban_is_listed_and_lifted(ctl, join, user):
    member = join("native")
    workspace = user.make_workspace(member)
    ctl("bans", "lift", workspace, member.id, "--yes", status=NOT_FOUND)
    user.call("PUT", f"/workspaces/{workspace}/bans/{member.id}", json={})
    (ban,) = ctl("bans", "list", workspace, "--json")["bans"]
    assert (ban["user_id"], ban["bannedBy"]) == (str(member.id), str(user.id))
    user.refused("E15", "POST", f"/workspaces/{workspace}/members", json={"email": member.email})
    ctl("bans", "lift", workspace, member.id, "--yes")
    assert ctl("bans", "list", workspace, "--json")["bans"] == []
    newest = user.get(f"/workspaces/{workspace}/audit")["items"][0]
    assert (newest["action"], newest["detail"]) == ("member.unbanned", {"by": "operator"}) and "actor" not in newest
    assert ("bans.lift", "done") in acts(ctl, f"workspaces/{workspace}/bans/{member.id}")
    user.post(f"/workspaces/{workspace}/members", {"email": member.email})
    assert member.get(f"/workspaces/{workspace}")


def test_a_closed_workspace_is_gone_for_its_members(ctl, join, user):
    member = join("native")
    workspace = user.make_workspace(member)
    ctl("workspaces", "close", workspace, "--yes")
    eventually(lambda: member.send("GET", f"/workspaces/{workspace}").status_code == 404)
    ctl("workspaces", "show", workspace, status=NOT_FOUND)


def test_a_room_a_report_and_a_push_are_shown(product, ctl, join, user):
    member, reporter = join("native"), join("native")
    workspace = user.make_workspace(member, reporter)
    channel = user.default_channel(workspace)
    user.say(channel, "신고할 말")
    room = ctl("rooms", "show", f"channel-{channel.id}", "--json")
    assert (room["workspace_id"], room["name"], room["head"], room["state"]) == (str(workspace), "일반", 1, "open")
    eventually(lambda: product.push_decisions(f"channel-{channel.id}", 1))
    pushes = ctl("pushes", "show", f"channel-{channel.id}", 1, "--json")
    assert {each["user_id"]: each["reason"] for each in pushes["users"]} == {str(member.id): "all", str(reporter.id): "all"}
    reported = reporter.post("/reports", {"type": "message", "room": f"channel-{channel.id}", "seq": 1, "reason": "spam"})
    report = ctl("reports", "show", reported["report_id"], "--json")
    assert report["messages"][-1]["content"] == "신고할 말"
    assert reported["report_id"] in ctl("reports", "list")
    ctl("reports", "answer", reported["report_id"], "delete", "--yes")
    assert user.get(f"{user.path(channel)}/chats/1")["deletedAt"]
    assert ctl("reports", "show", reported["report_id"], "--json")["state"] == "answered"
    ctl("rooms", "show", "channel-999999", status=NOT_FOUND)


def test_webhooks_are_shown_without_addresses_and_an_event_is_sent_again(product, ctl, user):
    workspace = user.make_workspace()
    channel = user.default_channel(workspace)
    receiver = f"/receivers/operators-{channel.id}"
    made = user.post(f"/workspaces/{workspace}/webhooks", {"url": product.standins_base + receiver, "events": ["message"]})
    product.standins("PUT", receiver, json={"secret": made["secret"]})
    user.say(channel, "하나")
    (listed,) = ctl("webhooks", "list", workspace, "--json")["webhooks"]
    assert (listed["subscription_id"], listed["receiver"], listed["on"]) == (made["subscription_id"], "127.0.0.1", True)
    assert receiver not in ctl("webhooks", "list", workspace)
    show = ("webhooks", "show", made["subscription_id"])
    eventually(lambda: ctl(*show, "--state", "delivered", "--json")["deliveries"])
    (delivery,) = ctl(*show, "--json")["deliveries"]
    assert (delivery["type"], delivery["seq"]) == ("message", 1)
    again = ctl("webhooks", "replay", made["subscription_id"], delivery["delivery_id"], "--json")
    assert (again["delivery_id"], again["state"]) == (delivery["delivery_id"], "waiting")
    eventually(lambda: len(product.standins("GET", receiver).json()) == 2)
    assert {each["id"] for each in product.standins("GET", receiver).json()} == {delivery["name"]}
    subject = f"webhooks/{made['subscription_id']}/deliveries/{delivery['delivery_id']}"
    assert acts(ctl, subject) == [("webhooks.replay", "done"), ("webhooks.replay", None)]
    ctl("webhooks", "replay", made["subscription_id"], 999_999_999, status=NOT_FOUND)
    user.call("PUT", f"/workspaces/{workspace}/webhooks/{made['subscription_id']}", json={"on": False})
    assert "is off" in ctl("webhooks", "replay", made["subscription_id"], delivery["delivery_id"], status=FAILED)


def test_a_scheduled_message_of_a_disabled_user_fails_and_can_be_sent_once_enabled(product, ctl, user):
    workspace = user.make_workspace()
    channel = user.default_channel(workspace)
    scheduled = user.post(f"{user.path(channel)}/scheduled", {"content": "나중에", "at": moment(3600)})
    ctl("users", "disable", user.id, "--yes")
    now_due = f"update scheduled set due_at = 0 where id = {scheduled['id']}"
    product.sql("chat", now_due)
    eventually(lambda: product.sql("chat", f"select failed_code from scheduled where id = {scheduled['id']}") == "E14")
    ctl("users", "enable", user.id)
    again = user.another_device()
    (item,) = again.get("/users/me/scheduled")["items"]
    assert (item["state"], item["error"]["errorCode"]) == ("failed", "E14")
    assert again.history(channel) == []
    again.call("PUT", f"/users/me/scheduled/{item['id']}", json={"at": moment(3600)})
    product.sql("chat", now_due)
    eventually(lambda: [each["content"] for each in again.history(channel)] == ["나중에"])


def test_a_refund_pays_back_and_takes_the_coins(product, ctl, user):
    before = user.coins
    user.post("/store/pay/validation", user.order())
    assert user.coins == before + 10
    (purchase,) = ctl("purchases", "list", user.id, "--json")["purchases"]
    assert (purchase["status"], purchase["coins"], purchase["refunded"]) == ("paid", 10, 0)
    refunded = ctl("purchases", "refund", purchase["purchase_id"], "--yes", "--json")
    assert (refunded["status"], refunded["cancelledAmount"], refunded["refunded"]) == ("cancelled", 100, 10)
    assert user.coins == before
    again = ctl("purchases", "refund", purchase["purchase_id"], "--yes", status=FAILED)
    assert "The payment is cancelled" in again
    assert ctl("ledger", "check", "--json") == {"differences": []}


def test_what_waits_and_what_is_in_force_is_shown_without_secrets(product, ctl):
    queues = ctl("outboxes", "--json")
    assert {each["service"] for each in queues} == {
        "auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"}
    assert {"outbox", "mail", "erasure", "export"} <= {each["queue"] for each in queues[0]["queues"]}
    table = ctl("settings", "--service", "chat-service")
    row = next(line for line in table.splitlines() if " user_burst " in line)
    assert row.split()[-2:] == ["10000", "file"]
    assert any(line.split()[1:] == ["user_rate", "50", "default"] for line in table.splitlines())
    everything = ctl("settings") + ctl("settings", "--json").__repr__()
    for secret in (product.data / "secrets").rglob("*"):
        if secret.is_file() and secret.suffix == "" and len(secret.read_text().strip()) >= 20:
            assert secret.read_text().strip() not in everything, secret


def test_the_doctor_finds_everything_in_order_and_hears_its_message(ctl):
    for _ in range(2):  # The first run makes an account and a workspace, the second one uses them.
        found = diagnosis(ctl)
        assert found["healthy"], found
        checks = {each["check"]: each for each in found["checks"]}
        assert checks["a message"]["detail"].startswith("sent and heard")
        assert {"clock of chat-service", "disk of chat-service", "migrations of payment-service", "versions"} <= checks.keys()


def test_the_doctor_says_what_is_wrong(product, ctl, tmp_path):
    file = tmp_path / "maructl.conf"
    text = (product.data / "config/maructl.conf").read_text()
    certificate = tmp_path / "tls.crt"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3", "-subj", "/CN=localhost",
         "-keyout", tmp_path / "tls.key", "-out", certificate], check=True, capture_output=True)
    file.write_text(text.replace(f"{product.internals + 2}", "1") + f"certificate = {certificate}\n")
    found = ctl("--config", file, "doctor", "--json", status=FAILED)
    levels = {each["check"]: each["level"] for each in found["checks"]}
    assert (levels["chat-service"], levels["certificate"], levels["auth-service"]) == ("wrong", "warning", "ok")


def test_nothing_would_migrate_on_a_running_product(ctl):
    assert ctl("migrate", "--plan") == "no migration would run\n"
    assert ctl("migrate", "plan", "--json") == []


def test_a_backup_is_made_and_in_the_log(product, ctl, tmp_path_factory):
    folder = tmp_path_factory.mktemp("backup") / "one"
    assert "tables" in ctl("--as", "backup-operator", "backup", folder)
    assert (folder / "manifest.json").exists()
    acts = ctl("audit", "--operator", "backup-operator", "--json")["acts"][::-1]
    assert [(each["act"], each["subject"]) for each in acts if each.get("outcome")] == [
        ("backup", "backups/begun"), ("backup", "backups/done")
    ]
    ctl("--as", "backup-operator", "backup", folder, status=FAILED)
    assert ctl("audit", "--operator", "backup-operator", "--json")["acts"][0]["subject"] == "backups/failed"
    ctl("--as", "backup-operator", "backups", "note", "lost", status=2)
    assert "is complete" in ctl("restore", "--check", folder)


def test_another_credential_is_refused(product, ctl, tmp_path):
    file = tmp_path / "maructl.conf"
    text = (product.data / "config/maructl.conf").read_text()
    service = product.data / "secrets/auth/service_credential"
    lines = [line for line in text.splitlines() if not line.startswith("operator_credential")]
    file.write_text("\n".join([*lines, f"operator_credential_file = {service}"]))
    ctl("--config", file, "users", "show", 1, status=UNAUTHORIZED)


@pytest.fixture
def named(product, ctl, tmp_path):
    """Makes an operator with a credential of their own, and runs maructl with it."""
    made = []

    def make(name, *options):
        shown = ctl("operators", "add", name, *options, "--json")
        made.append(name)
        return shown, using(shown["credential"])

    def using(credential):
        file = tmp_path / credential[:8]
        file.write_text(credential)
        return lambda *words, **more: ctl(*words, MARU_OPERATOR_CREDENTIAL_FILE=str(file), **more)

    yield make, using
    for name in made:
        if any((each["name"], each["role"]) == (name, role) for each in ctl("operators", "list", "--json")["operators"]
               for role in ("operator", "viewer")):
            ctl("operators", "remove", name, "--yes")


def test_an_operator_with_a_credential_of_their_own_is_named_in_the_log(product, ctl, user, named):
    make, using = named
    shown, cara = make("cara")
    assert (shown["name"], shown["role"]) == ("cara", "operator")
    cara("users", "sign-out", user.id, "--yes", "--as", "eve")
    assert acts(ctl, f"users/{user.id}") == [("users.sign-out", "done"), ("users.sign-out", None)]
    names = {each["operator"] for each in ctl("audit", "--subject", f"users/{user.id}", "--json")["acts"]}
    assert names == {"cara"}
    # All services let the operator in, and the shared credential cannot use the name.
    assert "chat-service" in cara("settings", "--service", "chat-service")
    assert diagnosis(cara)["healthy"]
    refusal = ctl("users", "show", user.id, "--as", "cara", status=FAILED)
    assert "cara has a credential of their own" in refusal
    assert shown["credential"] not in (product.data / "secrets/operators/operators").read_text()


def test_a_viewer_looks_and_does_not_act(ctl, user, named):
    make, _ = named
    _, view = make("vera", "--role", "viewer")
    assert view("users", "show", user.id, "--json")["state"] == "active"
    assert "vera may look and not act" in view("users", "disable", user.id, "--yes", status=FAILED)
    assert "may look and not act" in view("operators", "add", "eve", status=FAILED)
    assert user.get("/users/me")
    assert {(each["operator"], each["act"]) for each in ctl("audit", "--operator", "vera", "--json")["acts"]} == {
        ("vera", "users.show")}


def test_a_new_credential_ends_the_old_one_and_a_removal_ends_both(ctl, user, named):
    make, using = named
    shown, dora = make("dora")
    dora("users", "show", user.id)
    ctl("operators", "rotate", "dora", status=UNCONFIRMED)
    again = ctl("operators", "rotate", "dora", "--yes", "--json")
    dora("users", "show", user.id, status=UNAUTHORIZED)
    using(again["credential"])("users", "show", user.id)
    ctl("operators", "remove", "dora", "--yes")
    using(again["credential"])("users", "show", user.id, status=UNAUTHORIZED)
    assert ["dora", "removed"] in [line.split()[:2] for line in ctl("operators", "list").splitlines()]
    assert acts(ctl, "operators/dora")[0] == ("operators.remove", "done")
    ctl("operators", "remove", "dora", "--yes", status=NOT_FOUND)
    assert "an operator already" in ctl("operators", "add", make("eda")[0]["name"], status=FAILED)
    ctl("operators", "add", "a/b", status=USAGE)


def test_a_wrong_command_line_is_told(ctl):
    assert "unknown command" in ctl("frobnicate", status=USAGE)
    assert "usage: maructl users show USER" in ctl("users", "show", status=USAGE)
    assert "users sign-out USER" in ctl("help", "users")


def test_the_gateway_routes_no_operator(product, ctl):
    credential = (product.data / "secrets/operator/operator_credential").read_text().strip()
    app = App(product, "native")
    reply = app.session.get(
        f"{product.base}/operator/status", headers={"Authorization": f"Bearer {credential}"}, timeout=patiently(20))
    assert reply.status_code >= 400 and "postgres" not in reply.text


def test_no_role_of_a_service_changes_the_log_of_operators(product, ctl, user):
    ctl("users", "show", user.id)
    for role in ("auth", "workspace", "chat", "realtime", "payment"):
        url = (product.data / f"secrets/{role}/database_url").read_text()
        for statement in (
            "update audit.operator_act set operator = 'x'", "delete from audit.operator_act", "truncate audit.operator_act",
            "drop table audit.operator_act", "alter table audit.operator_act disable trigger all", "set role audit",
            "set role audit_keeper",
        ):
            result = subprocess.run(["psql", "-XAtc", statement, url], capture_output=True, text=True, timeout=patiently(30))
            assert result.returncode != 0, (role, statement)
