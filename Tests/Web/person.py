"""A person at a browser: one window with its own cookies and storage, and the steps of a user."""

import itertools
import os
import re
import time

from playwright.sync_api import expect
from waiting import Stalls, stalled

PASSWORD = "Maru-Haus-2026!"
PATIENCE = 15_000 * int(os.environ.get("MARU_PATIENCE", "1"))
expect.set_options(timeout=PATIENCE)
counter = itertools.count(1)
STALLS = Stalls()
# When this machine stands still for longer, calls between services end by their time-outs, and so does the opening of a WebSocket.
# Pages tell so on the console.
LONG_STALL = 1
LATE = re.compile("status of 50[0234]|WebSocket connection to .* failed")
# A page that ends a connection which is still being opened, as a sign-out does, has this message.
ENDED_EARLY = "WebSocket is closed before the connection is established"

# Faults of the page that a console message does not tell.
WATCH = """
addEventListener('securitypolicyviolation', (event) => console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI));
addEventListener('unhandledrejection', (event) => console.error('not handled: ' + (event.reason?.stack ?? event.reason)));
"""
# Keeps the notices of the page, which go away after a few seconds. Everything outside of an open dialog is hidden from screen readers.
NOTICES = """
window.toldNotices = [];
new MutationObserver((changes) => {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
    for (const each of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (each.classList?.contains('toast') && each.checkVisibility() && dialog.contains(each)) {
            toldNotices.push({ text: each.textContent, isBad: each.classList.contains('bad') });
        }
    }
}).observe(document, { childList: true, subtree: true });
"""
# Lets a page wait for a reply for as long as it takes. It gives up a read after half a minute of silence, and other calls after a minute.
WAITING = """() => {
    const { setTimeout } = window;
    window.setTimeout = (work, wait, ...values) => setTimeout(work, [30_000, 65_000].includes(wait) ? 2 ** 30 : wait, ...values);
}"""
# Takes a notice out of those that are kept. Returns whether there was one.
TAKE_NOTICE = """([text, isBad]) => {
    const place = toldNotices.findIndex((each) => each.text.includes(text) && (each.isBad || !isBad));
    return place >= 0 && toldNotices.splice(place, 1).length > 0;
}"""


