import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def product_data():
    """The data folder of all of Maru, run from the programs that the tests have built, beside stand-ins."""
    # Where the user postgres can reach it, unlike pytest's own folders.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
    folder.chmod(0o755)
    environment = {**os.environ, "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")}

    def run(command, *options):
        arguments = [CHECKOUT / "deploy" / command, "--data", folder / "data", *options]
        result = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=180)
        assert result.returncode == 0, result.stdout + result.stderr

    try:
        run("up", "--detach", "--standins", "--port", "0")
        yield folder / "data"
    finally:
        run("down")
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def product_port(product_data):
    ports = dict(line.split("=") for line in (product_data / "ports").read_text().split())
    return ports["gateway_port"]
