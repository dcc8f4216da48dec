"""docs/contract.md has the same routes, entities and errors as the data that Tests/Conformance checks."""

import re
import sys

import pytest
from conftest import CHECKOUT

sys.path.append(str(CHECKOUT / "Tests/Conformance"))
import contract

PAGE = (CHECKOUT / "docs/contract.md").read_text()
ROUTE = re.compile(r"`((?:GET|POST|PUT|DELETE) \S+)`")


def rows(heading):
    """The cells of the table of a section, without its head."""
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)[1]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def documented(heading):
    found = {}
    for route, _, reply, errors in rows(heading):
        codes = frozenset(re.findall(r"E\d\d", errors))
        found[ROUTE.fullmatch(route)[1]] = (reply.strip("`").split(",")[0].replace("–", "-"), codes)
    return found


@pytest.mark.parametrize("generation", contract.ROUTES)
def test_the_page_and_the_conformance_tests_know_the_same_routes(generation):
    page = documented("Routes of both generations") | documented(f"Routes of {generation}")
    assert page == {route.name: (route.reply, route.errors) for route in contract.routes(generation)}


def test_the_page_lists_the_same_additions():
    page = {re.sub(r"{\w+}", "{}", ROUTE.fullmatch(row[0])[1]) for row in rows("Additions")}
    assert page == contract.ADDITIONS


def test_the_page_lists_the_same_routes_of_the_native_api():
    names = (ROUTE.fullmatch(row[0])[1] for row in rows("Routes of the native API"))
    page = {re.sub(r"{(?!room})\w+}", "{}", name) for name in names}
    assert page == contract.NATIVE


def test_the_page_and_the_conformance_tests_know_the_same_errors():
    page = {code: {int(status) for status in statuses.split()} for code, _, statuses in rows("Errors")}
    assert page == contract.STATUSES


@pytest.mark.parametrize("generation", contract.SHAPES)
def test_the_page_and_the_conformance_tests_know_the_same_entities(generation):
    page = {}
    for name, first, second in rows("Entities"):
        cell = first if generation == "2024-01" or second == "the same" else second
        if cell != "–":
            page[name] = set(re.findall(r"`(\w+\??)`", cell))
    # `Account` only exists as a part of others.
    names = (contract.SHAPES[generation].keys() | contract.COMMON.keys()) - {"Account"}
    assert page.keys() == names
    for name in names:
        members = contract.shape(name, generation).items()
        expected = {f"{member}{'?' if kind[0] == '?' else ''}" for member, kind in members if kind[0] != "!"}
        assert page[name] == expected, name
