"""deploy/backup and deploy/restore --compose copy the stored files of services, also after deploy/roll."""

import hashlib
import json
import os
import shutil
import subprocess

import pytest
from gateway import CHECKOUT, eventually, patiently

# Stands in for docker and docker compose: the volume of a service is a folder, and its scripts run in this machine. Postgres
# has one table.
DOCKER = r"""#!/bin/bash
case "$1 $2" in
    'compose version' | 'compose stop' | 'compose up') ;;
    'compose ps') echo postgres ;;
    'compose exec')
        # Compose 1.29 looks for the container number 1, which deploy/roll has replaced.
        [[ $4 == postgres ]] || { echo "No container found for $4_1" >&2; exit 1; }
        case $5 in
            pg_dump)
                touch FOLDER/dumping
                while [[ -e FOLDER/hold ]]; do sleep 0.02; done
                echo dump
                ;;
            pg_restore) cat >/dev/null ;;
            psql)
                printf '%s\n' "${@:6}" >>FOLDER/options-of-psql
                while read -r line; do
                    case $line in
                        *pg_export_snapshot*) echo 00000003-0000001B-1 ;;
                        '\gexec') echo 'chat.message|2|17' ;;
                        '\q') break ;;
                    esac
                done
                ;;
        esac
        ;;
    'compose run')
        [[ $3 == --rm && $4 == -T && $5 == --no-deps && $6 == --entrypoint ]] || exit 9
        if [[ $8 == *-service ]]; then
            [[ $7 == sh && $9 == -c ]] || exit 9
            exec sh -c "${10//\/files/FOLDER/volumes/$8}" "${@:11}"
        fi
        case "$7 $8" in
            'pgbackrest postgres') echo '[{"backup":[{"timestamp":{"stop":1}}]}]' ;;
            # No recovery succeeds.
            'bash postgres') exit 1 ;;
            'rm postgres') exec rm "$9" "${10/#\/var\/lib\/postgresql\/data/FOLDER/volumes/postgres}" ;;
        esac
        ;;
    *) exit 8 ;;
esac
"""


