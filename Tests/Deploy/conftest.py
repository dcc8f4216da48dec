import pytest
from gateway import Gateway, make_certificate


@pytest.fixture(scope="session")
def gateway(tmp_path_factory):
    with Gateway(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate and its key."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))
