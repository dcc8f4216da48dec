"""A backup brings back everything: each table, each file, and the ledger, in a fresh instance and in the same one."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

import pytest
from app import PICTURE, App
from conftest import CHECKOUT, superuser
from product import GRANT, Product
from waiting import eventually, patiently

ENVIRONMENT = {**os.environ, "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")}


def command(name, *options):
    return subprocess.run(
        [CHECKOUT / "deploy" / name, *options], env=ENVIRONMENT, capture_output=True, text=True, timeout=patiently(180)
    )


def restore(product, folder, *options):
    return command("restore", "--data", product.data, "--yes", *options, folder)


@contextlib.contextmanager
def fresh_instance():
    """An instance that has not been started yet."""
    instance = Product(CHECKOUT)
    try:
        yield instance
    finally:
        instance.__exit__()


@pytest.fixture(scope="module")
def backups():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-backups-"))
    yield folder
    shutil.rmtree(folder)


class Story:
    """The data of one user in all five services."""

    def __init__(self, product):
        self.user = App.joined(product, "gen-2024-07", "새싹이")
        self.guest = App.joined(product, "gen-2024-07", "손님")
        self.workspace = self.user.make_workspace(self.guest)
        self.channel = self.user.make_channel(self.workspace, "잡담 방", self.guest)
        self.buy(product)
        sent = self.user.say(self.channel, "before", [("chat", PICTURE), ("회의록.txt", "메모".encode())])
        self.files = {path: self.user.send("GET", path).content for path in sent["files"]}
        self.coins = self.user.coins
        assert self.coins == GRANT - 10 + 10

    def buy(self, product):
        order = {"imp_uid": "imp_1", "merchant_uid": f"ios_gen-2024-07_{int(time.time())}"}
        product.standins("POST", "/portone/payments", json={**order, "amount": 100, "name": "10 Coin"})
        self.user.post("/store/pay/validation", order)

    def holds(self):
        """The session goes on, and everything from before the backup is there."""
        assert [each["content"] for each in self.user.history(self.channel)] == ["before"]
        for path, content in self.files.items():
            assert self.user.send("GET", path).content == content
        assert self.user.coins == self.coins

    def moved_to(self, product):
        for app in (self.user, self.guest):
            app.product = product
        return self


@pytest.fixture(scope="module")
def product():
    with Product(CHECKOUT) as running:
        yield running


@pytest.fixture(scope="module")
def story(product):
    return Story(product)


@contextlib.contextmanager
def writes(app):
    """A user changes one row again and again, so that a copy of another moment has another checksum."""
    number, stop = 0, threading.Event()

    def write():
        nonlocal number
        while not stop.wait(0.02):
            app.call("PUT", "/users/me", json={"phone": f"010-{number // 10000:04}-{number % 10000:04}"})
            number += 1

    with concurrent.futures.ThreadPoolExecutor() as executor:
        writing = executor.submit(write)
        try:
            eventually(lambda: number > 0 or writing.done())
            before = number
            yield
            assert number > before
        finally:
            stop.set()
            writing.result()


@pytest.fixture(scope="module")
def backup(product, story, backups):
    """A backup of one moment, although a user writes while it is made: restoring it compares the rows with their checksums."""
    with writes(story.guest):
        made = command("backup", "--data", product.data, backups / "first")
    assert made.returncode == 0, made.stdout + made.stderr
    return backups / "first"


def test_a_fresh_instance_has_everything_that_the_backup_holds(product, story, backup):
    story.user.say(story.channel, "after the backup")
    with fresh_instance() as fresh:
        restored = restore(fresh, backup)
        assert restored.returncode == 0, restored.stdout + restored.stderr
        tables = json.loads((backup / "manifest.json").read_text())["tables"]
        assert f"compared: {len(tables)} tables" in restored.stdout
        assert tables["payment.entry"]["rows"] >= 6 and tables["chat.message"]["rows"] == 1
        fresh.__enter__()
        story.moved_to(fresh).holds()
        # Numbers of messages and users and the versions of the ledger continue.
        assert story.user.say(story.channel, "next")["content"] == "next"
        assert [each["content"] for each in story.guest.history(story.channel)] == ["before", "next"]
        assert App.joined(fresh, "gen-2024-07", "새 사람").id not in (story.user.id, story.guest.id)
        fresh.spend(story.user.id, 1)
        assert story.user.coins == story.coins - 1
    story.moved_to(product)


def test_the_same_instance_goes_back_to_the_backup_with_an_empty_redis(product, story, backup):
    refused = command("restore", "--data", product.data, "--yes", backup)
    assert refused.returncode == 1 and "deploy/down" in refused.stderr
    product.run("down")
    unconfirmed = subprocess.run(
        [CHECKOUT / "deploy/restore", "--data", product.data, backup],
        stdin=subprocess.DEVNULL, env=ENVIRONMENT, capture_output=True, text=True, timeout=patiently(180),
    )
    assert unconfirmed.returncode == 1 and "--yes" in unconfirmed.stderr
    secrets = (product.data / "secrets/redis/password").read_text()
    restored = restore(product, backup)
    assert restored.returncode == 0, restored.stdout + restored.stderr
    assert not (product.data / "redis").exists()
    assert (product.data / "secrets/redis/password").read_text() == secrets
    product.__enter__()
    eventually(lambda: story.user.send("GET", "/users/me").status_code == 200)
    story.holds()


def test_a_backup_without_secrets_is_restored_with_the_targets_own(product, story, backups):
    made = command("backup", "--data", product.data, "--without-secrets", backups / "without")
    assert made.returncode == 0, made.stdout + made.stderr
    assert not (backups / "without/secrets.tar").exists()
    for name in (backups / "without").iterdir():
        for secret in (product.data / "secrets").rglob("*"):
            if secret.is_file() and secret.name in ("password", "service_credential"):
                assert secret.read_bytes() not in name.read_bytes()
    with fresh_instance() as fresh:
        fresh.__enter__()
        fresh.run("down")
        own = (fresh.data / "secrets/postgres/chat").read_text()
        assert restore(fresh, backups / "without").returncode == 0
        assert (fresh.data / "secrets/postgres/chat").read_text() == own
        fresh.__enter__()
        story.moved_to(fresh).holds()
    story.moved_to(product)


def test_a_damaged_backup_replaces_nothing(product, story, backup, backups):
    def spoiled(name, change):
        folder = backups / name
        shutil.copytree(backup, folder)
        change(folder)
        return folder

    def flip(folder):
        dump = folder / "database.dump"
        content = bytearray(dump.read_bytes())
        content[-20] ^= 1
        dump.write_bytes(content)

    def change_a_checksum(folder):
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["tables"]["payment.entry"]["checksum"] = "1"
        (folder / "manifest.json").write_text(json.dumps(manifest))

    assert command("restore", "--check", backup).returncode == 0
    product.run("down")
    mine = [product.data / name for name in ("secrets/grafana/password", "settings/chat-service.conf")]
    for path in mine:
        path.write_text(path.read_text() + "# mine\n")
    kept = [path.read_text() for path in mine]
    for folder, reason in (
        (spoiled("flipped", flip), "damaged"),
        (spoiled("incomplete", lambda folder: (folder / "files.tar").unlink()), "lacks files.tar"),
        (spoiled("interrupted", lambda folder: (folder / "manifest.json").unlink()), "not a complete backup"),
        (spoiled("other-rows", change_a_checksum), "payment.entry"),
    ):
        refused = restore(product, folder)
        assert refused.returncode == 1 and reason in refused.stderr, folder
        assert [path.read_text() for path in mine] == kept
    product.__enter__()
    story.holds()


def test_a_backup_needs_a_running_instance_and_a_new_folder(backup, backups):
    nothing = command("backup", "--data", backups / "nobody", backups / "none")
    assert nothing.returncode == 1 and "no Maru runs" in nothing.stderr
    again = command("backup", backup)
    assert again.returncode == 1 and "exists already" in again.stderr
    assert not (backups / "none").exists() and not (backups / "none.partial").exists()


def test_a_dump_may_take_longer_than_a_session_may_be_idle(product, backups):
    superuser(product, "ALTER ROLE CURRENT_USER SET idle_in_transaction_session_timeout = '100ms'")
    with locked(product, "chat.message"):
        making = subprocess.Popen(
            [CHECKOUT / "deploy/backup", "--data", product.data, backups / "slow"], env=ENVIRONMENT,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        waits = "select count(*) from pg_stat_activity where application_name = 'pg_dump' and wait_event_type = 'Lock'"
        eventually(lambda: superuser(product, f"{waits} and clock_timestamp() - query_start > '300 ms'") == "1\n")
    output, _ = making.communicate(timeout=patiently(180))
    superuser(product, "ALTER ROLE CURRENT_USER RESET idle_in_transaction_session_timeout")
    assert making.returncode == 0, output


@contextlib.contextmanager
def locked(product, table):
    """Keeps everybody from a table."""
    hold = f"set idle_in_transaction_session_timeout = 0; begin; lock table {table}; select pg_sleep(600)"
    with concurrent.futures.ThreadPoolExecutor() as executor:
        holding = executor.submit(superuser, product, hold)
        locks = f"select pid from pg_locks where relation = '{table}'::regclass and mode = 'AccessExclusiveLock' and granted"
        process = eventually_some(lambda: superuser(product, locks).strip())
        try:
            yield
        finally:
            superuser(product, f"select pg_terminate_backend({process})")
            holding.exception()


def eventually_some(ask):
    found = []
    eventually(lambda: found.append(ask()) or found[-1])
    return found[-1]


# Unpacks everything but the files of a backup.
TAR = """#!/bin/sh
case $* in *files.new*) echo 'No space left on device' >&2; exit 2 ;; esac
exec /bin/tar "$@"
"""


def test_a_restore_without_room_for_the_files_replaces_nothing_and_leaves_nothing_behind(backup, tmp_path, monkeypatch):
    program = tmp_path / "tar"
    program.write_text(TAR)
    program.chmod(0o755)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{tmp_path}:{ENVIRONMENT['PATH']}")
    with fresh_instance() as fresh:
        stored = fresh.data / "files/chat/channelChats/kept.jpg"
        stored.parent.mkdir(parents=True)
        stored.write_bytes(b"kept")
        refused = restore(fresh, backup)
        assert refused.returncode == 1 and "nothing was replaced" in refused.stderr, refused.stdout + refused.stderr
        assert stored.read_bytes() == b"kept" and not (fresh.data / "files.new").exists()


def test_a_backup_is_not_restored_beside_a_postgres_of_another_machine():
    with fresh_instance() as fresh:
        stored = fresh.data / "files/chat/channelChats/kept.jpg"
        stored.parent.mkdir(parents=True)
        stored.write_bytes(b"kept")
        # deploy/up --postgres leaves it.
        (fresh.data / "run").mkdir()
        (fresh.data / "run/postgres_service").write_text("/etc/maru/service.conf")
        folder = fresh.folder / "backup"
        folder.mkdir()
        (folder / "manifest.json").write_text(json.dumps({"format": 1, "created": "", "parts": {}, "tables": {}}))
        for part in ("database.dump", "files.tar"):
            (folder / part).touch()
        refused = restore(fresh, folder)
        assert refused.returncode == 1 and "/etc/maru/service.conf" in refused.stderr, refused.stdout + refused.stderr
        assert stored.read_bytes() == b"kept" and not (fresh.data / "postgres").exists()


def test_a_backup_of_a_postgres_of_another_machine_is_refused_with_the_way_to_back_up_the_files():
    with fresh_instance() as fresh:
        (fresh.data / "run").mkdir()
        (fresh.data / "run/state").write_text("ready")
        (fresh.data / "run/postgres_service").write_text("/etc/maru/service.conf")
        refused = command("backup", "--data", fresh.data, fresh.folder / "backup")
        assert refused.returncode == 1 and "/etc/maru/service.conf" in refused.stderr, refused.stdout + refused.stderr
        assert "--archive --without-database" in refused.stderr
        assert not list(fresh.folder.glob("backup*"))


CP = """#!/bin/sh
{change}
/bin/cp "$@"
case $* in *--recursive*) {afterwards}; exit 1 ;; esac
"""


@pytest.mark.parametrize("is_removed", [True, False])
def test_a_file_that_is_removed_during_a_backup_is_left_out_and_no_other(product, backups, tmp_path, is_removed):
    planted = product.data / f"files/chat/channelChats/planted-{is_removed}.jpg"
    planted.write_bytes(b"planted")
    name = f"during-{is_removed}"
    copy = f'"{backups}/{name}.partial/files/chat/channelChats/{planted.name}"'
    script = tmp_path / "cp"
    script.write_text(CP.format(change=f'rm -f "{planted}"' if is_removed else ":", afterwards=":" if is_removed else f"rm -f {copy}"))
    script.chmod(0o755)
    # A copy fails for the file alone, whether it was removed or cannot be read.
    made = subprocess.run(
        [CHECKOUT / "deploy/backup", "--data", product.data, backups / name], capture_output=True, text=True, timeout=patiently(180),
        env={**ENVIRONMENT, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    planted.unlink(missing_ok=True)
    if is_removed:
        assert made.returncode == 0, made.stdout + made.stderr
        assert command("restore", "--check", backups / name).returncode == 0
    else:
        assert made.returncode == 1 and f"{planted.name} could not be copied" in made.stderr


REPLACE = 'source {checkout}/deploy/lib/archive.sh; sh -c "$replace_stored_files" sh "$PWD/present" "$PWD/{backup}" 42000'


# In a container the backup's files are unpacked within the folder.
@pytest.mark.parametrize("backup", ["backup", "present/.restored"])
@pytest.mark.parametrize("has_archive", [True, False])
def test_a_restored_backup_takes_no_file_from_an_archive(tmp_path, backup, has_archive):
    def put(folder, *names):
        for each in names:
            (tmp_path / folder / each).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / each).write_text(each)

    put(backup, "chats/both", "chats/back", "chats/old", ".restored/half")
    put("present", "chats/both", "chats/new", ".uploads/half")
    if has_archive:
        put("present", ".retired/7+chats+back", ".retired/7+chats+gone")
    subprocess.run(["bash", "-euc", REPLACE.format(checkout=CHECKOUT, backup=backup)], cwd=tmp_path, check=True)
    left = {str(path.relative_to(tmp_path / "present")) for path in (tmp_path / "present").rglob("*") if path.is_file()}
    retired = {name for name in left if name.startswith(".retired/")}
    assert not (tmp_path / backup).exists()
    assert left - retired == {"chats/both", "chats/back", "chats/old"}
    assert {name.partition("+")[2] for name in retired} == ({"chats+new", "chats+gone"} if has_archive else set())
