import pathlib
import subprocess
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]

# The product and its client apps, as the conformance tests run them.
sys.path.insert(0, str(CHECKOUT / "Tests/Conformance"))


def superuser(product, sql, sockets=None):
    """The output of SQL by the superuser of the cluster."""
    cluster = pathlib.Path((product.data / "cluster").read_text().strip())
    port = dict(line.split("=") for line in (product.data / "ports").read_text().split())["postgres_port"]
    psql = ["psql", "-XqAt", "-vON_ERROR_STOP=1", "-h", sockets or cluster.parent / "sockets", "-p", port, "-d", "maru"]
    command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *psql] if is_root() else psql
    done = subprocess.run(command, input=sql, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_root():
    return subprocess.check_output(["id", "-u"], text=True).strip() == "0"
