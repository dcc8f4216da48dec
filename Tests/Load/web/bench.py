"""Measures the web client in Chromium: frames while 10,000 messages scroll by, the time until it can be used, and its size.

usage: deploy/bench web [messages]
"""

import pathlib
import statistics
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
for folder in ("Tests/Web", "Tests/Conformance"):
    sys.path.insert(0, str(CHECKOUT / folder))

from person import Person  # noqa: E402
from playwright.sync_api import expect, sync_playwright  # noqa: E402
from product import Product  # noqa: E402
from rooms import fill_room  # noqa: E402

LOADS = 7
# Pixels in a frame: 3,600 in a second, as a fast flick.
STEP = 60
# Scrolls to the first message, a step in each frame, and returns the times of the frames: of all, and of those that
# scrolled between two loads of history.
SCROLL = """async (step) => {
    const scroller = document.querySelector('maru-room .scroller');
    const all = [];
    let last = await new Promise(requestAnimationFrame), still = 0, moved = 0;
    while (still < 60) {
        const before = scroller.scrollTop;
        scroller.scrollTop = before - step;
        const now = await new Promise(requestAnimationFrame);
        all.push(now - last);
        last = now;
        if (before > 0) moved += 1;
        still = document.querySelector('maru-room .begin') && before === 0 ? still + 1 : 0;
    }
    return { all, moved };
}"""
# The time at which an element can be used.
READY = """(selector) => new Promise((resolve) => {
    const look = () => (document.querySelector(selector) ? resolve(performance.now()) : requestAnimationFrame(look));
    look();
})"""
SIZES = """() => [performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource')]
    .filter((each) => !each.name.includes('/v1/') && !each.name.includes('/socket.io/'))
    .map((each) => each.transferSize)"""


def frames(anna, messages):
    anna.page.reload()
    anna.sees(f"Line {messages - 1} of many")
    found = anna.page.evaluate(SCROLL, STEP)
    times = sorted(found["all"])
    share = lambda part: times[min(len(times) - 1, int(len(times) * part))]  # noqa: E731
    print(f"{messages:,} messages, {len(times):,} frames, {found['moved']:,} of them scrolled")
    print(f"frame: median {statistics.median(times):.1f} ms, p95 {share(0.95):.1f} ms, p99 {share(0.99):.1f} ms, longest {times[-1]:.0f} ms")
    print(f"frames of more than 17.5 ms: {100 * sum(each > 17.5 for each in times) / len(times):.1f} %")


def start(product, browser, anna):
    """Loads the page with an empty cache, signed out and signed in."""
    signed_out, signed_in, sizes = [], [], []
    state = anna.context.storage_state()
    for _ in range(LOADS):
        context = browser.new_context()
        page = context.new_page()
        page.goto(product.base)
        signed_out.append(page.evaluate(READY, "maru-gate form input:focus"))
        sizes.append(sum(page.evaluate(SIZES)))
        context.close()
    for _ in range(LOADS):
        # The refresh token of a state works once, so each visit goes on from the one before.
        context = browser.new_context(storage_state=state)
        page = context.new_page()
        page.goto(product.base)
        signed_in.append(page.evaluate(READY, "maru-room .message .text"))
        state = context.storage_state()
        context.close()
    print(f"interactive on loopback, empty cache, median of {LOADS}: {statistics.median(signed_out):.0f} ms to the sign-in, {statistics.median(signed_in):.0f} ms to the messages of a room")
    print(f"first load: {statistics.median(sizes) / 1000:.1f} KB in compressed form, with headers")


def main():
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with Product(CHECKOUT) as product, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        anna = Person(product, browser, name="Anna").join()
        anna.create_workspace("Bench")
        anna.enter("일반")
        fill_room(product, anna, messages)
        frames(anna, messages)
        start(product, browser, anna)
        expect(anna.page.locator("maru-room")).to_be_visible()
        browser.close()


main()
