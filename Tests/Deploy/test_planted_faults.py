"""deploy/mutate plants faults in a copy, and says which ones the tests did not notice."""

import shutil
import subprocess

import pytest
from gateway import CHECKOUT, patiently

PROGRAM = "def double(number):\n    return 2 * number\n"
TEST = "import sys\nsys.path.insert(0, '.')\nfrom program import double\n\n\ndef test_double():\n    assert double(0) == 0{more}\n"


@pytest.fixture
def plant(tmp_path):
    def run(*arguments, more="", **changes):
        fault = {"name": "a sum", "file": "program.py", "before": "2 * number", "after": "2 + number", "python": "Tests/test_it.py"}
        fault = {key: value for key, value in (fault | changes).items() if value is not None}
        (tmp_path / "deploy/lib").mkdir(parents=True)
        shutil.copy(CHECKOUT / "deploy/lib/planted-faults", tmp_path / "deploy/lib")
        (tmp_path / ".venv").symlink_to(CHECKOUT / ".venv")
        (tmp_path / "Tests").mkdir()
        (tmp_path / "program.py").write_text(PROGRAM)
        (tmp_path / "Tests/test_it.py").write_text(TEST.format(more=more))
        (tmp_path / "Tests/sample-service").mkdir()
        (tmp_path / "Tests/sample-service/A.swift").write_text("struct SumTests {\n    func sum() {}\n}\n")
        lines = "".join(f"{key} = '{value}'\n" for key, value in fault.items())
        (tmp_path / "Tests/planted-faults.toml").write_text(f"[[fault]]\n{lines}")
        (tmp_path / ".gitignore").write_text(".build\n.venv\n")
        subprocess.run("git init -q && git add -A", shell=True, cwd=tmp_path, check=True)
        command = [tmp_path / "deploy/lib/planted-faults", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=patiently(120))

    return run


def test_a_fault_that_a_test_notices_is_caught_and_the_sources_stay_as_they_are(plant, tmp_path):
    result = plant("run")
    assert (result.returncode, result.stdout.splitlines()[0]) == (0, "ok caught: a sum")
    assert (tmp_path / "program.py").read_text() == PROGRAM
    assert (tmp_path / ".build/planted-faults/program.py").read_text() == PROGRAM


def test_a_fault_that_no_test_notices_survives(plant):
    result = plant("run", after="3 * number")
    assert result.returncode == 1 and "FAULT a sum: it survives its test" in result.stdout


def test_a_test_that_fails_anyway_catches_nothing(plant):
    result = plant("run", more=" + 1")
    assert result.returncode == 1 and "FAULT a sum: its test does not run, or fails without the fault too" in result.stdout


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"before": "4 * number"}, "its text is in program.py 0 times instead of once"),
        ({"before": "number"}, "its text is in program.py 2 times instead of once"),
        ({"after": "2 * number"}, "it changes nothing"),
        ({"file": "other.py"}, "its text is in other.py 0 times instead of once"),
        ({"python": "Tests/test_other.py"}, "there is no file Tests/test_other.py"),
        ({"python": None}, "it needs either swift or python as its test"),
        ({"after": None}, "it lacks after"),
        ({"python": None, "swift": "sample_serviceTests.OtherTests"}, "there is no suite sample_serviceTests.OtherTests"),
        ({"python": None, "swift": "sample_serviceTests.SumTests/other"}, "there is no suite sample_serviceTests.SumTests/other"),
    ],
)
def test_a_fault_that_does_not_fit_is_named(plant, change, reason):
    result = plant("check", **change)
    assert result.returncode == 1 and f"FAULT a sum: {reason}" in result.stdout


def test_a_test_that_does_not_run_catches_nothing(plant, tmp_path, monkeypatch):
    swift = tmp_path / "programs/swift"
    swift.parent.mkdir()
    swift.write_text("#!/bin/sh\n[ $1 = build ] || echo 'Test run with 0 tests in 0 suites passed'\n")
    swift.chmod(0o755)
    monkeypatch.setenv("PATH", str(swift.parent), prepend=":")
    result = plant("run", python=None, swift="sample_serviceTests.SumTests/sum")
    assert result.returncode == 1 and "FAULT a sum: its test does not run" in result.stdout


def test_a_suite_or_one_of_its_tests_is_found_by_its_module(plant):
    assert plant("check", python=None, swift="sample_serviceTests.SumTests/sum").returncode == 0


def test_the_planted_faults_fit_the_sources():
    result = subprocess.run([CHECKOUT / "deploy/mutate", "--check"], capture_output=True, text=True, timeout=patiently(60))
    assert result.returncode == 0, result.stdout
