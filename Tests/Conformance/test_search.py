"""Search by the native API: messages through the gateway, and names."""

from urllib.parse import quote

import pytest
from waiting import eventually


@pytest.fixture(scope="module")
def team(worlds):
    """A native app that owns a workspace with a channel, and its address."""
    owner = worlds["native"].owner
    workspace = owner.make_workspace()
    channel = owner.make_channel(workspace, None)
    return owner, workspace, channel


def contents(owner, workspace, query):
    found = owner.get(f"/workspaces/{workspace}/search?q={quote(query)}")
    return [item["message"]["content"] for item in found["items"]]


def test_a_message_is_found_by_syllables_initials_and_half_typed_words(team):
    owner, workspace, channel = team
    owner.say(channel, "내일 회의를 검색팀과 합니다")
    eventually(lambda: contents(owner, workspace, "회의"))
    for query in ("회", "의를", "ㅎㅇ", "검ㅅ", '"내일 회의"', "회의 -모레"):
        assert contents(owner, workspace, query) == ["내일 회의를 검색팀과 합니다"], query
    assert contents(owner, workspace, "모레") == []


def test_a_workspace_search_with_a_keyword_is_still_that_of_the_contract(team):
    owner, workspace, channel = team
    found = owner.get(f"/workspaces/{workspace}/search?keyword=nobody", "WorkspaceDetail")
    assert int(found["workspace_id"]) == workspace and found["channels"] == []


def test_a_stranger_finds_nothing(team, join):
    _, workspace, _ = team
    stranger = join("native")
    for path in ("search?q=a", "find?q=a"):
        stranger.refused("E13", "GET", f"/workspaces/{workspace}/{path}")
