import pathlib

import pytest
from app import App
from product import Product

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def product():
    """All of Maru, as deploy/up runs it, from the programs that the tests have built."""
    with Product(CHECKOUT) as running:
        yield running


@pytest.fixture
def join(product):
    """Makes an account under an API key and returns the app in which it is signed in."""
    return lambda key, **more: App.joined(product, key, **more)
