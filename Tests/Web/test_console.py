"""The operators' console, against the product: its pages have real data, and its acts are in the operators' log."""

import contextlib
import hashlib
import os
import re
import secrets
import signal
import socket
import subprocess

import pytest
import requests
from app import App
from device import Device
from person import Person, windows
from pictures import sky
from playwright.sync_api import expect
from test_security import turn_on
from test_views import audit
from waiting import eventually, patiently

SERVICES = ["auth-service", "chat-service", "payment-service", "realtime-gateway", "workspace-service"]
# The services that a test has stopped.
STOPPED = set()
REFUSED = "The credential is wrong."
# Failures of a page that stay, in both languages.
MISSING = ["Nothing has this id.", "이 번호로 된 것이 없습니다."]

# Changes the address, and ends when the page has changed.
GO = """(hash) => location.hash === hash || new Promise((done) => {
    addEventListener('hashchange', () => done(true), { once: true });
    location.hash = hash;
})"""


class Operator(Person):
    """A person at the console."""

    def __init__(self, product, browser, name="anna", **options):
        super().__init__(product, browser, name, base=product.console, **options)

    def open(self, path="/console/"):
        return super().open(path)

    def enter(self, credential=None):
        """Signs in until the services take the credential or refuse it. They have two seconds, which pass while the machine stands still."""
        shell, fault = self.page.locator("console-shell"), self.page.locator("console-gate .fault", has_text=re.compile("."))

        def is_answered():
            self.page.locator("[name=name]").fill(self.name)
            self.page.locator("[name=credential]").fill(credential or credential_of(self.product))
            self.page.locator("button[type=submit]").click()
            expect(shell.or_(fault)).to_be_visible()
            return shell.is_visible() or fault.inner_text() == REFUSED

        self.until(is_answered, pause=500)

    def sign_in(self):
        self.enter()
        expect(self.page.locator("console-shell")).to_be_visible()
        return self

    def go(self, path):
        """Goes to a page of the navigation, or of a thing on it."""
        self.page.evaluate(GO, f"#/{path}")
        return self.settled()

    def settled(self):
        """Waits until the page has loaded. It waits for a service for eight seconds, which pass while the machine stands still, so this
        presses "Try again" where a service that the test has not stopped is silent."""
        page = self.page.locator("main#page")
        # A link changes the address, and the page follows.
        self.page.evaluate("new Promise((done) => setTimeout(done))")
        lasting = re.compile("|".join(map(re.escape, [*MISSING, *STOPPED])))
        again = page.locator(".fault", has_not_text=lasting).locator("xpath=following-sibling::button")

        def has_loaded():
            expect(page.locator(".spinner")).to_have_count(0)
            if not again.count():
                return True
            again.first.press("Enter")
            return False

        self.until(has_loaded, pause=500)
        return page

    def act(self, name, id, place=None):
        """Confirms an act by typing the id."""
        (place or self.page.locator("main#page")).locator(f"[data-act='{name}']").first.click()
        dialog = self.page.get_by_role("dialog")
        dialog.locator("[name=id]").fill(f"{id}1")
        dialog.locator("button[type=submit]").click()
        expect(dialog.get_by_role("alert")).to_have_text("This is another id.")
        dialog.locator("[name=id]").fill(str(id))
        dialog.locator("button[type=submit]").click()
        expect(dialog).to_have_count(0)
        self.settled()


def credential_of(product):
    return (product.data / "secrets/operator/operator_credential").read_text().strip()


def call(product, path, method="GET", credential=None, params=None, **headers):
    """The reply of a service. The console waits some seconds for one, which pass while the machine stands still."""
    sent = {"X-Operator": "test"} | ({"Authorization": f"Bearer {credential}"} if credential else {}) | headers
    replies = []

    def is_answered():
        url = f"{product.console}/console/api{path}"
        replies.append(requests.request(method, url, params=params, headers=sent, timeout=patiently(20)))
        return replies[-1].status_code < 500

    eventually(is_answered, pause=0.5)
    return replies[-1]


