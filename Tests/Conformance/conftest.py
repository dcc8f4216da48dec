import pathlib
import time

import contract
import pytest
from app import App
from engine import Engine
from product import Product
from world import World

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(config, items):
    """The test of the examples comes last, when the other tests have made their calls."""
    items.sort(key=lambda item: item.name == "test_every_example_is_a_call_that_a_test_makes")
    config.is_whole = not config.option.keyword and all(pathlib.Path(each).is_dir() for each in config.args)


@pytest.fixture(scope="session")
def product():
    """Maru, started by deploy/up from the debug build."""
    with Product(CHECKOUT) as running:
        yield running


@pytest.fixture(scope="session")
def worlds(product):
    return {key: World(product, key) for key in contract.KEYS}


@pytest.fixture(scope="session", autouse=True)
def idle_engine(worlds):
    """An engine without a namespace, opened before all other tests, and its time of opening."""
    world = worlds["collatalk"]
    return Engine(world.product, world.owner.cookie), time.monotonic()


@pytest.fixture
def world(worlds, key):
    """The users and rooms of an API key, shared by all its tests."""
    return worlds[key]


@pytest.fixture
def join(product):
    """Creates an account under an API key and returns its app, signed in."""
    return lambda key, **more: App.joined(product, key, **more)
