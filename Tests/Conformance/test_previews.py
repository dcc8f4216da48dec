"""Previews of pictures: small and medium forms, without metadata, made by processes that a bad picture cannot leave."""

import os
import pathlib
import re
import subprocess

import pytest
import requests
from pictures import LATITUDE, SECRET_PLACE, animation, bomb, photo, photo_of_place, size_of, sky
from waiting import eventually, patiently

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / ".build/debug/picture-previews"
CHAT = 2


@pytest.fixture(scope="module")
def room(worlds):
    """A native owner with a channel, and an app of a shipped key in it."""
    owner, shipped = worlds["native"].owner, worlds["gen-2024-07"].owner
    workspace = owner.make_workspace(shipped)
    return owner, shipped, owner.make_channel(workspace, None, shipped)


def preview(app, path, size):
    reply = app.send("GET", path, params={"size": size})
    assert reply.status_code == 200 and reply.headers["Content-Type"] == "image/webp"
    return reply.content


def count(product, outcome):
    found = re.search(rf'^maru_previews_total{{outcome="{outcome}"}} (\d+)', product.metrics(CHAT), re.M)
    return int(found[1]) if found else 0


def test_a_picture_has_a_small_and_a_medium_form_and_a_blur(room):
    owner, _, channel = room
    message = owner.say(channel, "하늘", [("sky.png", sky()), ("notes.txt", b"text")])
    path = message["files"][0]
    (told,) = message["previews"]
    assert (told["file"], told["width"], told["height"]) == (path, 2400, 1600) and "animated" not in told
    assert re.fullmatch(r"[0-9A-Za-z#$%*+,\-.:;=?@\[\]^_{|}~]{28}", told["blur"])
    small, medium = (preview(owner, path, size) for size in ("small", "medium"))
    assert size_of(small) == (480, 320) and size_of(medium) == (1600, 1067)
    assert len(small) < len(medium)
    owner.refused("E11", "GET", path, params={"size": "huge"})


def test_history_and_changes_tell_the_previews_as_the_reply_to_the_send_did(room):
    owner, _, channel = room
    sent = owner.say(channel, "다시", [("sky.png", sky(600, 400))])
    chats = f"{owner.path(channel)}/chats"
    assert owner.get(f"{chats}/{sent['seq']}")["previews"] == sent["previews"]
    assert owner.history(channel)[-1]["previews"] == sent["previews"]
    assert owner.call("PUT", f"{chats}/{sent['seq']}/pin")["previews"] == sent["previews"]
    changed = owner.get(f"{owner.path(channel)}/changes?after_rev=0")["items"]
    assert next(each for each in changed if each["seq"] == sent["seq"])["previews"] == sent["previews"]


def test_a_repeated_send_tells_the_previews_of_the_first_one(room):
    owner, _, channel = room
    once = ("POST", f"{owner.path(channel)}/chats", {"content": "한 번", "client_id": "once"})
    first, second = (owner.form(*once, [("files", ("sky.png", sky(600, 400)))], "Chat") for _ in range(2))
    assert second["files"] == first["files"] and second["seq"] == first["seq"]
    assert len(first["previews"]) == 1 and second["previews"] == first["previews"]


def test_a_photo_is_turned_and_no_preview_tells_where_it_was_taken(room):
    owner, _, channel = room
    message = owner.say(channel, "사진", [("photo.jpg", photo())])
    (told,) = message["previews"]
    assert (told["width"], told["height"]) == (30, 60)
    for size in ("small", "medium"):
        content = preview(owner, message["files"][0], size)
        assert size_of(content) == (30, 60)
        assert SECRET_PLACE not in content and b"EXIF" not in content.upper()


def test_no_photo_that_is_downloaded_tells_where_it_was_taken(room):
    owner, shipped, channel = room
    sent = photo_of_place()
    assert LATITUDE in sent
    for sender in (owner, shipped):
        path = sender.say(channel, "여기", [("photo.jpg", sent)])["files"][0]
        for reader in (owner, shipped):
            got = reader.send("GET", path).content
            assert len(got) == len(sent) and LATITUDE not in got
            # Nothing else changes: how it is to be turned, its colours and its pixels.
            place = sent.index(LATITUDE) - 30
            end = sent.index(LATITUDE) + len(LATITUDE)
            assert got[:place] == sent[:place] and got[end:] == sent[end:]
    assert owner.form("PUT", "/users/me/image", {}, [("image", ("photo.jpg", sent))])["profileImage"]
    portrait = owner.send("GET", owner.get("/users/me")["profileImage"]).content
    assert len(portrait) == len(sent) and LATITUDE not in portrait
    # The bytes of a picture without a place stay as they were sent.
    plain = owner.say(channel, "그림", [("photo.jpg", photo())])["files"][0]
    assert owner.send("GET", plain).content == photo()


def test_the_previews_of_an_animation_are_still(room):
    owner, _, channel = room
    message = owner.say(channel, "움직임", [("wave.gif", animation())])
    (told,) = message["previews"]
    assert told["animated"] is True
    assert b"ANIM" not in preview(owner, message["files"][0], "small")


