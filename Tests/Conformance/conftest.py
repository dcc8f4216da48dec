import pathlib
import time

import contract
import pytest
from app import App
from engine import Engine
from product import Product
from world import World

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def product():
    """All of Maru, as deploy/up runs it, from the programs that the tests have built."""
    with Product(CHECKOUT) as running:
        yield running


@pytest.fixture(scope="session")
def worlds(product):
    return {key: World(product, key) for key in contract.KEYS}


@pytest.fixture(scope="session", autouse=True)
def idle_engine(worlds):
    """An engine without any namespace, opened before all tests so that they pass its time; and when that was."""
    world = worlds["collatalk"]
    return Engine(world.product, world.owner.cookie), time.monotonic()


@pytest.fixture
def world(worlds, key):
    """The people and rooms of an API key, shared by all tests under it."""
    return worlds[key]


@pytest.fixture
def join(product):
    """Makes an account under an API key and returns the app in which it is signed in."""
    return lambda key, **more: App.joined(product, key, **more)
