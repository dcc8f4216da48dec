"""The gateway as its container runs it. A configuration that cannot be loaded changes nothing and is retried."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess

import pytest
from gateway import (
    CHECKOUT, PATIENT_CLIENTS, change, eventually, free_ports, is_closed, make_certificate, patiently, read_reply, workers_of,
)  # fmt: skip

# Tells its time. Only between two looks at the instances it takes some, and less than it is told. A test that counts the looks allows
# each of them.
SLEEP = """#!/bin/sh
echo "$1" >>{folder}/slept
[ "$1" = 2 ] || exit 0
/bin/sleep 0.2
while [ -e {folder}/allowed ] && [ "$(grep -cx 2 {folder}/slept)" -gt "$(cat {folder}/allowed)" ]; do /bin/sleep 0.02; done
"""


class Entry:
    def __init__(self, folder, changes=(), **environment):
        """`changes` are pairs of texts to replace in the configuration, as those of Gateway."""
        self.folder = folder
        self.scripts = CHECKOUT / "deploy/nginx"
        if changes:
            self.scripts = shutil.copytree(self.scripts, folder / "nginx")
            change(self.scripts, changes)
        self.port, self.tls_port, status_port = free_ports(3)
        self.clients = folder / "clients.json"
        self.admit("one")
        sleep = folder / "bin/sleep"
        sleep.parent.mkdir(exist_ok=True)
        sleep.write_text(SLEEP.format(folder=folder))
        sleep.chmod(0o755)
        self.environment = {
            "PATH": f"{sleep.parent}:{os.environ['PATH']}",
            "MARU_GATEWAY_FOLDER": str(folder / "gateway"),
            "MARU_GATEWAY_LISTEN": f"127.0.0.1:{self.port}",
            "MARU_GATEWAY_TLS_LISTEN": f"127.0.0.1:{self.tls_port}",
            "MARU_GATEWAY_STATUS_LISTEN": f"127.0.0.1:{status_port}",
            "MARU_GATEWAY_CLIENTS": str(self.clients),
            "MARU_GATEWAY_CERTIFICATE": str(folder / "tls.crt"),
            "MARU_GATEWAY_CERTIFICATE_KEY": str(folder / "tls.key"),
            "MARU_GATEWAY_WORKERS": "1",
            "MARU_GATEWAY_ACCESS_LOG": str(folder / "access.log"),
            **environment,
        }

    def __enter__(self):
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen([self.scripts / "entry"], env=self.environment, stderr=log)
        eventually(lambda: self.status("one"), 60)
        return self

    def __exit__(self, *_):
        (self.folder / "allowed").unlink(missing_ok=True)
        self.process.terminate()
        assert self.process.wait(patiently(60)) == 0

    def admit(self, key):
        """Gives true statuses to this key only."""
        # In one step, because the gateway may be reading it.
        new = self.clients.with_suffix(".new")
        new.write_text(json.dumps({key: {"statuses": "http"}}))
        new.replace(self.clients)

    def status(self, key):
        """Returns the reply to an unknown route, or None while the gateway does not answer."""
        request = f"GET /v1/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\nSesacKey: {key}\r\n\r\n"
        address, patience = ("127.0.0.1", self.port), patiently(10)
        with contextlib.suppress(OSError), socket.create_connection(address, timeout=patience) as connection:
            connection.sendall(request.encode())
            return read_reply(connection).status

    def certificate(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.tls_port), timeout=patiently(10)) as plain:
            with context.wrap_socket(plain) as connection:
                return ssl.DER_cert_to_PEM_cert(connection.getpeercert(binary_form=True))

    def refusals(self):
        return [line for line in (self.folder / "log").read_text().splitlines() if "keeps its configuration" in line]

    def looks(self):
        """How often it has slept before it looked at the instances and the certificate again."""
        return self.sleeps().count("2")

    def look(self, count):
        """Lets it look so many times, where the file `allowed` has been there since the start, and waits until it has."""
        allowed = self.folder / "allowed"
        looks = int(allowed.read_text()) + count
        # In one step, because the gateway may be reading it.
        (self.folder / "allowed.new").write_text(str(looks))
        (self.folder / "allowed.new").replace(allowed)
        # Each look ends before the next sleep.
        eventually(lambda: self.looks() == looks + 1, 60)

    def sleeps(self):
        # It serves before its first sleep.
        slept = self.folder / "slept"
        return slept.read_text().split("\n")[:-1] if slept.exists() else []

    def workers(self):
        return workers_of((self.folder / "gateway/nginx.pid").read_text().strip())


@pytest.fixture
def entry(tmp_path):
    with Entry(tmp_path) as running:
        yield running


def test_a_reload_applies_changes(entry):
    assert (entry.status("one"), entry.status("two")) == (404, 400)
    entry.admit("two")
    entry.process.send_signal(signal.SIGHUP)
    eventually(lambda: entry.status("two") == 404)
    eventually(lambda: entry.status("one") == 400)
    assert not entry.refusals()


def test_broken_client_profiles_change_nothing_until_they_are_repaired(entry):
    entry.clients.write_text("{")
    entry.process.send_signal(signal.SIGHUP)
    eventually(entry.refusals)
    assert entry.process.poll() is None and entry.status("one") == 404
    entry.admit("two")
    # It retries without another request.
    eventually(lambda: entry.status("two") == 404)
    assert len(entry.refusals()) == 1


def test_a_reload_that_is_refused_twice_is_logged_twice(entry):
    entry.clients.write_text("{")
    for count in (1, 2):
        entry.process.send_signal(signal.SIGHUP)
        eventually(lambda: len(entry.refusals()) == count)


def test_a_certificate_that_arrives_before_its_key_is_used_when_both_exist(entry):
    for name in ("first", "second"):
        (entry.folder / name).mkdir()
    first, second = (make_certificate(entry.folder / name) for name in ("first", "second"))
    for path in first:
        shutil.copy(path, entry.folder)
    text = {path: open(path).read() for path in (first[0], second[0])}
    eventually(lambda: accepts_tls(entry))
    assert entry.certificate() == text[first[0]]
    shutil.copy(second[0], entry.folder)
    eventually(entry.refusals)
    assert entry.certificate() == text[first[0]]
    shutil.copy(second[1], entry.folder)
    eventually(lambda: entry.certificate() == text[second[0]])


def test_an_unusable_key_at_the_start_leaves_http_and_is_retried(tmp_path):
    (tmp_path / "made").mkdir()
    certificate, key = make_certificate(tmp_path / "made")
    shutil.copy(certificate, tmp_path)
    (tmp_path / "tls.key").write_text("not a key")
    with Entry(tmp_path) as entry:
        assert entry.status("one") == 404 and not accepts_tls(entry)
        log = (tmp_path / "log").read_text()
        assert "the gateway serves HTTP without TLS" in log and "tls.key" in log
        shutil.copy(key, tmp_path)
        eventually(lambda: accepts_tls(entry))
        assert entry.status("one") == 404


def accepts_tls(entry):
    with contextlib.suppress(OSError):
        return entry.certificate()


def test_an_unchanged_configuration_is_not_loaded_again(entry):
    entry.admit("two")
    entry.process.send_signal(signal.SIGHUP)
    eventually(lambda: entry.status("two") == 404)
    workers = eventually(lambda: len(found := entry.workers()) == 1 and found)
    rendered = entry.folder / "gateway/generated/upstreams.conf"
    before, looks = rendered.stat().st_mtime_ns, entry.looks()
    # The first of these sleeps may have begun before.
    eventually(lambda: entry.looks() >= looks + 3)
    assert rendered.stat().st_mtime_ns == before
    assert entry.workers() == workers


def test_the_names_of_the_services_can_be_others(tmp_path):
    with Entry(tmp_path, MARU_GATEWAY_CHAT_NAME="localhost"):
        upstreams = (tmp_path / "gateway/generated/upstreams.conf").read_text()
        assert "server 127.0.0.1:8103 " in upstreams and "server 127.0.0.1:8101 " not in upstreams


# Finds every name at the address in one file, except for those that another file names.
GETENT = """#!/bin/sh
grep -qxF "$2" {folder}/lost 2>/dev/null && exit 2
address=$(cat {folder}/names 2>/dev/null)
[ -z "$address" ] || echo "127.0.0.$address   STREAM $2"
"""


def write_getent(folder):
    getent = folder / "bin/getent"
    getent.parent.mkdir()
    getent.write_text(GETENT.format(folder=folder))
    getent.chmod(0o755)
    (folder / "names").write_text("7")
    return folder / "gateway/generated/upstreams.conf"


def test_the_instances_are_where_they_were_while_there_is_no_name_server(tmp_path):
    upstreams = write_getent(tmp_path)
    with Entry(tmp_path) as entry:
        assert "server 127.0.0.7:8103 " in upstreams.read_text()
        (tmp_path / "names").unlink()
        looks = entry.looks()
        # More than those after which a single service counts as gone.
        eventually(lambda: entry.looks() >= looks + 18)
        assert "server 127.0.0.7:8103 " in upstreams.read_text()
        (tmp_path / "names").write_text("8")
        eventually(lambda: "server 127.0.0.8:8103 " in upstreams.read_text())


def test_a_service_is_gone_when_its_name_stays_lost_and_not_by_one_lost_answer(tmp_path):
    upstreams, lost = write_getent(tmp_path), tmp_path / "lost"
    # A test that stands still would miss the looks at which it is not gone yet.
    (tmp_path / "allowed").write_text("0")
    with Entry(tmp_path) as entry:
        # Together they are lost for longer than a service may be.
        for name in ("payment-service", "chat-service", "auth-service"):
            lost.write_text(name)
            entry.look(7)
            assert "127.0.0.1:1 " not in upstreams.read_text()
        lost.write_text("chat-service\n")
        entry.look(14)
        assert "127.0.0.1:1 " not in upstreams.read_text()
        entry.look(1)
        assert "server 127.0.0.1:1 " in upstreams.read_text() and "server 127.0.0.7:8103 " not in upstreams.read_text()
        assert "server 127.0.0.7:8105 " in upstreams.read_text()
        # Another one that is lost then has as much time as any.
        lost.write_text("chat-service\npayment-service\n")
        entry.look(4)
        assert "server 127.0.0.7:8105 " in upstreams.read_text()
        lost.unlink()
        entry.look(1)
        assert "server 127.0.0.7:8103 " in upstreams.read_text()


def test_the_oldest_workers_end_when_their_sockets_outlast_many_reloads(tmp_path):
    write_getent(tmp_path)
    address = f"127.{random.randrange(1, 250)}.{random.randrange(250)}"
    (tmp_path / "bin/getent").write_text(f'#!/bin/sh\necho "{address}.7   STREAM $2"\n')
    request = b"GET /v1/users/me HTTP/1.1\r\nHost: a\r\nSesacKey: one\r\n\r\n"
    # A service that takes calls and never answers. nginx would end the first call, and with it the oldest worker, before the last reload
    # of a slow machine.
    patient = [("proxy_read_timeout 60s;", f"proxy_read_timeout {round(patiently(600))}s;"), *PATIENT_CLIENTS]
    server = socket.create_server((f"{address}.7", 8101), backlog=64)
    with server, Entry(tmp_path, patient) as entry, contextlib.ExitStack() as calls:
        generations, held = [], []
        for _ in range(9):
            (worker,) = eventually(lambda: new if len(new := set(entry.workers()) - set(generations)) == 1 else None)
            eventually(lambda: all(is_leaving(each) for each in generations))
            generations.append(worker)
            call = calls.enter_context(socket.create_connection(("127.0.0.1", entry.port), timeout=patiently(30)))
            call.sendall(request)
            held.append(call)
            # The worker has the call, once an open connection leads to the service.
            eventually(lambda: established(worker, f"{address}.7", 8101))
            entry.process.send_signal(signal.SIGHUP)
        eventually(lambda: len(set(entry.workers()) - set(generations)) == 1)
        # With one worker each load adds one: five stay, and the one that the last load added.
        eventually(lambda: len(entry.workers()) == 6)
        assert set(entry.workers()) & set(generations) == set(generations[-5:])
        for call in held[:4]:
            assert is_closed(call)
        for call in held[4:]:
            call.setblocking(False)
            with pytest.raises(BlockingIOError):
                call.recv(1)


def is_leaving(worker):
    """Whether a process of nginx has ended or waits for its open connections only."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return b"shutting down" in pathlib.Path(f"/proc/{worker}/cmdline").read_bytes()
    return True


def established(process, address, port):
    """Whether a process has an open connection to an address."""
    wanted = f"{socket.inet_aton(address)[::-1].hex().upper()}:{port:04X}"
    lines = map(str.split, pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:])
    open_ones = {f"socket:[{each[9]}]" for each in lines if each[2] == wanted and each[3] == "01"}
    found = set()
    for each in pathlib.Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(os.readlink(each))
    return open_ones & found


@pytest.mark.parametrize("environment, expected", [({}, "5"), ({"MARU_GATEWAY_STOP_SECONDS": "40"}, "40")])
def test_open_calls_get_the_configured_time_when_the_gateway_stops(tmp_path, environment, expected):
    with Entry(tmp_path, **environment) as entry:
        pass
    assert eventually(lambda: [each for each in entry.sleeps() if each != "2"]) == [expected]