def test_shipped_apps_see_no_change_and_may_ask_for_a_preview(room):
    owner, shipped, channel = room
    message = owner.say(channel, "모두", [("sky.png", sky(900, 600))])
    heard = shipped.history(channel)[-1]
    assert heard["files"] == message["files"] and "previews" not in heard
    assert size_of(preview(shipped, message["files"][0], "small")) == (480, 320)
    assert shipped.send("GET", message["files"][0]).headers["Content-Type"] == "image/png"


def test_portraits_and_covers_have_previews_too(room, product):
    owner, shipped, channel = room
    picture = [("image", ("sky.png", sky(900, 600)))]
    portrait = owner.form("PUT", "/users/me/image", {}, picture)["profileImage"]
    workspace = owner.form("PUT", f"/workspaces/{channel.workspace}", {"name": "그림집"}, picture)["coverImage"]
    cover = owner.form("PUT", owner.path(channel), {"name": "그림방"}, picture)["coverImage"]
    for path in (portrait, workspace, cover):
        for app in (owner, shipped):
            assert size_of(preview(app, path, "small")) == (480, 320)
        assert size_of(preview(owner, path, "medium")) == (900, 600)
        owner.refused("E11", "GET", path, params={"size": "huge"})
        folder = path.split("/")[2]
        (link,) = owner.post(f"/static/{folder}/links", {"paths": [path]})["links"]
        signed = requests.get(f"{product.base}/v1{link['url']}&size=small", timeout=patiently(20))
        assert size_of(signed.content) == (480, 320)
        assert owner.send("GET", path).headers["Content-Type"] == "image/png"


def test_a_file_without_a_preview_is_sent_as_it_is(room):
    owner, _, channel = room
    message = owner.say(channel, "글", [("notes.txt", b"text"), ("broken.png", b"\x89PNG\r\n\x1a\n" + bytes(40))])
    assert "previews" not in message
    assert owner.send("GET", message["files"][0], params={"size": "small"}).content == b"text"
    assert owner.send("GET", message["files"][1], params={"size": "small"}).content.startswith(b"\x89PNG")


def test_a_preview_has_the_rights_of_its_picture_and_goes_with_it(room, worlds):
    owner, _, channel = room
    message = owner.say(channel, "잠깐", [("sky.png", sky(600, 400))])
    path = message["files"][0]
    worlds["native"].stranger.refused("E13", "GET", path, params={"size": "small"})
    links = owner.post("/static/channelChats/links", {"paths": [path]})["links"]
    signed = requests.get(f"{owner.product.base}/v1{links[0]['url']}&size=small", timeout=patiently(20))
    assert size_of(signed.content) == (480, 320)
    stored = list((owner.product.data / "files/chat/channelChats").glob(path.rsplit("_", 1)[1].split(".")[0] + "*"))
    assert len(stored) == 3
    owner.call("DELETE", f"{owner.path(channel)}/chats/{message['seq']}")
    owner.refused("E13", "GET", path, params={"size": "small"})
    eventually(lambda: not any(each.exists() for each in stored))


def test_a_decompression_bomb_costs_its_process_and_nothing_else(room):
    owner, _, channel = room
    failed = count(owner.product, "failed")
    message = owner.say(channel, "폭탄", [("bomb.png", bomb())])
    assert "previews" not in message and len(message["files"]) == 1
    assert count(owner.product, "failed") == failed + 1
    assert len(owner.say(channel, "다음", [("sky.png", sky(600, 400))])["previews"]) == 1


def test_the_program_limits_its_time_memory_and_system_calls_before_it_reads():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([PROGRAM, "480", "1600", "1", "10", str(640 << 20)], **pipes) as program:
        process = pathlib.Path(f"/proc/{program.pid}")
        # Nothing arrives, so the program waits with its limits in place.
        eventually(lambda: "Seccomp:\t2" in (process / "status").read_text())
        status, limits = ((process / name).read_text() for name in ("status", "limits"))
        assert "NoNewPrivs:\t1" in status
        assert re.search(r"Max cpu time +1 ", limits) and re.search(rf"Max address space +{640 << 20} ", limits)
        assert re.search(r"Max file size +0 ", limits) and re.search(r"Max core file size +0 ", limits)
        assert {os.readlink(each).split(":")[0] for each in (process / "fd").iterdir()} <= {"pipe", "/dev/null"}
        program.kill()


def test_a_client_reads_the_limits_before_it_sends(worlds, room):
    owner, _, channel = room
    limits = owner.get("/users/me/limits")
    assert limits["files"]["count"] == 5 and limits["files"]["bytes"] == 10 << 20 and "png" in limits["files"]["types"]
    assert limits["message"] == {"characters": 10_000}
    owner.say(channel, "한 개", [("a.txt", b"12345")])
    assert owner.get("/users/me/limits")["storage"]["used"] == limits["storage"]["used"] + 5
    worlds["gen-2024-07"].owner.refused("E97", "GET", "/users/me/limits")
