"""What the documents say is true: their commands run, what they point at exists."""

import json
import re
import subprocess

import pytest
from commands import blocks, run
from conftest import CHECKOUT

PAGES = sorted((CHECKOUT / "docs").glob("*.md"))
DOCUMENTS = [CHECKOUT / "README.md", *PAGES]


MECHANISMS = ["client-profiles", "delivery", "fan-out", "group-commit", "ledger", "operations", "push", "sessions"]


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_commands_of_a_page_do_what_it_says(product_data, name):
    page = CHECKOUT / "docs" / f"{name}.md"
    assert blocks(page), "a page shows how to look at what it tells of"
    run(page, product_data)


def test_every_command_of_a_page_is_run():
    for page in PAGES:
        text = page.read_text()
        marks = re.findall(r"^```(\w*)$", text, re.MULTILINE)[::2]
        # What needs an engine for containers is run by deploy/test --docker.
        assert set(marks) <= {"bash", "docker", "json", ""}, f"{page.name}: {marks}"
        for block in re.findall(r"^```docker\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            assert all(line.startswith(("docker compose ", "    ")) for line in block.splitlines()), block
        shown = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        assert not re.search(r"^    (deploy/|docker|curl|psql|\. )", shown, re.MULTILINE), page.name


def test_the_first_message_of_the_readme_arrives(product_port, tmp_path):
    (script,) = blocks(CHECKOUT / "README.md")
    assert "127.0.0.1:8080" in script
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace("8080", product_port)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
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
    reply = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=30).stdout)
    assert reply["token"]["accessToken"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_points_at_exists(document):
    text = document.read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (document.parent / target).exists(), target
    for path in re.findall(r"`((?:deploy|Services|Shared|Tests|docs)/[A-Za-z0-9_./-]*)`", text):
        assert (CHECKOUT / path).exists(), path


def test_what_measures_a_figure_exists():
    package = (CHECKOUT / "Package.swift").read_text()
    for document in DOCUMENTS:
        for kind, name in re.findall(r"`deploy/(bench|load) (\w+)`", document.read_text()):
            assert re.search(rf'\b{kind}\(\s*"{name}"', package), f"{document.name}: deploy/{kind} {name}"


@pytest.mark.parametrize("command", ["up", "down", "test", "bench", "load", "faults"])
def test_each_command_of_the_readme_tells_how_it_is_used(command):
    result = subprocess.run([CHECKOUT / "deploy" / command, "--help"], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0 and f"usage: deploy/{command}" in result.stdout


def test_the_readme_stays_short():
    assert len((CHECKOUT / "README.md").read_text().splitlines()) <= 150
