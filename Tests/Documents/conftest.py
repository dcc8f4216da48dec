import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def product_port():
    """All of Maru, from the programs that the tests have built, on a port of its own."""
    # Where the user postgres can reach it, unlike pytest's own folders.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
    folder.chmod(0o755)
    environment = {**os.environ, "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")}

    def run(command, *options):
        arguments = [CHECKOUT / "deploy" / command, "--data", folder / "data", *options]
        result = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=180)
        assert result.returncode == 0, result.stdout + result.stderr

    try:
        run("up", "--detach", "--port", "0")
        ports = dict(line.split("=") for line in (folder / "data/ports").read_text().split())
        yield ports["gateway_port"]
    finally:
        run("down")
        shutil.rmtree(folder)
