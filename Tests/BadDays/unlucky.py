"""The product with a small disk for the tables of Postgres, a clock that can be wrong, and a bucket that can be busy."""

import errno
import os
import shutil
import subprocess

from bucket import Bucket
from clock import WrongClock
from product import Product
from waiting import patiently

SERVICES = ("auth-service", "workspace-service", "chat-service", "realtime-gateway", "payment-service")
OTHERS = ("maructl", "standins", "picture-previews")
AS_ROOT = [] if os.geteuid() == 0 else ["sudo", "-n"]

# Postgres's WAL has a disk of its own, so that Postgres goes on: without it, it ends.
MAKE_DISK = """
    source deploy/lib.sh
    data=$1
    mkdir -p "$data"/{logs,disk,run}
    chmod 711 "$data"
    locate_cluster
    create_cluster
    %s mount -t tmpfs -o size=200m,mode=777 tmpfs "$data/disk"
    mv "$cluster" "$data/disk/postgres"
    mv "$data/disk/postgres/pg_wal" "$data/wal"
    ln -s "$data/wal" "$data/disk/postgres/pg_wal"
    ln -s "$data/disk/postgres" "$cluster"
"""

# Runs a service by the wrong clock.
BY_A_CLOCK = """#!/bin/sh
exec env {settings} {program} "$@"
"""


class UnluckyProduct(Product):
    def __init__(self, checkout):
        super().__init__(checkout)
        self.disk = self.data / "disk"
        made = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", MAKE_DISK % " ".join(AS_ROOT), "bash", self.data],
            cwd=checkout, capture_output=True, text=True, timeout=patiently(180),
        )
        assert made.returncode == 0, made.stdout + made.stderr
        self.clock = WrongClock(self.folder / "clock")
        settings = " ".join(f"{name}={value}" for name, value in self.clock.environment.items())
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.programs.chmod(0o755)
        for name in SERVICES:
            wrapper = self.programs / name
            wrapper.write_text(BY_A_CLOCK.format(settings=settings, program=checkout / ".build/debug" / name))
            wrapper.chmod(0o755)
        for name in OTHERS:
            (self.programs / name).symlink_to(checkout / ".build/debug" / name)
        os.environ["MARU_PROGRAMS"] = str(self.programs)
        self.bucket = Bucket(checkout, self.folder / "bucket")
        with open(self.data / "settings/chat-service.conf", "a") as settings:
            settings.write(self.bucket.settings)

    def __enter__(self):
        self.bucket.start()
        super().__enter__()
        self.bucket.await_ready()
        return self

    def __exit__(self, *_):
        self.run("down")
        self.bucket.stop()
        subprocess.run([*AS_ROOT, "umount", self.disk], check=True)
        shutil.rmtree(self.folder)
        del os.environ["MARU_PROGRAMS"]

    def redis(self, *command):
        """The lines of Redis's reply to a command."""
        port = dict(line.split("=") for line in (self.data / "ports").read_text().split())["redis_port"]
        password = (self.data / "secrets/redis/password").read_text().strip()
        reply = subprocess.run(
            ["redis-cli", "-p", port, *command], env={**os.environ, "REDISCLI_AUTH": password}, check=True,
            capture_output=True, text=True,
        )
        return reply.stdout.splitlines()

    def fill_disk(self):
        ballast = os.open(self.disk / "ballast", os.O_WRONLY | os.O_CREAT)
        try:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        os.write(ballast, b"0" * size)
                except OSError as error:
                    assert error.errno == errno.ENOSPC
        finally:
            os.close(ballast)

    def free_disk(self):
        (self.disk / "ballast").unlink(missing_ok=True)

    def log(self, service):
        return (self.data / f"logs/{service}.log").read_text(errors="replace")
