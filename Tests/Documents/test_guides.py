"""The guides of docs/guides: each program and each command in them runs, and /docs shows them."""

import json
import os
import re
import subprocess
import sys
import urllib.request

import pytest
from conftest import CHECKOUT, PATIENCE

GUIDES = sorted((CHECKOUT / "docs/guides").glob("*.md"))
# The commands of a guide find a new account with a workspace, its first channel and functions for calls.
PRELUDE = r"""
folder=$(mktemp -d)
join() {
    curl -s "$MARU_API/users/join" -H "SesacKey: $MARU_KEY" -H 'Content-Type: application/json' \
        -d "{\"email\":\"guide.$(date +%s%N)@example.com\",\"password\":\"Saessak-2024!\",\"nickname\":\"Guide\"}"
}
own=$(join | jq -r .token.accessToken)
call() { curl -s "$MARU_API$1" -H "SesacKey: $MARU_KEY" -H "Authorization: $own" "${@:2}"; }
post() { call "$1" -H 'Content-Type: application/json' -d "$2"; }
base64 -d >"$folder/cover.png" <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=
workspace=$(call /workspaces -F "name=Home $RANDOM$RANDOM" -F "image=@$folder/cover.png" | jq -r .workspace_id)
channel=$(call "/workspaces/$workspace/my-channels" | jq -r '.[0].channel_id')
chats=/workspaces/$workspace/channels/$channel/chats
"""


@pytest.fixture
def environment(product_port):
    return {**os.environ, "MARU_API": f"http://127.0.0.1:{product_port}/v1", "MARU_KEY": "native"}


def blocks(guide, language):
    return re.findall(rf"^```{language}\n(.*?)^```", guide.read_text(), re.DOTALL | re.MULTILINE)


def output(command, environment, **more):
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240 * PATIENCE, **more)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def program(language, folder):
    """The command that runs the program of the first guide in a language."""
    (text,) = blocks(CHECKOUT / "docs/guides/getting-started.md", language)
    path = folder / {"bash": "a.sh", "javascript": "a.mjs", "swift": "main.swift", "python": "a.py"}[language]
    path.write_text(text)
    if language == "swift":
        subprocess.run(["swiftc", "-o", folder / "program", path], check=True, timeout=240 * PATIENCE)
        return [folder / "program"]
    return [{"bash": "bash", "javascript": "node", "python": sys.executable}[language], path]


@pytest.mark.parametrize("language", ["bash", "javascript", "swift", "python"])
def test_the_first_program_sends_a_message_and_reads_it(language, environment, tmp_path):
    assert output(program(language, tmp_path), environment) == "안녕하세요\n"


def test_the_program_of_sockets_misses_nothing(environment, tmp_path):
    (text,) = blocks(CHECKOUT / "docs/guides/sockets.md", "python")
    (tmp_path / "a.py").write_text(text)
    assert output([sys.executable, tmp_path / "a.py"], environment) == "two\n"


@pytest.mark.parametrize("guide", [each for each in GUIDES if each.stem != "getting-started"], ids=lambda path: path.stem)
def test_each_command_of_a_guide_prints_what_it_says(guide, environment):
    commands = "".join(blocks(guide, "bash"))
    printed = output(["bash", "-euo", "pipefail", "-c", PRELUDE + commands], environment)
    for text in re.findall(r"^# → (.*)$", commands, re.MULTILINE):
        assert text in printed, f"{text!r} is not printed, in its place:\n{printed}"
        printed = printed.split(text, 1)[1]


def test_every_block_of_a_guide_is_one_that_a_test_runs():
    for guide in GUIDES:
        marks = re.findall(r"^```(\w*)$", guide.read_text(), re.MULTILINE)[::2]
        programs = {"getting-started": {"javascript", "swift", "python"}, "sockets": {"python"}}.get(guide.stem, set())
        assert set(marks) <= {"bash", "json"} | programs, guide.name


def test_every_error_code_has_its_cause_and_cure_in_the_guide(product_port):
    codes = json.loads(get(product_port, "/docs/errors.json"))
    rows = [f"| {row['code']} | {row['status']} | {row['cause']} | {row['cure']} |" for row in codes]
    guide = (CHECKOUT / "docs/guides/errors.md").read_text()
    assert re.findall(r"^\| E.*$", guide, re.MULTILINE) == rows, "write:\n" + "\n".join(rows)


def test_docs_shows_every_guide(product_port):
    index = get(product_port, "/docs/").decode()
    for guide in GUIDES:
        name = "" if guide.stem == "README" else guide.stem
        page = get(product_port, f"/docs/{name}").decode()
        title = guide.read_text().splitlines()[0].removeprefix("# ")
        assert f"<h1>{title}</h1>" in page
        assert not name or f'href="/docs/{name}"' in index, name
        for target in re.findall(r'href="(/docs/[^"#]*)"', page):
            get(product_port, target)


def test_the_targets_of_a_guide_exist():
    for guide in GUIDES:
        for target in re.findall(r"\]\(([^)#:]+)\)", guide.read_text()):
            assert (guide.parent / target).exists(), f"{guide.name}: {target}"


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30 * PATIENCE) as reply:
        return reply.read()
