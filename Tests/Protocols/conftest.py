import asyncio
import inspect

import pytest
from engine import PATIENCE, PATIENT_TIMEOUT, Engine
from server import serving


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs coroutine tests."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), 60 * PATIENCE))
    return True


@pytest.fixture(scope="session")
def echo_port():
    with serving("websocket-echo") as port:
        yield port


@pytest.fixture(scope="session")
def conformance_port():
    with serving("socketio-conformance", "3") as port:
        yield port


@pytest.fixture(scope="session")
def patient_port():
    """It pings as the suites expect, and waits longer for the answer."""
    with serving("socketio-conformance", "3", str(PATIENT_TIMEOUT * 1000)) as port:
        yield port


@pytest.fixture(scope="session")
def waiting_port():
    """It pings as the suites expect, and a client may stand still before it answers."""
    with serving("socketio-conformance", "3", str(20_000 * PATIENCE)) as port:
        yield port


@pytest.fixture(scope="session")
def slow_port():
    """It also pings less often: the older client wants each answer before its next ping."""
    with serving("socketio-conformance", "3", str(PATIENT_TIMEOUT * 1000), str(PATIENT_TIMEOUT * 1000)) as port:
        yield port


@pytest.fixture(scope="session")
def quiet_port():
    """It pings nobody while a test lasts."""
    with serving("socketio-conformance", "3", str(20_000 * PATIENCE), str(25_000 * PATIENCE)) as port:
        yield port


@pytest.fixture
def engine(conformance_port, waiting_port, quiet_port, request):
    """A server of Engine.IO in one version; by default each test runs once for every version."""
    path, version = request.param
    mark = request.node.get_closest_marker("pings")
    ports = {"suite": conformance_port, "patient": waiting_port}
    return Engine(ports[mark.args[0]] if mark else quiet_port, path, version)


def pytest_generate_tests(metafunc):
    if "engine" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("engine")
        both = [(path, version) for path in ("engine.io", "socket.io") for version in (4, 3)]
        chosen = [(path, version) for path, version in both if not only or path in only.args or version in only.args]
        if only and "exactly" in only.kwargs:
            chosen = [only.kwargs["exactly"]]
        names = [f"{path}-{version}" for path, version in chosen]
        metafunc.parametrize("engine", chosen, indirect=True, ids=names)


def pytest_configure(config):
    config.addinivalue_line("markers", "pings(suite or patient): the server pings, with the suites' time limit or a longer one")
    config.addinivalue_line("markers", "engine(*paths or versions, exactly): which servers a test is for")
