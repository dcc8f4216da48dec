"""deploy/lib/unit-tests chooses the tests that need no server and notices tests and lines that have no counterpart."""

import subprocess

import pytest
from gateway import CHECKOUT, patiently

TESTS = ["OneTests.A/a()", "TwoTests.B/b()", "TwoTests.C/c()"]
LIST = """
# A comment.
unit    OneTests
server  TwoTests
unit    TwoTests.C
server  Tests/Sample
unit    Tests/Sample/test_pure.py
"""


@pytest.fixture
def choose(tmp_path):
    def run(tests=TESTS, lines=LIST):
        for name in ("test_pure.py", "test_server.py"):
            (tmp_path / "Tests/Sample").mkdir(parents=True, exist_ok=True)
            (tmp_path / "Tests/Sample" / name).touch()
        (tmp_path / "Tests/unit-tests").write_text(lines)
        subprocess.run("git init -q && git add -A", shell=True, cwd=tmp_path, check=True)
        command = [CHECKOUT / "deploy/lib/unit-tests"]
        return subprocess.run(command, cwd=tmp_path, input="\n".join(tests), capture_output=True, text=True, timeout=patiently(30))

    return run


def test_the_most_specific_line_decides(choose):
    result = choose()
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        r"swift ^(OneTests\.|TwoTests\.C/)",
        "python Tests/Sample/test_pure.py",
    ]


def test_a_suite_that_needs_a_server_is_left_out_of_its_module(choose):
    result = choose(["OneTests.A/a()", "OneTests.B/b()", *TESTS], LIST + "server  OneTests.B\n")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0] == r"swift ^(OneTests\.A/|TwoTests\.C/)"


def test_a_module_without_a_line_fails(choose):
    result = choose([*TESTS, "NewTests.A/a()"])
    assert result.returncode == 1 and "NewTests is in no line" in result.stderr


def test_a_folder_of_python_tests_without_a_line_fails(choose):
    result = choose(lines=LIST.replace("server  Tests/Sample\n", ""))
    assert result.returncode == 1 and "Tests/Sample is in no line" in result.stderr


def test_a_line_without_a_test_fails(choose):
    result = choose([each for each in TESTS if "TwoTests.C" not in each])
    assert result.returncode == 1 and "no test is called TwoTests.C" in result.stderr
