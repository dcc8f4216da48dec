"""README.md and the pages of docs/ point at things that exist. These tests need no server."""

import re
import subprocess

import pytest
from conftest import CHECKOUT, PATIENCE

PAGES = sorted((CHECKOUT / "docs").glob("*.md"))
DOCUMENTS = sorted(CHECKOUT.glob("*.md")) + PAGES


def test_every_command_of_a_page_is_run():
    for page in PAGES:
        text = page.read_text()
        marks = re.findall(r"^```(\w*)$", text, re.MULTILINE)[::2]
        # deploy/test --docker runs the blocks that need a container engine.
        assert set(marks) <= {"bash", "docker", "json", "mermaid", ""}, f"{page.name}: {marks}"
        for block in re.findall(r"^```docker\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            assert all(line.startswith(("docker compose ", "    ")) for line in block.splitlines()), block
        shown = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        # A picture may name a command before it shows boxes and arrows.
        lines = [line for line in shown.splitlines() if not re.search("[─│┌┐└┘▶◀]", line)]
        assert not any(re.match(r"    (deploy/|docker|curl|psql|\. )", line) for line in lines), page.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_targets_of_a_document_exist(document):
    text = document.read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (document.parent / target).exists(), target
    for path in re.findall(r"`((?:deploy|Services|Shared|Tests|Tools|docs)/[A-Za-z0-9_./-]*)`", text):
        assert (CHECKOUT / path).exists(), path


def test_the_types_that_a_document_names_exist():
    names = {}
    for document in DOCUMENTS:
        for name in re.findall(r"`([A-Z][a-z]+[A-Z][A-Za-z]*)(?:[.(][^`]*)?`", document.read_text()):
            names.setdefault(name, document.name)
    sources = [*CHECKOUT.glob("Shared/**/*.swift"), *CHECKOUT.glob("Services/**/*.swift"), *CHECKOUT.glob("Tools/**/*.swift")]
    sources += [CHECKOUT / "deploy/prometheus/rules/services.yml", CHECKOUT / "Tests/Conformance/contract.py"]
    sources += (CHECKOUT / "deploy/kubernetes").glob("**/*.yaml")
    known = set().union(*(re.findall(r"\w+", path.read_text()) for path in sources))
    assert {name: page for name, page in names.items() if name not in known} == {}


def test_the_command_that_measures_a_figure_exists():
    package = (CHECKOUT / "Package.swift").read_text()
    for document in DOCUMENTS:
        for kind, name in re.findall(r"`deploy/(bench|load) (\w+)`", document.read_text()):
            is_product = re.search(rf'\b{kind}\(\s*"{name}"', package)
            # A program for a browser runs as a program in Python.
            assert is_product or (CHECKOUT / f"Tests/Load/{name}/{kind}.py").exists(), f"{document.name}: deploy/{kind} {name}"


@pytest.mark.parametrize("command", ["up", "down", "test", "bench", "load", "faults", "roll", "mutate", "maructl", "stack"])
def test_each_command_of_the_readme_explains_its_usage(command):
    result = subprocess.run([CHECKOUT / "deploy" / command, "--help"], capture_output=True, text=True, timeout=30 * PATIENCE)
    assert result.returncode == 0 and f"usage: deploy/{command}" in result.stdout


def test_the_readme_stays_short():
    assert len((CHECKOUT / "README.md").read_text().splitlines()) <= 150
