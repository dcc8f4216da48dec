import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass

import pytest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
# Time limits that only a fault should reach are so many times as long.
PATIENCE = float(os.environ.get("MARU_PATIENCE", 1))
# Seconds of a warm start.
LONGEST_START = 10 * PATIENCE


@dataclass
class WarmStart:
    """A second start of Maru, with the data of the first."""

    data: pathlib.Path
    seconds: float
    # Anonymous memory in bytes of each idle process.
    anonymous: dict[str, int]


@pytest.fixture(scope="session")
def warm_start():
    """Maru from the debug build, with stand-ins."""
    # The user postgres can reach this folder, unlike pytest's own.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
    folder.chmod(0o755)
    data = folder / "data"
    # A machine that stands still for seconds must not fail calls.
    (data / "settings").mkdir(parents=True)
    for program in ("auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service"):
        limits = {"internal_timeout": 3, "database_timeout": 5, "database_connect_timeout": 2, "redis_timeout": 1, "connect_timeout": 3}
        own = "".join(f"{name} = {round(seconds * PATIENCE)}s\n" for name, seconds in limits.items())
        (data / f"settings/{program}.conf").write_text(own)
    environment = {**os.environ, "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")}

    def run(command, *options):
        arguments = [CHECKOUT / "deploy" / command, "--data", data, *options]
        result = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=180 * PATIENCE)
        assert result.returncode == 0, result.stdout + result.stderr

    try:
        run("up", "--detach", "--standins", "--port", "0")
        # A start during which the machine stands still takes longer, so another one counts.
        for _ in range(3):
            run("down")
            began = time.monotonic()
            run("up", "--detach", "--standins")
            seconds = time.monotonic() - began
            if seconds < LONGEST_START:
                break
        processes = {path.stem: int(path.read_text().split()[0]) for path in (data / "run").glob("*.pid")}
        yield WarmStart(data, seconds, {name: anonymous_bytes(each) for name, each in processes.items()})
    finally:
        run("down")
        shutil.rmtree(folder)


def anonymous_bytes(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"^RssAnon:\s+(\d+) kB$", status, re.MULTILINE)[1]) * 1024


@pytest.fixture(scope="session")
def product_data(warm_start):
    """The data folder of the running product."""
    return warm_start.data


@pytest.fixture(scope="session")
def product_port(product_data):
    ports = dict(line.split("=") for line in (product_data / "ports").read_text().split())
    return ports["gateway_port"]