class Composition:
    def __init__(self, folder):
        self.folder = folder
        self.backup = folder / "backup"
        docker = folder / "programs/docker"
        docker.parent.mkdir()
        docker.write_text(DOCKER.replace("FOLDER", str(folder)))
        docker.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{docker.parent}:{os.environ['PATH']}"}
        for role, name in [("auth", "profiles/a.png"), ("workspace", "workspaces/b.png"), ("chat", "channelChats/c.mov")]:
            self.write(role, name, f"of {role}")

    def volume(self, role):
        return self.folder / f"volumes/{role}-service"

    def write(self, role, name, content):
        path = self.volume(role) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def stored(self):
        """Returns the files of all volumes with their content."""
        volumes = self.folder / "volumes"
        return {str(each.relative_to(volumes)): each.read_text() for each in volumes.rglob("*") if each.is_file()}

    def begin(self, command, *options, **environment):
        return subprocess.Popen(
            [CHECKOUT / "deploy" / command, "--compose", "--without-secrets", *options, self.backup],
            env={**self.environment, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, command, *options, **environment):
        process = self.begin(command, *options, **environment)
        output, errors = process.communicate(timeout=patiently(120))
        assert process.returncode == 0, output + errors
        return output


@pytest.fixture
def composition(tmp_path):
    return Composition(tmp_path)


def names_in(archive):
    return set(subprocess.run(["tar", "--list", "--file", archive], check=True, capture_output=True, text=True).stdout.split())


def test_a_backup_after_a_roll_has_the_files_of_each_service(composition):
    composition.write("chat", ".uploads/half", "an upload in progress")
    composition.write("auth", ".restored/half", "of a restore that was interrupted")
    assert "1 tables, 2 rows" in composition.run("backup")
    files = {each for each in names_in(composition.backup / "files.tar") if not each.endswith("/")}
    assert files == {"./auth/profiles/a.png", "./workspace/workspaces/b.png", "./chat/channelChats/c.mov"}


@pytest.mark.parametrize("bucket, told", [("", False), ("pictures", True)])
def test_a_backup_says_that_the_files_of_a_bucket_are_not_in_it(composition, bucket, told):
    process = composition.begin("backup", MARU_S3_BUCKET=bucket)
    _, errors = process.communicate(timeout=patiently(120))
    assert process.returncode == 0 and ("The files are in a bucket of S3" in errors) == told, errors


def test_a_restore_gives_each_service_its_files_without_room_for_them_on_this_machine(composition):
    composition.write("auth", "profiles/read-only.png", "of auth").chmod(0o440)
    before = composition.stored()
    composition.run("backup")
    composition.write("auth", "profiles/later.png", "later")
    (composition.volume("chat") / "channelChats/c.mov").unlink()
    composition.write("workspace", ".restored/half", "of a restore that failed")
    # No program can write a file there.
    assert "Restored and compared" in composition.run("restore", "--yes", TMPDIR=str(composition.folder / "missing"))
    assert composition.stored() == before
    # The service may replace each of its files.
    assert (composition.volume("auth") / "profiles/read-only.png").stat().st_mode & 0o777 == 0o640
    assert not list((composition.folder / "volumes").glob("*/.restored"))


def test_a_service_without_files_in_the_backup_has_none_after_a_restore(composition):
    composition.run("backup")
    archive, manifest = composition.backup / "files.tar", composition.backup / "manifest.json"
    subprocess.run(["tar", "--delete", "--file", archive, "./workspace"], check=True)
    told = json.loads(manifest.read_text())
    told["parts"]["files.tar"] = hashlib.sha256(archive.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(told))
    composition.run("restore", "--yes")
    assert composition.stored() == {"auth-service/profiles/a.png": "of auth", "chat-service/channelChats/c.mov": "of chat"}
    assert list(composition.volume("workspace").iterdir()) == []


def test_no_file_is_replaced_if_those_of_one_service_cannot_be_unpacked(composition):
    composition.run("backup")
    composition.write("auth", "profiles/later.png", "later")
    # There is no place for the files of the service that comes last.
    shutil.rmtree(composition.volume("chat"))
    composition.volume("chat").write_text("no folder")
    before = composition.stored()
    process = composition.begin("restore", "--yes")
    _, errors = process.communicate(timeout=patiently(120))
    assert process.returncode == 1 and "nothing was replaced" in errors, errors
    assert composition.stored() == before
    assert not list((composition.folder / "volumes").glob("*/.restored"))
    # Its database would fill the disk until the next restore.
    assert "DROP DATABASE IF EXISTS maru_restored" in (composition.folder / "options-of-psql").read_text()


def test_a_recovery_that_fails_leaves_no_copy_in_the_volume_of_postgres(composition):
    copy = composition.folder / "volumes/postgres/restored"
    copy.mkdir(parents=True)
    (copy / "half").write_text("half")
    command = [CHECKOUT / "deploy/restore", "--compose", "--yes", "--to", "2026-01-01 00:00:00+00"]
    refused = subprocess.run(
        command, env=composition.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=patiently(120)
    )
    assert refused.returncode == 1 and "nothing was replaced" in refused.stderr, refused.stdout + refused.stderr
    assert not copy.exists() and copy.parent.exists()


def test_a_second_backup_of_the_same_name_leaves_the_first_one_alone(composition):
    hold = composition.folder / "hold"
    hold.touch()
    first = composition.begin("backup")
    try:
        eventually((composition.folder / "dumping").exists, 60)
        second = composition.begin("backup")
        try:
            _, errors = second.communicate(timeout=patiently(60))
        finally:
            second.kill()
        assert second.returncode == 1 and "already" in errors, errors
    finally:
        hold.unlink()
        output, errors = first.communicate(timeout=patiently(120))
    assert first.returncode == 0, output + errors
    assert "is complete" in composition.run("restore", "--check")
    assert {each.name for each in composition.folder.glob("backup*")} == {"backup"}
    assert {each.name for each in composition.backup.iterdir()} == {"manifest.json", "database.dump", "files.tar"}


def test_a_backup_that_was_killed_does_not_stop_the_next_one(composition):
    partial = composition.folder / "backup.partial"
    (partial / "files").mkdir(parents=True)
    (partial / "lock").touch()
    (partial / "files.tar").write_text("half")
    assert "1 tables, 2 rows" in composition.run("backup")
    assert not partial.exists()


# Makes folders. The first call for the folder of a backup returns only once the folder `hold-folder` is gone.
MKDIR = """#!/bin/sh
/bin/mkdir "$@" || exit
case $* in
    *.partial) if /bin/mkdir FOLDER/made 2>/dev/null; then while [ -e FOLDER/hold-folder ]; do sleep 0.02; done; fi ;;
esac
"""


def test_of_two_backups_of_one_name_that_begin_at_once_one_is_made(composition):
    program = composition.folder / "programs/mkdir"
    program.write_text(MKDIR.replace("FOLDER", str(composition.folder)))
    program.chmod(0o755)
    for each in ("hold", "hold-folder"):
        (composition.folder / each).touch()
    with composition.begin("backup") as first:
        try:
            eventually((composition.folder / "made").exists, 60)
            with composition.begin("backup") as second:
                try:
                    eventually((composition.folder / "dumping").exists, 60)
                    (composition.folder / "hold-folder").unlink()
                    _, errors = first.communicate(timeout=patiently(60))
                    assert first.returncode == 1 and "already" in errors, errors
                finally:
                    (composition.folder / "hold").unlink()
                _, errors = second.communicate(timeout=patiently(120))
                assert second.returncode == 0, errors
        finally:
            (composition.folder / "hold-folder").unlink(missing_ok=True)
            (composition.folder / "hold").unlink(missing_ok=True)
    assert "is complete" in composition.run("restore", "--check")
    assert {each.name for each in composition.backup.iterdir()} == {"manifest.json", "database.dump", "files.tar"}
