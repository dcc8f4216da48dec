"""Files: access, caching, and names that survive every encoding."""

import random
from urllib.parse import quote, unquote

import contract
import pytest
from app import PICTURE, App
from waiting import eventually

each_key = pytest.mark.parametrize("key", contract.KEYS)
FOLDERS = ["profiles", "workspaces", "channels", "channelChats", "dmChats"]
each_folder = pytest.mark.parametrize("folder", FOLDERS)


def path(world, folder):
    return f"/static/{folder}/{world.files[folder]}"


@each_key
@each_folder
def test_a_file_has_an_etag_and_can_be_read_in_ranges(world, folder):
    app, file = world.owner, path(world, folder)
    whole = app.send("GET", file)
    tag = whole.headers["ETag"]
    assert whole.status_code == 200 and whole.headers["Accept-Ranges"] == "bytes"
    assert "immutable" in whole.headers["Cache-Control"] and "private" in whole.headers["Cache-Control"]
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    shown = "attachment" if folder.endswith("Chats") else "inline"
    assert whole.headers["Content-Disposition"].startswith(shown)

    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = app.send("GET", file, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    assert app.send("GET", file, headers={"If-None-Match": '"other"'}).content == whole.content

    size, end = len(whole.content), len(whole.content) - 1
    parts = {"0-0": (0, 0), "1-2": (1, 2), "2-": (2, end), "-2": (end - 1, end), "1-999999": (1, end)}
    for asked, (first, last) in parts.items():
        part = app.send("GET", file, headers={"Range": f"bytes={asked}"})
        assert part.status_code == 206 and part.content == whole.content[first : last + 1]
        assert part.headers["Content-Range"] == f"bytes {first}-{last}/{size}"
    app.refused("E11", "GET", file, headers={"Range": f"bytes={size}-"})
    assert app.send("GET", file, headers={"Range": "bytes=1-2", "If-Range": '"other"'}).content == whole.content
    assert app.send("GET", file, headers={"Range": "nonsense"}).content == whole.content


@each_key
@each_folder
def test_only_members_can_read_a_file(world, folder):
    file = path(world, folder)
    assert world.member.send("GET", file).status_code == 200
    if folder == "profiles":
        # Apps show a profile image beside messages, so every user may read it.
        assert world.stranger.send("GET", file).status_code == 200
    else:
        world.stranger.refused("E13", "GET", file)
    world.anybody.refused("E02", "GET", file)
    App(world.product, "no such key").refused("E01", "GET", file)


@pytest.mark.parametrize("key", ["sooda", "gathering"])
def test_a_former_member_cannot_read_a_file(world):
    owner, leaver = world.owner, world.member
    workspace = owner.make_workspace(leaver)
    channel = owner.make_channel(workspace, "파일", leaver)
    file = owner.say(channel, "", [("a.txt", b"text")])["files"][0]
    cover = owner.get(f"/workspaces/{workspace}")["thumbnail" if owner.is_first else "coverImage"]
    assert leaver.send("GET", file).content == b"text"
    leaver.get(f"/workspaces/{workspace}/" + ("leave" if leaver.is_first else "exit"), "[Workspace]")
    leaver.refused("E13", "GET", cover)
    # Access is cached until the hint of the removal arrives a moment later; without the hint, for a minute.
    eventually(lambda: leaver.send("GET", file).status_code != 200, patience=30)
    leaver.refused("E13", "GET", file)


@each_key
def test_a_document_keeps_its_name_however_its_path_is_encoded(world):
    app = world.owner
    name = "회의록 2024_최종 (2) 100%+?#.txt"
    (file,) = app.say(world.channel, "", [(name, "내용".encode())])["files"]
    # One app shows the decoded text before the last underscore of the last path component.
    last = file.rsplit("/", 1)[1]
    assert unquote(last.rsplit("_", 1)[0]) == name.removesuffix(".txt")
    assert last.endswith(".txt")
    folder, stem = file.rsplit("/", 1)
    for written in (stem, quote(stem), quote(quote(stem)), "anything_" + stem.rsplit("_", 1)[1]):
        reply = app.send("GET", f"{folder}/{written}")
        assert reply.text == "내용", written
        assert quote("회의록") in reply.headers["Content-Disposition"]


@each_key
def test_the_first_bytes_decide_the_type_of_a_file(world):
    app = world.owner
    for name, data, suffix in [
        ("chat", PICTURE, "png"),
        ("1722940000.12345", b"\xff\xd8\xff\xe0" + bytes(20), "jpg"),
        ("image.jpg", b"GIF89a" + bytes(20), "gif"),
        ("a.exe", b"%PDF-1.7\n", "pdf"),
        ("evil.html", b"<script>alert(1)</script>", "txt"),
        ("a.jpeg", b"PK\3\4" + bytes(20), "zip"),
        ("a", b"ID3" + bytes(20), "mp3"),
        ("../../etc/passwd", b"text", "txt"),
    ]:
        (file,) = app.say(world.channel, "", [(name, data)])["files"]
        assert file.rsplit(".", 1)[1] == suffix, (name, file)
        reply = app.send("GET", file)
        assert reply.content == data and "html" not in reply.headers["Content-Type"]
    for data in (b"MZ\x90\0\3", b"\x7fELF\2\1\1\0", bytes(16)):
        app.refused("E11", "POST", f"{app.path(world.channel)}/chats", files=[("files", ("a.png", data))])


@pytest.mark.parametrize("key", ["sooda", "collabee"])
def test_five_files_of_ten_megabytes_pass_and_one_that_is_larger_does_not(world):
    app = world.owner
    large = random.Random(1).randbytes(1 << 20) * 10
    files = app.say(world.channel, "", [("a.txt", b"%PDF-" + large[5:]) for _ in range(5)])["files"]
    assert len(files) == 5
    reply = app.send("GET", files[4], headers={"Range": "bytes=-5"})
    assert reply.content == large[-5:]
    apart = app.another_device()
    apart.refused("E11", "POST", f"{app.path(world.channel)}/chats", files=[("files", ("a.pdf", b"%PDF-" + large))])