class Person:
    def __init__(self, product, browser, name="Anna", locale="en-US", theme="light", size=(1360, 860), base=None, touch=False):
        self.product, self.name, self.base = product, name, base or product.base
        self.email = f"web.{next(counter)}.{os.getpid()}@example.com"
        self.faults = []
        self.began = time.time()
        # Failed calls that a test causes, such as by cutting the network.
        self.expected = []
        self.context = browser.new_context(
            locale=locale, color_scheme=theme, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=touch
        )
        self.context.add_init_script(WATCH + NOTICES)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.open()

    def open(self, path="/"):
        """Opens another window of the same browser."""
        page = self.context.new_page()
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.goto(self.base + path)
        return page

    def hear(self, message):
        if message.type in ("error", "warning") and not any(re.search(each, message.text) for each in [*self.expected, ENDED_EARLY]):
            self.faults.append(f"{message.text} ({message.location.get('url', '')})")

    def close(self):
        self.context.close()

    # Signing in

    def join(self):
        page = self.page
        # By the keyboard: the button moves as the issuers of sign-ins arrive.
        page.get_by_role("button", name=re.compile("Create an account|계정 만들기")).press("Enter")
        page.locator("[name=email]").fill(self.email)
        page.locator("[name=nickname]").fill(self.name)
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("button[type=submit]").click()
        expect(page.locator("maru-shell")).to_be_visible()
        return self

    def sign_in(self):
        page = self.page
        page.locator("[name=email]").fill(self.email)
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("button[type=submit]").click()
        expect(page.locator("maru-shell")).to_be_visible()

    def menu(self, item):
        """Chooses from the menu of the account."""
        self.page.get_by_role("button", name=re.compile("^(Your account|내 계정)$")).click()
        self.page.get_by_role("menuitem", name=item, exact=True).click()

    def until(self, is_true, pause=50):
        """Asks until something outside of the page is true, and leaves the page its time in between."""
        waited = 0
        while not is_true():
            assert waited < PATIENCE, "this took too long"
            self.page.wait_for_timeout(pause)
            waited += pause

    def keep_waiting(self):
        """Lets the pages wait for replies that a test holds, however long its steps take."""
        self.context.add_init_script(f"({WAITING})()")
        for page in self.context.pages:
            page.evaluate(WAITING)

    def hold_first(self, calls):
        """Fetches the first of some calls and holds its reply. Returns a list that gets the function that lets the reply go."""
        self.keep_waiting()
        held, replies = [], []

        def hold(route):
            if held:
                return route.fallback()
            # Others may come while the reply is fetched.
            held.append(route)
            reply = route.fetch()
            replies.append(lambda: route.fulfill(response=reply))

        self.page.route(calls, hold)
        return replies

    def told(self, text, bad=False):
        """Waits until the page has told something in passing; the notice may be gone again. Each one counts once."""
        self.page.wait_for_function(TAKE_NOTICE, arg=[text, bad])

    def connected(self):
        """Waits for the live connection: without it nobody hears of typing and nothing is announced."""
        expect(self.page.locator('maru-shell[data-connection="live"]')).to_be_visible()

    # Workspaces and rooms

    def create_workspace(self, name):
        self.page.locator("maru-rail").get_by_role("button", name=re.compile("Create a workspace|워크스페이스 만들기")).click()
        dialog = self.page.get_by_role("dialog")
        dialog.locator("[name=name]").fill(name)
        dialog.locator("button[type=submit]").click()
        expect(dialog).to_have_count(0)
        expect(self.page.locator(".side-title")).to_contain_text(name)

    def invite(self, other):
        self.page.locator(".side-title").click()
        self.page.get_by_role("menuitem", name=re.compile("Invite people|초대하기")).click()
        dialog = self.page.get_by_role("dialog")
        dialog.locator("[name=email]").fill(other.email)
        dialog.locator("button[type=submit]").click()
        self.told(other.name)
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)

    def create_channel(self, name, topic=""):
        self.page.get_by_role("button", name=re.compile("^(Create a channel|채널 만들기)$")).click()
        dialog = self.page.get_by_role("dialog")
        dialog.locator("[name=name]").fill(name)
        dialog.locator("[name=description]").fill(topic)
        dialog.locator("button[type=submit]").click()
        expect(self.title).to_contain_text(name)

    def enter(self, name):
        """Goes to a room of the list."""
        self.page.locator("maru-sidebar a.side-row", has_text=name).click()
        expect(self.title).to_contain_text(name)

    @property
    def title(self):
        return self.page.locator(".room-title h1")

    # Messages

    @property
    def composer(self):
        return self.page.locator("maru-room maru-composer textarea")

    def say(self, text):
        self.composer.fill(text)
        self.composer.press("Enter")

    def message(self, text):
        return self.page.locator("maru-room .message", has_text=text)

    def sees(self, text, count=1):
        expect(self.message(text)).to_have_count(count)

    def sent(self, text):
        """Waits until the server has acknowledged a message."""
        expect(self.page.locator("maru-room .message:not(.pending)", has_text=text)).to_have_count(1)

    def search(self, query, text):
        """Types a query until it finds a message: the index follows the messages."""
        field = self.page.locator("maru-search input")

        def is_found():
            field.fill("")
            with self.page.expect_response(re.compile(r"/search\?")) as reply:
                field.fill(query)
            return reply.value.ok and any(text in each["message"]["content"] for each in reply.value.json()["items"])

        self.until(is_found)

    def tool(self, text, action):
        """Presses a tool of a message."""
        row = self.message(text)
        row.hover()
        # A message that arrives moves the row away from the pointer. The tools stay where the focus is.
        row.focus()
        row.locator(f".tools [data-action={action}]").click()

    def open_thread(self, text):
        """Opens the thread of a message and returns its panel."""
        self.tool(text, "reply")
        return self.page.locator("maru-thread")

    def choose(self, text, item):
        """Chooses from the menu of a message."""
        self.tool(text, "more")
        self.page.get_by_role("menuitem", name=item, exact=True).click()


def unexplained(faults, began):
    """The faults of a page since `began` that do not come from a machine that stood still."""
    if stalled(began, time.time(), STALLS.found) > LONG_STALL:
        return [fault for fault in faults if not LATE.search(fault)]
    return faults


def windows(kind, product, browser):
    """Yields a function that opens windows of a kind of person, and checks all of them at the end."""
    people = []

    def open_window(**options):
        people.append(kind(product, browser, **options))
        return people[-1]

    yield open_window
    for each in people:
        each.close()
    for each in people:
        faults = unexplained(each.faults, each.began)
        assert not faults, f"{each.name}: {faults}"
