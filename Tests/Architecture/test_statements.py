"""Holds statements that exist twice against each other: for all workspaces, and for those of one part of a divided schema. Needs no
server."""

import re

import pytest
from sources import swift_sources

STATEMENT = re.compile(r'Statement\.\w+\(\s*"([^"]+)",\s*(?:"""([\s\S]*?)"""|"((?:[^"\\\n]|\\.)*)")')
STATEMENTS = {
    found[1]: " ".join((found[2] or found[3]).split())
    for source in swift_sources("Services/chat-service")
    for found in STATEMENT.finditer(source.text)
}
# A planner leaves the other parts alone only if each table names the workspaces, and for all workspaces that would cost plans.
OF_WORKSPACES = re.compile(r"(?:\w+\.)?workspace = any\(\$\d+::bigint\[\]\) and ")
TWICE = ["badges", "unread mentions", "report for operator", "reports for operators", "subscription by id"]


@pytest.mark.parametrize("name", TWICE)
def test_a_statement_for_some_workspaces_differs_by_these_alone(name):
    among = STATEMENTS[f"{name} among some workspaces"]
    assert OF_WORKSPACES.search(among)
    assert OF_WORKSPACES.sub("", among) == STATEMENTS[name]
