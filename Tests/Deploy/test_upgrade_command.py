"""deploy/lib/test-upgrade builds the last release, or the commit that it is told, and upgrades from it."""

import os
import re
import shutil
import subprocess

import pytest
from gateway import CHECKOUT, patiently


@pytest.fixture
def checkout(tmp_path):
    """A repository with a commit, with replacements of `swift` and of the Python that runs the upgrade."""
    shutil.copytree(CHECKOUT / "deploy", tmp_path / "deploy")
    for name in ("bin/swift", ".venv/bin/python"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"$CALLS"\n')
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".gitignore").write_text("/.build/\n/.venv/\n/bin/\n/calls\n")
    git(tmp_path, "init", "-q")
    commit(tmp_path, "older")
    return tmp_path


def git(checkout, *words):
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.com"]
    return subprocess.run(
        ["git", *identity, *words], cwd=checkout, check=True, capture_output=True, text=True, timeout=patiently(60)
    ).stdout.strip()


def commit(checkout, text):
    (checkout / "release").write_text(text)
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", text)
    return git(checkout, "rev-parse", "HEAD")


def upgrade(checkout, **environment):
    (checkout / "calls").unlink(missing_ok=True)
    # A run of all tests may name a commit itself.
    inherited = {name: value for name, value in os.environ.items() if name != "MARU_UPGRADE_FROM"}
    result = subprocess.run(
        [checkout / "deploy/lib/test-upgrade"],
        env={**inherited, "PATH": f"{checkout}/bin:{os.environ['PATH']}", "CALLS": str(checkout / "calls")} | environment,
        capture_output=True, text=True, timeout=patiently(60),
    )
    calls = (checkout / "calls").read_text().splitlines() if (checkout / "calls").exists() else []
    return result, calls


def test_without_a_release_the_part_fails_and_says_why(checkout):
    # A shallow clone has the list and not the commit.
    result, calls = upgrade(checkout)
    assert (result.returncode, calls) == (1, [])
    last = (CHECKOUT / "deploy/releases").read_text().splitlines()[-1].split()[0]
    assert f"the commit of release {last} is not in this clone: git fetch --unshallow" in result.stderr
    (checkout / "deploy/releases").write_text("# none yet\n")
    result, calls = upgrade(checkout)
    assert (result.returncode, calls) == (1, [])
    assert "there is no release to upgrade from: add one (CONTRIBUTING.md), or set MARU_UPGRADE_FROM" in result.stderr
    result, calls = upgrade(checkout, MARU_UPGRADE_FROM="nothing")
    assert (result.returncode, calls) == (1, []) and "names no commit: nothing" in result.stderr


def test_without_a_tag_the_last_release_of_the_list_is_upgraded_from(checkout):
    older = git(checkout, "rev-parse", "HEAD")
    last = commit(checkout, "last")
    (checkout / "deploy/releases").write_text(f"# releases\n0.1.0 {older} 2026-11-24\n0.2.0 {last} 2026-11-26\n")
    commit(checkout, "newer")
    result, calls = upgrade(checkout)
    assert result.returncode == 0, result.stderr
    assert (checkout / ".build/upgrade/checkout/release").read_text() == "last" and len(calls) == 7
    # A tag wins.
    git(checkout, "tag", "v0.1.0", older)
    assert upgrade(checkout)[0].returncode == 0
    assert (checkout / ".build/upgrade/checkout/release").read_text() == "older"


def test_the_list_names_the_releases_of_the_changelog():
    listed = [line.split()[::2] for line in (CHECKOUT / "deploy/releases").read_text().splitlines() if line[0] != "#"]
    told = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", (CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE)[::-1]
    # The commit of a release is known after it.
    assert [list(each) for each in told][: len(listed)] == listed and len(told) - len(listed) <= 1


def test_the_last_tag_is_built_beside_the_checkout_and_upgraded_from(checkout):
    git(checkout, "tag", "v1")
    first = git(checkout, "rev-parse", "HEAD")
    second = commit(checkout, "newer")
    before = checkout / ".build/upgrade/checkout"
    # The second run finds the worktree of the first one.
    for source, text in ((None, "older"), (second, "newer"), (first, "older")):
        result, calls = upgrade(checkout, **({"MARU_UPGRADE_FROM": source} if source else {}))
        assert result.returncode == 0, result.stderr
        assert (before / "release").read_text() == text
        path = "--package-path .build/upgrade/checkout"
        assert f"bin/swift build {path} --product chat-service" in calls and len(calls) == 7
        assert calls[-1] == (
            f".venv/bin/python Tests/Faults/upgrade.py --from .build/upgrade/checkout --programs {checkout}/.build/debug"
        )
    assert (checkout / "release").read_text() == "newer"
