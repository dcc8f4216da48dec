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
# Time limits that calls of a machine which stands still would meet, in seconds: those of all services, and those of some, with the most
# that the setting may have.
LIMITS = {"internal_timeout": 3, "database_timeout": 5, "database_connect_timeout": 2, "redis_timeout": 1, "connect_timeout": 3}
LIMITS_OF = {
    "auth-service": {"provider_deadline": (5, 60)},
    "workspace-service": {},
    "chat-service": {"command_timeout": (3, 30), "webhook_timeout": (10, 60)},
    # The commands of a page answer no pings, so that a socket lasts for the interval and the time-out.
    "realtime-gateway": {"provider_deadline": (10, 50), "nameless_timeout": (10, 60), "ping_timeout": (20, 50)},
    "payment-service": {"provider_deadline": (5, 60)},
}


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
    for program, limits in LIMITS_OF.items():
        patient = {name: round(seconds * PATIENCE) for name, seconds in LIMITS.items()}
        patient |= {name: min(most, round(seconds * PATIENCE)) for name, (seconds, most) in limits.items()}
        own = "".join(f"{name} = {seconds}s\n" for name, seconds in patient.items())
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
