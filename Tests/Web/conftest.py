import pathlib
import sys

import pytest
from playwright.sync_api import sync_playwright

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))

from person import PATIENCE, Person, windows  # noqa: E402
from product import Product  # noqa: E402


@pytest.fixture(scope="session")
def product():
    """Maru, started by deploy/up from the debug build, with the web client at its address."""
    with Product(CHECKOUT) as running:
        yield running


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"], timeout=4 * PATIENCE)
        yield running
        running.close()


@pytest.fixture
def screenshots():
    """The folder of pictures for a person to look at."""
    folder = CHECKOUT / ".build/test/screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def person(product, browser):
    """Opens the web client in a window of its own. At the end no window may have had an error."""
    yield from windows(Person, product, browser)
