"""deploy/bench and deploy/load install the peers of their measurements."""

import subprocess

import pytest
from gateway import CHECKOUT


@pytest.mark.parametrize(
    "prefix, name, package",
    [
        ("bench", "http", "wrk"),
        ("bench", "websocket", "libnginx-mod-nchan"),
        ("bench", "fanout", "libnginx-mod-nchan"),
        ("load", "realtime", "libnginx-mod-nchan"),
        ("load", "chat", ""),
    ],
)
def test_the_peer_of_a_measurement_is_installed_before_it_is_built(prefix, name, package):
    # Replace installation and builds by functions that print their arguments.
    script = f"""
        source deploy/lib.sh
        install_packages() {{ echo "install $*"; }}
        products_named() {{ echo {name}; }}
        build_release() {{ echo "build $1"; exit; }}
        run_product {prefix} {name}
    """
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=CHECKOUT, capture_output=True, text=True)
    first, *rest = result.stdout.splitlines()
    assert first.startswith("install libpq-dev ") and " nginx-light " in first
    assert rest == [f"install {package}", f"build {prefix}-{name}"], result.stderr
