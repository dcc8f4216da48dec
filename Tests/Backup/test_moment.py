"""An archive brings back each moment: every table and every file, also those that were deleted later."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
from datetime import datetime, timezone

import pytest
from app import PICTURE, App
from conftest import CHECKOUT, is_root, superuser
from product import Product
from test_backup import ENVIRONMENT, Story, command, fresh_instance
from waiting import eventually

CHECKSUMS = f"source {CHECKOUT}/deploy/lib/backup.sh; table_checksums_sql"


def archive(product, *options):
    return command("backup", "--archive", "--data", product.data, *options)


def restore(product, moment, *options):
    return command("restore", "--to", moment, "--data", product.data, "--yes", *options)


def succeeds(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def checksums(product, sockets=None):
    sql = subprocess.check_output(["bash", "-c", CHECKSUMS], text=True)
    return superuser(product, sql, sockets).splitlines()


def quiet_moment(product):
    """A moment, and the checksum of each table at that moment: nothing was written from before it until after it."""

    def measured():
        before = checksums(product)
        moment = superuser(product, "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')").strip()
        # A commit with an earlier time may still wait for the disk, unseen. This one waits for the same.
        superuser(product, "SELECT pg_logical_emit_message(true, 'test', 'after the moment')")
        time.sleep(0.01)
        found.append((moment + "+00", before))
        return checksums(product) == before

    found = []
    eventually(measured, 60)
    return found[-1]


def tables_at_rest(product):
    """The checksum of each table of a stopped instance, by a Postgres that is started alone."""
    cluster = (product.data / "cluster").read_text().strip()
    sockets = tempfile.mkdtemp(prefix="maru-sockets-")
    as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if is_root() else []
    if is_root():
        shutil.chown(sockets, "postgres", "postgres")
    port = dict(line.split("=") for line in (product.data / "ports").read_text().split())["postgres_port"]
    folder = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    # Its WAL stays for the archive: a segment that is dropped would be a hole in it.
    options = f"-c listen_addresses= -k {sockets} -p {port} -c archive_command=/bin/false"
    control = [*as_postgres, folder / "pg_ctl", "-D", cluster, "-w", "-s"]
    log = pathlib.Path(sockets) / "log"
    started = subprocess.run([*control, "-o", options, "-l", log, "start"], cwd="/")
    assert started.returncode == 0, log.read_text()
    try:
        return checksums(product, sockets)
    finally:
        subprocess.run([*control, "-m", "fast", "stop"], check=True, cwd="/")
        shutil.rmtree(sockets)


def stored_files(product):
    """The content of each stored file by its name, without those in hidden folders."""
    root = product.data / "files"
    files = [each for each in root.rglob("*") if each.is_file()]
    return {
        str(each.relative_to(root)): each.read_bytes()
        for each in files
        if not any(part.startswith(".") for part in each.relative_to(root).parts)
    }


@pytest.fixture(scope="module")
def product():
    with Product(CHECKOUT) as running:
        yield running


class Planted:
    """A message with a file, and the deletion of it and of the ledger."""

    def __init__(self, product):
        self.product = product
        self.author = App.joined(product, "native", "글쓴이")
        self.workspace = self.author.make_workspace()
        self.channel = self.author.make_channel(self.workspace)
        (self.path,) = self.author.say(self.channel, "keep this", [("chat", PICTURE)])["files"]

    def delete(self):
        self.author.call("DELETE", f"{self.author.path(self.channel)}/chats/1")
        eventually(lambda: self.author.send("GET", self.path).status_code == 404, 60)
        superuser(self.product, "ALTER TABLE payment.entry DISABLE TRIGGER ALL; DELETE FROM payment.entry;")

    def holds(self):
        message = self.author.history(self.channel)[0]
        assert (message["content"], message["files"]) == ("keep this", [self.path])
        assert self.author.send("GET", self.path).content == PICTURE


def test_a_moment_comes_back_with_its_tables_and_its_files(product):
    without = restore(product, "2020-01-01 00:00:00Z")
    assert without.returncode == 1 and "deploy/down" in without.stderr
    story, planted = Story(product), Planted(product)
    folder = product.folder / "archive"
    assert "a new full backup" in succeeds(archive(product, folder))
    planted.author.say(planted.channel, "for the reader", [("file.txt", b"1")])
    assert "a new incr backup" in succeeds(archive(product))
    # The last changes are in Postgres's own folder alone: a whole segment and the beginning of one.
    superuser(product, "ALTER SYSTEM SET archive_command = '/bin/false'; SELECT pg_reload_conf()")
    superuser(product, "SELECT pg_logical_emit_message(true, 'test', 'in a whole segment'); SELECT pg_switch_wal()")
    planted.author.call("DELETE", f"{planted.author.path(planted.channel)}/chats/2")

    def is_gone():
        # A file may go between its listing and its reading.
        with contextlib.suppress(FileNotFoundError):
            return (".txt", b"1") not in {(name[-4:], content) for name, content in stored_files(product).items()}

    eventually(is_gone, 60)
    moment, tables = quiet_moment(product)
    files = stored_files(product)
    before = (moment, tables, files)
    planted.delete()
    planted.author.say(planted.channel, "too late", [("chat", PICTURE)])
    product.run("down")
    assert stored_files(product) != files

    succeeds(restore(product, moment))
    assert tables_at_rest(product) == tables
    assert stored_files(product) == files
    assert not (product.data / "redis").exists()
    product.__enter__()
    story.holds()
    planted.holds()

    # The archive goes on, and drops files that no moment of it needs.
    retired = product.data / "files/chat/.retired"
    (retired / "1000+channelChats+old.txt").write_bytes(b"old")
    assert "a new incr backup" in succeeds(archive(product))
    assert not (retired / "1000+channelChats+old.txt").exists() and len(list(retired.iterdir())) >= 2
    later, tables = quiet_moment(product)
    files = stored_files(product)
    story.user.say(story.channel, "later still")
    with fresh_instance() as fresh:
        # The archive has also the WAL from Postgres's own folder.
        for moment, tables, files in (before, (later, tables, files)):
            succeeds(restore(fresh, moment, folder))
            assert tables_at_rest(fresh) == tables
            assert stored_files(fresh) == files
        # It has the keys, and does not write to the archive of the other instance.
        for secret in ("auth/service_credential", "postgres/chat"):
            assert (fresh.data / "secrets" / secret).read_bytes() == (product.data / "secrets" / secret).read_bytes()
        assert "archive_command" not in (fresh.data / "postgres/postgresql.auto.conf").read_text()


def test_a_moment_that_cannot_come_back_is_refused_with_the_reason(product):
    running = restore(product, "2026-01-01 00:00:00+00")
    assert running.returncode == 1 and "deploy/down" in running.stderr
    with fresh_instance() as fresh:
        folder = product.folder / "archive"
        for moment, options, reason in (
            ("2026-01-01 00:00:00", [folder], "no time zone"),
            ("yesterday", [folder], "is not a moment"),
            ("2026-02-31 00:00:00+00", [folder], "no such day"),
            ("2101-01-01 00:00:00+09", [folder], "in the future"),
            ("2020-01-01 00:00:00+00", [folder], "the archive begins at"),
            ("2026-01-01 00:00:00+00", [], "has no archive"),
            ("2026-01-01 00:00:00+00", [fresh.folder], "is not an archive"),
        ):
            refused = restore(fresh, moment, *options)
            assert refused.returncode == 1 and reason in refused.stderr, (moment, refused.stderr)
        assert not (fresh.data / "postgres").exists()


def test_an_archive_without_files_takes_none_away():
    with fresh_instance() as fresh:
        stored = fresh.data / "files/chat/channelChats/kept.jpg"
        stored.parent.mkdir(parents=True)
        stored.write_bytes(b"kept")
        # A first archive can end before its files are copied.
        folder = fresh.folder / "archive"
        folder.mkdir()
        refused = restore(fresh, "2020-01-01 00:00:00+00", "--without-database", folder)
        assert refused.returncode == 1 and "has no stored files" in refused.stderr, refused.stdout + refused.stderr
        assert stored.read_bytes() == b"kept"


def test_an_archive_of_files_alone_is_remembered_and_a_restore_keeps_the_files_since_its_last_call():
    with fresh_instance() as fresh:
        for each in ("files/auth", "files/workspace", "files/chat/channelChats", "postgres", "run"):
            (fresh.data / each).mkdir(parents=True)
        # The instance had a Postgres of its own before.
        (fresh.data / "postgres/PG_VERSION").write_text("15")
        (fresh.data / "run/state").write_text("ready")
        (fresh.data / "run/postgres_service").write_text("/etc/maru/service.conf")
        refused = archive(fresh)
        assert refused.returncode == 1 and "pass --without-database" in refused.stderr, refused.stdout + refused.stderr

        folder = fresh.folder / "another disk"
        options = ["--without-database", "--without-secrets"]
        succeeds(archive(fresh, *options, folder))
        assert str(folder) in succeeds(archive(fresh, *options))
        stored = fresh.data / "files/chat/channelChats/stored.jpg"
        stored.write_bytes(b"stored")
        now = time.time()
        os.utime(stored, (now - 60,) * 2)
        moment = datetime.fromtimestamp(now - 30, timezone.utc).strftime("%Y-%m-%d %H:%M:%S+00")
        for given in ([], [folder]):
            succeeds(restore(fresh, moment, *options, *given))
            assert stored.read_bytes() == b"stored"


# Copies everything but the files of an archive.
CP = """#!/bin/sh
case $* in *files.new) echo 'No space left on device' >&2; exit 1 ;; esac
exec /bin/cp "$@"
"""


def test_a_restore_without_room_for_the_files_leaves_the_instance_with_its_archive(product, tmp_path, monkeypatch):
    program = tmp_path / "cp"
    program.write_text(CP)
    program.chmod(0o755)
    moment, _ = quiet_moment(product)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{tmp_path}:{ENVIRONMENT['PATH']}")
    with fresh_instance() as fresh:
        stored = fresh.data / "files/chat/channelChats/kept.jpg"
        stored.parent.mkdir(parents=True)
        stored.write_bytes(b"kept")
        # The Postgres that is here has an archive of its own.
        settings = fresh.data / "archiving/pgbackrest.conf"
        settings.parent.mkdir()
        settings.write_text("[global]\nrepo1-path=/mnt/other-disk/maru/postgres\n")
        refused = restore(fresh, moment, product.folder / "archive")
        assert refused.returncode == 1 and "nothing was replaced" in refused.stderr, refused.stdout + refused.stderr
        assert stored.read_bytes() == b"kept" and settings.exists()
        assert not any((fresh.data / each).exists() for each in ("postgres.restored", "files.new", "archiving/restoring.conf"))


def test_a_hole_in_the_archive_is_not_taken_for_its_end(product):
    folder, holed = product.folder / "archive", product.folder / "holed"

    def segments(of):
        return sorted((of / "postgres/archive/maru").rglob("0000000*.lz4"), key=lambda each: each.name)

    for _ in range(2):
        count = len(segments(folder))
        superuser(product, "SELECT pg_logical_emit_message(true, 'test', 'one more segment'); SELECT pg_switch_wal()")
        eventually(lambda: len(segments(folder)) > count, 60)
    moment, _ = quiet_moment(product)
    subprocess.run(["cp", "--archive", folder, holed], check=True)
    segments(holed)[-2].unlink()
    with fresh_instance() as fresh:
        refused = restore(fresh, moment, holed)
        assert refused.returncode == 1 and "lacks a segment before it" in refused.stderr, refused.stdout + refused.stderr
        assert not (fresh.data / "postgres").exists()


def test_an_archive_that_no_wal_reaches_is_a_failure(product, monkeypatch):
    (segments,) = (product.folder / "archive/postgres/archive/maru").glob("15-*")
    mode = segments.stat().st_mode
    monkeypatch.setitem(ENVIRONMENT, "PGBACKREST_ARCHIVE_TIMEOUT", "1")
    for folder in (segments, *segments.iterdir()):
        folder.chmod(0o500)
    failed = archive(product)
    eventually(lambda: "\nmaru_postgres_archive_failing 1" in product.metrics(2), 60)
    for folder in (segments, *segments.iterdir()):
        folder.chmod(mode)
    assert failed.returncode == 1 and "does not reach the archive" in failed.stderr
