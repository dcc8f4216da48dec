"""The commands of README.md and docs/ print the shown results. These tests need the running product."""

import json
import re
import subprocess

import pytest
from commands import blocks, run
from conftest import CHECKOUT, PATIENCE

PAGES = sorted((CHECKOUT / "docs").glob("*.md"))
# Their subjects cannot be shown by commands on an instance of deploy/up.
WITHOUT_COMMANDS = {
    "architecture",
    "between-services",
    "citus",
    "contract",
    "dependencies",
    "glossary",
    "kubernetes",
    "performance",
    "postgres",
    "redis",
    "search",
}


@pytest.mark.parametrize("page", [each for each in PAGES if each.stem not in WITHOUT_COMMANDS], ids=lambda path: path.stem)
def test_the_commands_of_a_page_do_what_it_says(product_data, page):
    assert blocks(page), "a page must show commands that look at its mechanism"
    run(page, product_data)


def test_the_commands_of_every_page_are_run():
    assert {page.stem for page in PAGES if not blocks(page)} == WITHOUT_COMMANDS


def test_the_first_message_of_the_readme_arrives(product_port, tmp_path):
    (script,) = blocks(CHECKOUT / "README.md")
    assert "127.0.0.1:8080" in script
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace("8080", product_port)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60 * PATIENCE,
    )
    assert result.returncode == 0, result.stderr
    sent, history = (json.loads(each) for each in result.stdout.replace("}[", "}\n[").splitlines())
    assert [sent] == history and sent["content"] == "안녕하세요"


def test_the_first_request_that_up_prints_is_answered(product_port):
    up = (CHECKOUT / "deploy/up").read_text()
    body = re.search(r"-d '(\{.*\})'\"$", up, re.MULTILINE)[1].replace('\\"', '"')
    key = re.search(r"SesacKey: (\S+)'", up)[1]
    command = ["curl", "-s", f"http://127.0.0.1:{product_port}/v1/users/join", "-H", f"SesacKey: {key}"]
    command += ["-H", "Content-Type: application/json", "-d", body.replace("first@", "second@")]
    reply = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=30 * PATIENCE).stdout)
    assert reply["token"]["accessToken"]
