"""The gateway serves the web client at `/`, from the files that publish has written."""

import gzip
import re
import subprocess

import pytest
from gateway import CHECKOUT, Gateway
from substitutes import EchoService


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    subprocess.run([CHECKOUT / "deploy/nginx/publish", CHECKOUT / "Web", folder], check=True)
    with Gateway(tmp_path_factory.mktemp("gateway"), WEB=str(folder), WEB_KEY="page-key") as running:
        yield running


def asset(web, name):
    page = web.request("/").body.decode()
    return re.search(rf"/assets/[0-9a-f]+/{name}", page)[0]


def test_the_page_has_its_key_and_a_strict_policy(web):
    reply = web.request("/")
    assert reply.status == 200 and reply.header("Content-Type") == "text/html; charset=utf-8"
    assert b'name="maru-key" content="page-key"' in reply.body
    policy = reply.header("Content-Security-Policy")
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert reply.header("Cache-Control") == "no-cache"
    assert not re.search(rb"<script(?![^>]*\bsrc=)|<style|\son\w+=", reply.body), "the policy forbids inline code"


def test_files_with_a_hash_are_compressed_and_kept(web):
    path = asset(web, "app/main.js")
    plain = web.request(path)
    packed = web.request(path, headers={"Accept-Encoding": "gzip"})
    assert plain.header("Content-Type") == "text/javascript; charset=utf-8"
    assert packed.header("Content-Encoding") == "gzip" and gzip.decompress(packed.body) == plain.body
    assert packed.header("Cache-Control") == "public, max-age=31536000, immutable"
    assert packed.header("X-Content-Type-Options") == "nosniff"


def test_every_file_that_the_page_names_exists(web):
    page = web.request("/").body.decode()
    for path in re.findall(r'"(/assets/[^"]+)"', page):
        assert web.request(path).status == 200, path


@pytest.mark.parametrize("path", ["/assets/", "/assets/none", "/index.html", "/app/main.js", "/assets/../nginx.conf", "/web"])
def test_nothing_else_is_served(web, path):
    assert web.request(path).json()["errorCode"] == "E97"


def test_a_page_only_answers_reads(web):
    assert web.request("/", method="POST", body=b"x").status == 400
    assert web.request("/", method="HEAD").status == 200


def test_a_changed_file_changes_the_hash_and_leaves_the_old_one(tmp_path):
    copy, folder = tmp_path / "Web", tmp_path / "published"
    subprocess.run(["cp", "-r", CHECKOUT / "Web", copy], check=True)

    def publish():
        subprocess.run([CHECKOUT / "deploy/nginx/publish", copy, folder], check=True)
        return re.search(r"/assets/([0-9a-f]+)/", (folder / "index.html").read_text())[1]

    first = publish()
    assert publish() == first
    with open(copy / "maru/store.js", "a") as file:
        file.write("\n")
    second = publish()
    assert second != first
    assert {each.name for each in (folder / "assets").iterdir()} == {first, second}


def test_only_a_gateway_with_stand_ins_pays_without_money(web, tmp_path):
    assert b"E97" in web.request("/standins/payments", method="POST", body=b"{}").body
    assert b'name="maru-payments" content=""' in web.request("/").body
    folder = tmp_path / "web"
    subprocess.run([CHECKOUT / "deploy/nginx/publish", CHECKOUT / "Web", folder], check=True)
    standins = EchoService("standins")
    try:
        address = f"127.0.0.1:{standins.port}"
        with Gateway(tmp_path / "gateway", WEB=str(folder), STANDIN_PAYMENTS=address) as running:
            assert b'name="maru-payments" content="/standins/payments"' in running.request("/").body
            paid = running.request("/standins/payments", method="POST", body=b"{}")
            assert paid.status == 200 and b"/portone/payments" in paid.body
            assert running.request("/standins/payments").status == 400
    finally:
        standins.stop()
