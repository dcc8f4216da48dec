import subprocess

import pytest
from gateway import Gateway


@pytest.fixture(scope="session")
def gateway(tmp_path_factory):
    with Gateway(tmp_path_factory.mktemp("gateway")) as running:
        yield running


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    paths = str(folder / "tls.crt"), str(folder / "tls.key")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=maru.test"
    command += " -addext subjectAltName=DNS:maru.test"
    subprocess.run([*command.split(), "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths
