"""deploy/files copies stored files to a bucket and back; see deploy/files --help."""

import fcntl
import os
import shutil
import subprocess
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from gateway import free_ports, patiently

CHECKOUT = Path(__file__).resolve().parents[2]
FILES = CHECKOUT / "deploy" / "files"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """The settings of a bucket of SeaweedFS, which checks signatures."""
    folder = tmp_path_factory.mktemp("seaweed")
    (folder / "identities.json").write_text(
        '{"identities":[{"name":"maru","credentials":[{"accessKey":"maru","secretKey":"secret of tests"}],'
        '"actions":["Admin","Read","Write","List"]}]}'
    )
    ports = iter(free_ports(8))
    s3 = next(ports)
    names = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc", "s3.port.grpc"]
    arguments = [f"-{name}={next(ports)}" for name in names]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [
                CHECKOUT / ".venv" / "bin" / "weed", "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                "-filer", "-s3", "-s3.autoCreateBucket", f"-s3.port={s3}", f"-s3.config={folder}/identities.json",
                "-master.telemetry=false", "-s3.port.lance=0", "-s3.port.iceberg=0", "-master.volumeSizeLimitMB=64",
                "-volume.max=8", *arguments,
            ],
            stdout=log, stderr=log,
        )
    try:
        deadline = time.monotonic() + patiently(60)
        while True:
            assert server.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
            try:
                with closing(urllib.request.urlopen(f"http://127.0.0.1:{s3}/healthz", timeout=5)):
                    break
            except OSError:
                time.sleep(0.1)
        yield {
            "MARU_S3_ENDPOINT": f"http://127.0.0.1:{s3}", "MARU_S3_BUCKET": "chat", "MARU_S3_PREFIX": "maru/",
            "MARU_S3_ACCESS_KEY": "maru", "MARU_S3_SECRET_KEY": "secret of tests",
        }
    finally:
        # It would take its time to end in order.
        server.kill()
        server.wait()


def run(settings, *arguments):
    return subprocess.run(
        [FILES, *arguments], env={**os.environ, **settings}, capture_output=True, text=True, timeout=patiently(120)
    )


def make_folder(folder, files):
    for name in ("channelChats", "dmChats", ".uploads"):
        (folder / name).mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def test_files_move_to_a_bucket_and_back(settings, tmp_path):
    files = {f"channelChats/{number:x}.jpg": os.urandom(1000 + number) for number in range(20)}
    files["dmChats/large.mov"] = os.urandom(9 << 20)
    here = make_folder(tmp_path / "here", {**files, ".uploads/half": b"an upload in progress"})
    first = run(settings, "move", "to-bucket", here)
    assert (first.returncode, first.stdout) == (0, "21 files copied\n"), first.stderr
    (here / "dmChats/later.png").write_bytes(b"later")
    assert run(settings, "move", "to-bucket", here).stdout == "1 files copied\n"
    there = make_folder(tmp_path / "there", {"dmChats/later.png": b"later"})
    assert run(settings, "move", "to-folder", there).stdout == "21 files copied\n"
    for name, content in files.items():
        assert (there / name).read_bytes() == content
    # The list of the names that were copied.
    assert [path.name for path in (there / ".uploads").iterdir()] == [".copied"]
    assert run(settings, "move", "to-folder", there).stdout == "0 files copied\n"


def names_in(folder):
    return sorted(path.name for path in (folder / "dmChats").iterdir())


def test_a_file_that_was_deleted_after_the_first_copy_does_not_come_back(settings, tmp_path):
    settings = {**settings, "MARU_S3_PREFIX": "deleted/"}
    here = make_folder(tmp_path / "here", {"dmChats/kept.png": b"kept", "dmChats/gone.png": b"gone"})
    assert run(settings, "move", "to-bucket", here).stdout == "2 files copied\n"
    there = make_folder(tmp_path / "there", {})
    assert run(settings, "move", "to-folder", there).stdout == "2 files copied\n"
    # Services that use the folder know no bucket. An older one has stored another file in the bucket.
    (there / "dmChats/gone.png").unlink()
    (here / "dmChats/late.png").write_bytes(b"late")
    assert run(settings, "move", "to-bucket", here).stdout == "1 files copied\n"
    assert run(settings, "move", "to-folder", there).stdout == "1 files copied\n"
    assert names_in(there) == ["kept.png", "late.png"]


def test_an_emptied_folder_has_no_files_and_the_bucket_has_all(settings, tmp_path):
    settings = {**settings, "MARU_S3_PREFIX": "emptied/"}
    here = make_folder(tmp_path / "here", {"dmChats/a.png": b"a", ".uploads/half": b"an upload in progress"})
    assert run(settings, "move", "to-bucket", here).stdout == "1 files copied\n"
    (here / "dmChats/b.png").write_bytes(b"b")
    assert run(settings, "move", "to-bucket", "--empty", here).stdout == "1 files copied\n"
    assert names_in(here) == [] and (here / ".uploads/half").exists()
    there = make_folder(tmp_path / "there", {})
    assert run(settings, "move", "to-folder", there).stdout == "2 files copied\n"
    assert names_in(there) == ["a.png", "b.png"]


def test_a_second_copy_of_a_folder_does_not_begin_during_the_first(settings, tmp_path):
    here = make_folder(tmp_path / "here", {})
    descriptor = os.open(here, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        result = run(settings, "move", "to-bucket", "--empty", here)
    finally:
        os.close(descriptor)
    assert result.returncode == 1 and "another deploy/files" in result.stderr


def with_curl(settings, folder, script):
    """The settings with a curl that runs the script after the real one has succeeded."""
    folder.mkdir()
    (folder / "curl").write_text(f'#!/bin/bash\n"$REAL_CURL" "$@" || exit\n{script}\n')
    (folder / "curl").chmod(0o755)
    return {**settings, "PATH": f"{folder}:{os.environ['PATH']}", "REAL_CURL": shutil.which("curl")}


def test_a_file_that_is_deleted_while_it_is_copied_to_the_bucket_is_not_left_there(settings, tmp_path):
    settings = {**settings, "MARU_S3_PREFIX": "lateput/"}
    here = make_folder(tmp_path / "here", {"dmChats/gone.png": b"gone"})
    deleting = f'[[ " $* " != *" --upload-file "* ]] || rm -f "{here}/dmChats/gone.png"'
    result = run(with_curl(settings, tmp_path / "bin", deleting), "move", "to-bucket", here)
    assert (result.returncode, result.stdout) == (0, "0 files copied\n"), result.stderr
    there = make_folder(tmp_path / "there", {})
    assert run(settings, "move", "to-folder", there).stdout == "0 files copied\n"


def test_an_object_that_is_deleted_while_it_is_copied_to_the_folder_is_not_left_there(settings, tmp_path):
    settings = {**settings, "MARU_S3_PREFIX": "lateget/"}
    here = make_folder(tmp_path / "here", {"dmChats/gone.png": b"gone"})
    assert run(settings, "move", "to-bucket", here).stdout == "1 files copied\n"
    # The same call with another method and another destination.
    deleting = """
[[ "$*" == */.uploads/copy-* ]] || exit 0
for argument; do
    [[ $argument != */.uploads/copy-* ]] || argument=/dev/null
    arguments+=("$argument")
done
exec "$REAL_CURL" --request DELETE "${arguments[@]}"
"""
    there = make_folder(tmp_path / "there", {})
    result = run(with_curl(settings, tmp_path / "bin", deleting), "move", "to-folder", there)
    assert (result.returncode, result.stdout) == (0, "0 files copied\n"), result.stderr
    assert names_in(there) == []


@pytest.mark.parametrize("direction, reason", [("to-bucket", "were not copied"), ("to-folder", "could not be listed")])
def test_a_wrong_key_copies_nothing_and_says_so(settings, tmp_path, direction, reason):
    here = make_folder(tmp_path / "here", {"dmChats/a.jpg": b"a"})
    result = run({**settings, "MARU_S3_SECRET_KEY": "not-the-key"}, "move", direction, here)
    assert result.returncode == 1 and reason in result.stderr and "copied\n" not in result.stdout
    assert "not-the-key" not in result.stderr


def test_a_missing_setting_is_named(settings, tmp_path):
    result = run({**settings, "MARU_S3_BUCKET": ""}, "move", "to-bucket", tmp_path)
    assert result.returncode == 1 and "MARU_S3_BUCKET" in result.stderr