def logged(product, **query):
    reply = call(product, "/services/workspace-service/operator/acts", credential=credential_of(product), params=query)
    assert reply.status_code == 200, reply.text
    return [(each["operator"], each["act"], each.get("outcome")) for each in reply.json()["acts"]]


@pytest.fixture
def operator(product, browser):
    yield from windows(Operator, product, browser)


@pytest.fixture
def join(product):
    return lambda **more: App.joined(product, "native", **more)


def test_only_the_right_credential_opens_the_console(operator):
    anna = operator()
    page = anna.page
    anna.expected += [r"status of 401"]
    anna.enter("wrong-0123456789abcdef0123456789abcdef")
    expect(page.get_by_role("alert")).to_have_text(REFUSED)
    assert page.evaluate("sessionStorage.length") == 0
    anna.sign_in()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    # A reload stays signed in. Another tab is not, and neither the local storage nor a cookie has the credential.
    page.reload()
    expect(page.locator("console-shell")).to_be_visible()
    assert credential_of(anna.product) not in page.evaluate("JSON.stringify(localStorage) + document.cookie")
    expect(anna.open().locator("console-gate")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("console-gate")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_credential_that_was_changed_leads_back_to_the_sign_in(operator):
    anna = operator().sign_in()
    anna.expected += [r"status of 401"]
    anna.page.evaluate("sessionStorage.setItem('maru.operator', JSON.stringify({name: 'anna', credential: 'old'}))")
    expect(anna.page.get_by_role("alert")).to_contain_text("Please sign in again")


PATHS = [
    "/instances", "/instances/chat-service/0/metrics", "/instances/chat-service/0/operator/status",
    "/services/chat-service/operator/queues", "/services/auth-service/operator/users?text=a",
    "/instances/realtime-gateway/0/operator/deliveries/channel-1/1",
]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_told_without_the_credential_or_to_another_site(product, path):
    good = credential_of(product)
    assert call(product, path, credential=good).status_code == 200
    for wrong in (None, "x", good[:-1]):
        reply = call(product, path, credential=wrong)
        assert reply.status_code == 401 and "127.0.0.1" not in reply.text and "maru_" not in reply.text
    service = (product.data / "secrets/chat/service_credential").read_text().strip()
    assert call(product, path, credential=service).status_code == 401
    assert call(product, path, credential=good, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert call(product, path, credential=good, Host="evil.example").status_code == 421


@pytest.mark.parametrize("path", [
    "/services/chat-service/internal/reports", "/services/chat-service/metrics", "/services/chat-service/operator/../internal/reports",
    "/services/chat-service/operator/%2e%2e/internal/reports", "/instances/chat-service/0/internal/reports", "/-/authorized"])
def test_the_console_passes_on_operators_routes_alone(product, path):
    connection = socket.create_connection(("127.0.0.1", int(product.console.rsplit(":", 1)[1])), timeout=patiently(20))
    connection.sendall(f"GET /console/api{path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {credential_of(product)}\r\n\r\n".encode())
    assert b" 404 " in connection.recv(100).splitlines()[0]
    connection.close()


def test_an_instance_takes_no_acts(product, join):
    user = join()
    path = f"/instances/auth-service/0/operator/users/{user.id}/sessions"
    assert call(product, path, "DELETE", credential_of(product)).status_code == 403
    assert user.get("/users/me")


def test_the_gateway_of_clients_has_no_console(product):
    for path in ("/console/", "/console/api/instances", "/console/index.html"):
        assert requests.get(product.base + path, timeout=patiently(20)).status_code == 400


def test_the_overview_shows_all_instances_and_lives(operator, join):
    anna = operator().sign_in()
    page = anna.page
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.locator("td:first-child")).to_have_text(SERVICES)
    expect(rows.locator("[data-state=ready]")).to_have_count(5)
    expect(rows.first).to_contain_text(re.compile(r"\d+ min \d+ s|\d+ h"))
    user = join()
    channel = user.default_channel(user.make_workspace())

    def is_counted():
        user.say(channel, "hello")
        return re.match(r"[0-9.,]*[1-9]", page.locator("[data-tile=messages] b").inner_text())

    anna.until(is_counted)
    expect(page.locator("[data-tile=calls] svg polyline")).to_have_count(1)
    # The time is that of the last calls.
    anna.until(lambda: user.get("/users/me") and re.search(r"\d ms · ", page.locator("[data-tile=callTime] b").inner_text()))


def test_an_instance_that_drains_is_shown(operator, product):
    anna = operator().sign_in()
    rows = anna.page.locator("tbody tr", has_text="chat-service")
    ready = rows.locator("[data-state=ready]")
    expect(ready).to_have_count(1)
    before, held = [rows.locator("code").inner_text()], []

    def begin():
        patient = {"MARU_ROLL_SECONDS": str(round(patiently(60))), "MARU_PROGRAMS": str(product.checkout / ".build/debug")}
        return subprocess.Popen(
            [product.checkout / "deploy/roll", "--data", product.data, "chat-service"],
            env=patient | dict(os.environ), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    rolls = [begin()]

    def finish():
        output, _ = rolls[-1].communicate(timeout=patiently(120))
        assert rolls[-1].returncode == 0, output
        expect(rows).to_have_count(1)
        expect(rows.locator("code")).not_to_have_text(before[-1])
        expect(ready).to_have_count(1)

    def is_draining():
        # An old process lasts for some seconds. If they have passed while the machine stood still, it is the turn of the next one.
        if rolls[-1].poll() is not None:
            finish()
            before.append(rows.locator("code").inner_text())
            rolls.append(begin())
        # A call that does not end keeps the old process. The service waits for a body for some seconds, so another call begins each second.
        with contextlib.suppress(ConnectionError):
            held.append(socket.create_connection(("127.0.0.1", product.services + 2), timeout=patiently(60)))
            held[-1].sendall(b"POST /v1/workspaces/1/channels/1/chats HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
        texts = rows.all_inner_texts()
        return len(texts) == 2 and any("draining" in each.lower() and before[-1] in each for each in texts)

    # The page needs nothing of this program meanwhile.
    eventually(is_draining, patience=90, pause=1)
    for each in held:
        each.close()
    finish()


def test_sockets_are_shown_by_client_and_gateway(operator, product, join):
    with Device(product, bearer=f"Bearer {join().token}", transports=["websocket"]) as device:
        assert device.ready
        anna = operator().sign_in()
        page = anna.go("sockets")
        expect(page.locator("tbody tr", has_text="native").filter(has_text="websocket")).to_have_count(1)
        expect(page.get_by_role("region", name="Gateways").locator("tbody tr")).to_have_count(1)


def test_the_way_of_a_message_is_shown(operator, product, join):
    author, online, away = join(), join(), join()
    channel = author.default_channel(author.make_workspace(online, away))
    with Device(product, bearer=f"Bearer {online.token}") as device:
        assert device.ready
        author.say(channel, "Where does this go?")
        device.wait(lambda: any("Where does this go?" in str(each) for each in device.events))
        eventually(lambda: product.push_decisions(f"channel-{channel.id}", 1))
        anna = operator().sign_in()
        page = anna.go("message")
        page.locator("[name=room]").fill(f"channel-{channel.id}")
        page.locator("[name=seq]").fill("1")

        def is_shown():
            # A gateway that did not answer in time stands there as silent.
            page.get_by_role("button", name="Show").click()
            anna.settled()
            return page.locator("[data-step][data-done=yes]").count() == 4

        anna.until(is_shown, pause=500)
        for step in ("committed", "published", "fannedOut", "pushed"):
            expect(page.locator(f"[data-step={step}]")).to_have_attribute("data-done", "yes")
        expect(page.locator("[data-step=fannedOut]")).to_contain_text("1 socket ·")
        expect(page.locator("[data-step=committed]")).to_contain_text(f"by user {author.id} in 일반")
        reasons = {row.locator("td").nth(0).inner_text(): row.locator("td").nth(2).inner_text() for row in page.locator("tbody tr").all()}
        assert reasons == {str(online.id): "all", str(away.id): "all"}
        assert "Where does this go?" not in page.inner_text()
        assert ("anna", "messages.show", None) in logged(product, subject=f"rooms/channel-{channel.id}/messages/1")
        anna.expected += [r"status of 404"]
        anna.go(f"message/channel-{channel.id}/2")
        expect(page.get_by_role("alert")).to_have_text("Nothing has this id.")


def test_the_way_of_a_message_is_shown_while_a_gateway_is_silent(operator, product, join):
    author = join()
    channel = author.default_channel(author.make_workspace())
    author.say(channel, "Who is silent?")
    anna = operator().sign_in()
    anna.expected += [r"status of 50[024]"]
    with stopped(product, "realtime-gateway"):
        page = anna.go(f"message/channel-{channel.id}/1")
        expect(page.locator("[data-step=committed]")).to_have_attribute("data-done", "yes")
        expect(page.locator("[data-step=fannedOut]")).to_contain_text("does not answer")
        expect(page.locator("[data-step=pushed]")).to_contain_text("realtime-gateway does not answer.")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_outboxes_and_lags_are_shown(operator, join):
    user = join()
    user.say(user.default_channel(user.make_workspace()), "late?")
    page = operator().sign_in().go("queues")
    waiting = page.get_by_role("region", name="Waiting work")
    for service in SERVICES:
        expect(waiting.locator("tbody tr", has_text=service)).not_to_have_count(0)
    expect(page.get_by_role("region", name="Lags").locator("tbody tr")).not_to_have_count(0)


@contextlib.contextmanager
def stopped(product, service):
    """Stops the process of a service: it accepts connections and does not answer."""
    process = int((product.data / f"run/{service}.pid").read_text().split()[0])
    STOPPED.add(service)
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)
        STOPPED.remove(service)


def test_a_service_that_does_not_answer_is_named(operator, product):
    with stopped(product, "realtime-gateway"):
        anna = operator()
        anna.expected += [r"status of 50[024]"]
        anna.sign_in()
        row = anna.page.locator("tbody tr", has_text="realtime-gateway")
        expect(row.locator("[data-state=silent]")).to_have_count(1)
        expect(anna.page.locator("tbody tr [data-state=ready]")).to_have_count(4)
        expect(anna.go("sockets").get_by_role("alert").first).to_contain_text("realtime-gateway does not answer.")
        waiting = anna.go("queues").get_by_role("region", name="Waiting work")
        expect(waiting.locator("tbody tr", has_text="realtime-gateway")).to_contain_text("does not answer")
        expect(waiting.locator("tbody tr", has_text="chat-service")).not_to_have_count(0)
    with stopped(product, "payment-service"):
        expect(anna.go("purchases/of/1").get_by_role("alert")).to_have_text("payment-service does not answer.")
    # They answer again.
    expect(anna.go("overview").locator("tbody tr [data-state=ready]")).to_have_count(5)


def test_the_rest_goes_on_while_a_service_is_silent(operator, product, join):
    user, other = join(), join()
    user.make_workspace()
    with stopped(product, "payment-service"):
        anna = operator()
        anna.expected += [r"status of 50[0234]"]
        anna.sign_in()
        expect(anna.page.locator("tbody tr", has_text="payment-service").locator("[data-state=silent]")).to_have_count(1)
        expect(anna.page.locator("[data-tile=calls] svg polyline")).to_have_count(1)
        page = anna.go(f"users/{user.id}")
        expect(page.get_by_role("region", name="Workspaces").locator("tbody tr")).to_have_count(1)
        anna.act("users.sign-out", user.id)
        expect(page.get_by_text("No session is open.")).to_be_visible()
        user.refused("E05", "GET", "/users/me")
        assert ("anna", "users.sign-out", "done") in logged(product, subject=f"users/{user.id}")
    # auth-service is the first that is asked about the credential, and workspace-service has the log without which nothing is done.
    with stopped(product, "auth-service"):
        anna = operator()
        anna.expected += [r"status of 50[0234]"]
        anna.sign_in()
        expect(anna.page.locator("tbody tr", has_text="auth-service").locator("[data-state=silent]")).to_have_count(1)
        expect(anna.page.locator("tbody tr [data-state=ready]")).to_have_count(4)
        expect(anna.go("log").locator("tbody tr", has_text="users.sign-out").first).to_contain_text("anna")
        expect(anna.go(f"users/{user.id}").get_by_role("alert")).to_have_text("auth-service does not answer.")
    anna.go(f"users/{other.id}")
    with stopped(product, "workspace-service"):
        anna.page.locator("[data-act='users.sign-out']").click()
        dialog = anna.page.get_by_role("dialog")
        dialog.locator("[name=id]").fill(str(other.id))
        dialog.locator("button[type=submit]").click()
        expect(dialog.get_by_role("alert")).to_contain_text("workspace-service, which keeps the log of operators, does not answer")
        anna.page.keyboard.press("Escape")
    assert other.get("/users/me")
    expect(anna.go("overview").locator("tbody tr [data-state=ready]")).to_have_count(5)


def test_a_workspace_is_handed_over_and_closed(operator, product, join):
    owner, member = join(), join()
    workspace = owner.make_workspace(member)
    anna = operator().sign_in()
    page = anna.go("workspaces")
    page.locator("[name=text]").fill(str(owner.id))
    page.get_by_role("button", name="Find").click()
    anna.settled()
    page.locator(f"a[href='#/workspaces/{workspace}']").click()
    anna.settled()
    anna.act("workspaces.hand-over", member.id)
    expect(page.locator("tbody tr:has(td:text-is('owner'))").get_by_role("link")).to_have_text(str(member.id))
    assert member.get(f"/workspaces/{workspace}")["owner_id"] == member.id
    anna.act("workspaces.close", workspace)
    expect(page.get_by_text("The workspace is closed.")).to_be_visible()
    eventually(lambda: member.send("GET", f"/workspaces/{workspace}").status_code == 404)
    assert ("anna", "workspaces.hand-over", "done") in logged(product, subject=f"workspaces/{workspace}/owner/{member.id}")
    assert ("anna", "workspaces.close", "done") in logged(product, subject=f"workspaces/{workspace}")


def test_a_viewer_sees_no_acts_and_is_in_the_log_by_the_name_of_the_credential(operator, product, join):
    user = join()
    credential = secrets.token_urlsafe(32)
    file = product.data / "secrets/operators/operators"
    before = file.read_text() if file.exists() else ""
    page = operator(name="eve")
    file.write_text(f"{before}vera viewer {hashlib.sha256(credential.encode()).hexdigest()}\n")
    try:
        page.enter(credential)
        expect(page.page.locator(".who")).to_have_text("vera (read-only)")
        expect(page.go(f"users/{user.id}").locator(".record")).to_contain_text(user.email)
        expect(page.page.locator("[data-act]")).to_have_count(0)
        assert call(product, f"/services/auth-service/operator/users/{user.id}/sessions", "DELETE", credential).status_code == 403
        assert {name for name, _, _ in logged(product, subject=f"users/{user.id}")} == {"vera"}
        # The page asks for metrics again and again, and would be refused from here on.
        page.close()
    finally:
        file.write_text(before)


def test_a_report_is_shown_and_answered(operator, product, join):
    author, reporter = join(), join()
    channel = author.default_channel(author.make_workspace(reporter))
    author.say(channel, "a bad word")
    made = reporter.post("/reports", {"type": "message", "room": f"channel-{channel.id}", "seq": 1, "reason": "spam"})
    anna = operator().sign_in()
    page = anna.go("reports")
    # A workspace or a user may have the same number.
    link = page.locator(f"a[href='#/reports/{made['report_id']}']")
    link.click()
    anna.settled()
    expect(page.locator("blockquote")).to_have_text(["a bad word"])
    anna.act("reports.delete", made["report_id"])
    expect(page.locator(".record")).to_contain_text("answered")
    expect(page.locator("[data-act]")).to_have_count(0)
    assert author.get(f"{author.path(channel)}/chats/1")["deletedAt"]
    assert ("anna", "reports.answer", "done") in logged(product, act="reports.answer", subject=f"reports/{made['report_id']}/delete")
    anna.go("reports")
    page.get_by_label("State").select_option("answered")
    anna.settled()
    expect(link).to_be_visible()


def test_a_report_shows_the_files_of_messages_that_were_deleted_since(operator, join):
    author, reporter = join(), join()
    channel = author.default_channel(author.make_workspace(reporter))
    author.say(channel, "", files=[("A bad sky.png", sky(40, 20)), ("plan 50%.txt", b"A bad plan")])
    made = reporter.post("/reports", {"type": "message", "room": f"channel-{channel.id}", "seq": 1, "reason": "spam"})
    author.call("DELETE", f"{author.path(channel)}/chats/1")
    anna = operator().sign_in()
    page = anna.go(f"reports/{made['report_id']}")
    # The service forgets the names of pictures.
    image = page.get_by_role("img", name="Image image")
    anna.until(lambda: image.evaluate("each => each.complete && each.naturalWidth") == 40)
    with anna.page.expect_download() as begun:
        page.get_by_role("button", name="Download plan 50%").click()
    assert begun.value.suggested_filename.startswith("plan 50")
    assert begun.value.path().read_bytes() == b"A bad plan"
    assert audit(anna.page) == []


def test_a_report_says_that_a_file_is_gone_or_that_no_message_was_copied(operator):
    anna = operator().sign_in()
    anna.expected += [r"status of 404"]
    moment = "2026-11-24T05:06:07.123Z"
    copy = {"seq": 4, "user_id": "5", "nickname": "Ben", "content": "", "files": ["/static/channelChats/sky_0a.png"], "createdAt": moment}
    report = {"report_id": "900001", "type": "message", "reason": "spam", "text": "", "state": "open", "createdAt": moment}
    shown = []
    anna.page.route("**/operator/reports/900001", lambda route: route.fulfill(json={**report, "messages": shown}))
    for messages, text in (([copy], "The file is no longer stored."), ([], "No copy of the messages is kept.")):
        shown[:] = messages
        page = anna.go("reports/900001")
        expect(page.get_by_text(text)).to_be_visible()
        anna.go("reports")


@pytest.mark.parametrize("language, missing, none", [
    ("en-US", "A part of the database is out of reach. Reports of its workspaces are missing.", "No report in this state is within reach."),
    ("ko-KR", "데이터베이스 일부에 접근할 수 없습니다. 해당 워크스페이스의 신고는 빠져 있습니다.", "접근할 수 있는 범위에는 이 상태의 신고가 없습니다."),
], ids=["english", "korean"])
def test_the_reports_say_that_some_are_out_of_reach(operator, language, missing, none):
    anna = operator(locale=language).sign_in()
    report = {"report_id": "900002", "type": "user", "reason": "spam", "createdAt": "2026-11-24T05:06:07.123Z"}
    shown = {}
    anna.page.route("**/operator/reports?*", lambda route: route.fulfill(json={"next": None, **shown}))
    for items, complete in (([report], False), ([], False), ([report], True)):
        shown.update(items=items, complete=complete)
        page = anna.go("reports")
        expect(page.locator("a[href='#/reports/900002']")).to_have_count(len(items))
        alert = page.get_by_role("alert")
        expect(alert).to_have_count(0 if complete else 1)
        if not complete:
            expect(alert).to_have_text(missing)
        expect(page.get_by_text(none)).to_have_count(0 if items else 1)
        assert audit(anna.page) == []
        anna.go("log")


def test_a_report_shows_the_cover_that_was_replaced_since(operator, product, join):
    author, reporter = join(), join()
    workspace = author.make_workspace(reporter)

    def change(width):
        author.form("PUT", f"/workspaces/{workspace}", {"name": "A house"}, [("image", ("a.png", sky(width, 20), "image/png"))])

    change(40)
    made = reporter.post("/reports", {"type": "workspace", "workspace_id": str(workspace), "reason": "sexual"})
    change(30)
    anna = operator().sign_in()
    image = anna.page.get_by_role("img", name="The picture as it was reported")

    def is_shown():
        anna.go("reports")
        page = anna.go(f"reports/{made['report_id']}")
        expect(page.locator(".evidence")).to_be_visible()
        return image.count() == 1 and image.evaluate("each => each.complete && each.naturalWidth") == 40

    eventually(is_shown)
    assert audit(anna.page) == []
    assert ("anna", "reports.file", None) in logged(product, act="reports.file")


def test_a_report_of_a_workspace_names_it(operator, join):
    author, reporter = join(), join()
    name = f"A bad name of {author.id}"
    workspace = author.make_workspace(reporter, name=name)
    made = reporter.post("/reports", {"type": "workspace", "workspace_id": str(workspace), "reason": "spam"})
    page = operator().sign_in().go(f"reports/{made['report_id']}")
    expect(page.locator(".record")).to_contain_text(f"{name} ({workspace})")
    # A member that the page does not know stands there as an object.
    expect(page.locator(".record")).not_to_contain_text("[object")


def test_a_purchase_is_refunded(operator, product, join):
    user = join()
    before = user.coins
    user.post("/store/pay/validation", user.order())
    anna = operator().sign_in()
    page = anna.go("purchases")
    page.locator("[name=user]").fill(user.email)
    page.get_by_role("button", name="Show").click()
    anna.settled()
    page.locator("tbody a").click()
    anna.settled()
    expect(page.locator(".record")).to_contain_text("paid")
    purchase = page.locator(".record dd").first.inner_text()
    anna.act("purchases.refund", purchase)
    expect(page.locator(".record")).to_contain_text("cancelled")
    assert user.coins == before
    assert ("anna", "purchases.refund", "done") in logged(product, subject=f"purchases/{purchase}")


def test_a_user_is_found_and_every_act_happens_and_is_in_the_log(operator, product, join):
    user = join(nickname="Find me")
    other = user.another_device()
    user.make_workspace()
    subject = f"users/{user.id}"
    anna = operator().sign_in()
    page = anna.go("users")
    page.locator("[name=text]").fill(user.email)
    page.get_by_role("button", name="Find").click()
    anna.settled()
    page.locator(f"a[href='#/users/{user.id}']").click()
    anna.settled()
    expect(page.locator(".record")).to_contain_text("Find me")
    expect(page.get_by_role("region", name="Workspaces").locator("tbody tr")).to_have_count(1)

    sessions = page.get_by_role("region", name="Open sessions")
    expect(sessions.locator("tbody tr")).to_have_count(2)
    newest = sessions.locator("tbody td").first.inner_text()
    anna.act("sessions.end", newest, sessions)
    expect(sessions.locator("tbody tr")).to_have_count(1)
    other.refused("E05", "GET", "/users/me")

    page.locator("[data-act='users.export']").click()
    expect(page.get_by_text("The archive is ready.")).to_be_visible()

    anna.act("users.sign-out", user.id)
    expect(page.get_by_text("No session is open.")).to_be_visible()
    user.refused("E05", "GET", "/users/me")
    anna.act("users.disable", user.id)
    page.locator("[data-act='users.enable']").click()
    expect(page.locator("[data-act='users.disable']")).to_be_visible()
    assert user.another_device().get("/users/me")

    # The owner of a workspace cannot be deleted before somebody else owns it.
    anna.expected += [r"status of 409"]
    member = join()
    last = user.another_device()
    workspace = int(last.get("/workspaces")[0]["workspace_id"])
    last.post(f"/workspaces/{workspace}/members", {"email": member.email})
    page.locator("[data-act='users.delete']").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.locator("[name=id]").fill(str(user.id))
    dialog.locator("button[type=submit]").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Hand over or close")
    anna.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    anna.go(f"users/{member.id}")
    anna.act("users.delete-messages", member.id)
    expect(page.locator(".record")).to_contain_text("deleted")
    member.refused("E05", "GET", "/users/me")

    entries = logged(product, subject=subject, limit=200)
    for name in ("users.export", "users.sign-out", "users.disable", "users.enable"):
        assert ("anna", name, "done") in entries and ("anna", name, None) in entries, name
    assert ("anna", "users.delete", "E15") in entries
    assert ("anna", "users.delete", "done") in logged(product, subject=f"users/{member.id}")
    assert ("anna", "sessions.end", "done") in logged(product, subject=f"sessions/{newest}")

    # The page of the log shows the same.
    anna.go(f"log/{subject}")
    expect(page.locator("tbody tr", has_text="users.disable")).to_have_count(2)
    expect(page.locator("tbody tr").first).to_contain_text("anna")


def test_a_second_factor_is_reset(operator, person):
    owner = person(name="Owner").join()
    owner.create_workspace("Lost phone")
    owner.enter("일반")
    turn_on(owner)
    owner.expected += [r"status of 401"]
    anna = operator().sign_in()
    page = anna.go(f"users/find/{owner.email}")
    page.locator("tbody a").click()
    anna.settled()
    expect(page.locator("[data-act='users.reset-second-factor']")).to_be_visible()
    user = page.locator(".record dd").first.inner_text()
    anna.act("users.reset-second-factor", user)
    expect(page.locator("[data-act='users.reset-second-factor']")).to_have_count(0)
    expect(owner.page.locator("maru-gate")).to_be_visible()
    # A password is enough again.
    owner.sign_in()
    assert ("anna", "users.reset-second-factor", "done") in logged(anna.product, subject=f"users/{user}")


PAGES = ["overview", "sockets", "message", "queues", "reports", "purchases", "users", "log"]


@pytest.mark.parametrize("theme, locale", [("light", "en-US"), ("dark", "ko-KR")])
def test_every_page_is_accessible_in_both_languages(operator, join, screenshots, theme, locale):
    user = join()
    channel = user.default_channel(user.make_workspace())
    user.say(channel, "hello")
    found = []

    def look(someone, name):
        someone.page.wait_for_function("() => document.getAnimations().every((each) => each.playState !== 'running')")
        someone.page.screenshot(path=screenshots / f"console-{name}-{theme}.png")
        found.extend(f"{name}: {each}" for each in audit(someone.page))

    anna = operator(theme=theme, locale=locale)
    anna.expected += [r"status of 404"]
    look(anna, "gate")
    anna.sign_in()
    expect(anna.page.locator(".tiles li")).to_have_count(6)
    for page in [*PAGES, f"message/channel-{channel.id}/1", f"users/{user.id}", f"users/find/{user.email}"]:
        place = anna.go(page)
        expect(place.locator("h1")).not_to_be_empty()
        if page == "overview":
            expect(place.locator("[data-tile=calls] svg polyline")).to_have_count(1)
            anna.until(lambda: user.get("/users/me") and "ms" in place.locator("[data-tile=callTime] b").inner_text())
        look(anna, page.replace("/", "-").split("@")[0])
    anna.go(f"users/{user.id}")
    anna.page.locator("[data-act='users.disable']").click()
    look(anna, "confirm")
    anna.page.keyboard.press("Escape")
    assert not re.search(r"\b(console|page|users|field|act|ask)\.[a-z]", anna.page.locator("body").inner_text())
    assert not found, "\n".join(found)


def test_the_console_fits_a_phone_and_is_used_by_keyboard(operator):
    anna = operator(size=(360, 740)).sign_in()
    for page in PAGES:
        anna.go(page)
        assert anna.page.evaluate("document.documentElement.scrollWidth") == 360, page
    anna.page.reload()
    expect(anna.page.locator("console-shell")).to_be_visible()
    anna.page.keyboard.press("Tab")
    expect(anna.page.get_by_role("link", name="Skip to the page")).to_be_focused()
    anna.page.keyboard.press("Enter")
    expect(anna.page.locator("main#page")).to_be_focused()
