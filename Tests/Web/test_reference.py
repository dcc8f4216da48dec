"""The viewers at /docs in a browser: they show the documents without any other server, and try calls."""

import re
import time

import pytest
from person import PATIENCE, unexplained
from playwright.sync_api import expect


@pytest.fixture
def page(product, browser):
    """A page with a record of refused code and of calls to other servers."""
    context = browser.new_context()
    context.set_default_timeout(4 * PATIENCE)
    page = context.new_page()
    faults, began = [], time.time()
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda call: None if call.url.startswith((product.base, "data:", "blob:")) else faults.append(call.url))
    yield page
    context.close()
    assert not unexplained(faults, began)


@pytest.mark.parametrize("form", ["native", "2024-07", "2024-01"])
def test_a_document_is_shown(product, page, form):
    page.goto(f"{product.base}/docs/{form}")
    page.locator("#operations-tag-Workspaces").click(timeout=4 * PATIENCE)
    expect(page.get_by_text("Lists your workspaces")).to_be_visible(timeout=4 * PATIENCE)


def test_a_call_is_tried_with_a_key_and_a_token(product, page):
    from app import App

    app = App.joined(product, "native", "문서")
    page.goto(f"{product.base}/docs/native")
    page.get_by_role("button", name="Authorize").first.click()
    for place, value in enumerate(("native", app.token)):
        scheme = page.locator(".auth-container").nth(place)
        scheme.locator("input").fill(value)
        scheme.get_by_role("button", name="Apply credentials").click()
    page.locator(".modal-ux").get_by_role("button", name=re.compile("^Close")).last.click()
    page.locator("#operations-tag-Accounts").click(timeout=4 * PATIENCE)
    page.get_by_text("Shows your account").click(timeout=4 * PATIENCE)
    page.get_by_role("button", name="Execute").click()
    reply = page.locator(".live-responses-table")
    expect(reply).to_contain_text(app.email, timeout=4 * PATIENCE)
    expect(reply.locator(".response-col_status").last).to_contain_text("200")


def test_the_events_of_sockets_are_shown(product, page):
    page.goto(f"{product.base}/docs/events")
    expect(page.get_by_text("The first event: all rooms of all workspaces.").first).to_be_visible(timeout=4 * PATIENCE)
