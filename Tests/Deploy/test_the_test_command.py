"""deploy/test never counts a test as passed that failed, broke down, was skipped or matched nothing."""

import os
import shutil
import signal
import subprocess

import pytest
from gateway import CHECKOUT, eventually, patiently

# Replaces the toolchain: records its arguments and writes reports like Swift Testing.
SWIFT = """#!/bin/bash
echo "swift $*" >>"$CALLS"
if [[ "$1 $2" == "test list" ]]; then
    [[ -z ${MODULES+set} ]] && MODULES="OneTests"
    for module in $MODULES; do printf '%s.Suite/good()\n' "$module" "$module"; done
    exit
fi
while (($#)); do
    [[ $1 != --filter || -z ${STUCK:-} ]] || printf '%s\n' '◇ Test run started.' '◇ Test "one that is started" started.' '◇ Test two() started.' \\
        '✔ Test "one that is started" with 2 test cases passed after 0.1 seconds.'
    [[ $1 != --filter || -z ${HANG:-} ]] || { mkfifo "$HANG.fifo"; echo $$ >"$HANG"; exec cat "$HANG.fifo"; }
    if [[ $1 == --xunit-output ]]; then
        echo '<testsuites><testsuite name="TestResults" errors="0" tests="7" failures="'"$FAILURES"'" skipped="0">' \\
            >"${2%.xml}-swift-testing.xml"
    fi
    [[ $1 != build || -z ${WARNING:-} ]] || echo "Sources/A.swift:1:1: warning: unused"
    shift
done
exit "${EXIT:-0}"
"""

PYTHON_TESTS = """
import pytest

def test_good(): pass
def test_bad(): assert not {bad}
@pytest.mark.skipif({skip}, reason="not here")
def test_skipped(): pass
"""


@pytest.fixture
def checkout(tmp_path):
    """A package with one Python suite and a replacement of `swift`."""
    shutil.copytree(CHECKOUT / "deploy", tmp_path / "deploy")
    (tmp_path / "Tests/Sample").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/swift").write_text(SWIFT)
    (tmp_path / "bin/swift").chmod(0o755)
    (tmp_path / "Package.swift").touch()
    (tmp_path / "Tests/planted-faults.toml").write_text("fault = []\n")
    for requirements in (CHECKOUT / "Tests").glob("requirements*.txt"):
        shutil.copy(requirements, tmp_path / "Tests")
    # Use the Python environment that these tests run in.
    (tmp_path / ".venv").symlink_to(CHECKOUT / ".venv")
    return tmp_path


def run(checkout, *arguments, bad=False, skip=False, failures=0, **environment):
    (checkout / "Tests/Sample/test_sample.py").write_text(PYTHON_TESTS.format(bad=bad, skip=skip))
    modules = environment.get("MODULES", "OneTests").split()
    suites = {f"Tests/{each.parent.name}" for each in checkout.glob("Tests/*/test_*.py")}
    lines = [f"unit {name}" for name in [*modules, *suites]]
    (checkout / "Tests/unit-tests").write_text("\n".join(lines))
    subprocess.run("git init -q && git add -A -- deploy Tests Package.swift", shell=True, cwd=checkout, check=True)
    settings = {"PATH": f"{checkout / 'bin'}:{os.environ['PATH']}", "FAILURES": str(failures)}
    settings["CALLS"] = str(checkout / "calls")
    result = subprocess.run(
        [checkout / "deploy/test", *arguments],
        env={**os.environ, **settings, **environment},
        capture_output=True,
        text=True,
        timeout=patiently(120),
    )
    calls = (checkout / "calls").read_text() if (checkout / "calls").exists() else ""
    return result.returncode, result.stdout.splitlines(), calls


def test_the_last_line_has_the_count_of_all_parts(checkout):
    status, lines, calls = run(checkout)
    # Shell, format, build and observability, seven Swift tests and three Python tests.
    assert (status, lines[-1]) == (0, "14 passed, 0 failed")
    assert "swift format lint --strict" in calls and "swift build --build-tests" in calls


# A test that ends well only if the other suite's test runs meanwhile, and a child of it can be interrupted.
MEETING = """
import os, pathlib, signal, subprocess, time

def test_meeting():
    here = pathlib.Path(__file__).parent
    (here / "arrived").touch()
    other = here.parent / ("Other" if here.name == "Meeting" else "Meeting") / "arrived"
    limit = time.monotonic() + 60 * float(os.environ.get("MARU_PATIENCE", 1))
    while not other.exists():
        assert time.monotonic() < limit, "the other suite did not start"
        time.sleep(0.02)

def test_an_interrupt():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not {bad}
"""


@pytest.mark.parametrize("bad", [False, True])
def test_two_suites_run_side_by_side_and_each_is_counted(checkout, bad):
    for name in ("Meeting", "Other"):
        (checkout / "Tests" / name).mkdir()
        (checkout / "Tests" / name / "test_meeting.py").write_text(MEETING.format(bad=bad and name == "Other"))
    status, lines, _ = run(checkout)
    # Four more tests than without these suites.
    assert (status, lines[-1]) == (int(bad), "17 passed, 1 failed" if bad else "18 passed, 0 failed"), lines
    rows = {line.split()[0]: line.split()[1:5] for line in lines if " passed " in line and line.endswith(" s")}
    assert rows["meeting"] == ["2", "passed", "0", "failed"]
    assert rows["other"] == (["1", "passed", "1", "failed"] if bad else ["2", "passed", "0", "failed"])


# A test with a server that ends when its test ends, not by a signal.
SERVER = """
import pathlib, signal, subprocess, pytest

here = pathlib.Path(__file__).parent

@pytest.fixture
def server():
    child = subprocess.Popen(["tail", "-f", "/dev/null"], start_new_session=True)
    (here / "started").write_text(str(child.pid))
    yield
    child.kill()
    child.wait()
    (here / "stopped").touch()

def test_that_waits(server): signal.pause()
def test_that_must_not_begin(): (here / "begun").touch()
"""


def start(checkout, *arguments, **environment):
    """Starts deploy/test in a session of its own, so that a signal to its process group reaches nothing else."""
    subprocess.run("git init -q && git add -A -- Tests Package.swift", shell=True, cwd=checkout, check=True)
    settings = {"PATH": f"{checkout / 'bin'}:{os.environ['PATH']}", "FAILURES": "0", "CALLS": str(checkout / "calls")}
    return subprocess.Popen(
        [checkout / "deploy/test", *arguments],
        env={**os.environ, **settings, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def is_alive(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_both_suites_and_their_servers(checkout, number):
    folders = [checkout / "Tests" / name for name in ("First", "Second")]
    for folder in folders:
        folder.mkdir()
        (folder / "test_server.py").write_text(SERVER)
    (checkout / "Tests/unit-tests").write_text("unit OneTests\nunit Tests/First\nunit Tests/Second\n")
    with start(checkout) as command:
        # A file is there before it has its content.
        eventually(lambda: all((each / "started").is_file() and (each / "started").read_text() for each in folders), 30)
        # As a terminal does with Ctrl-C, or a command that ends another one.
        (os.killpg if number == signal.SIGINT else os.kill)(command.pid, number)
        _, errors = command.communicate(timeout=patiently(120))
    assert command.returncode == -number
    assert f"{signal.Signals(number).name} ends first second" in errors or "ends second first" in errors, errors
    for folder in folders:
        assert (folder / "stopped").exists() and not (folder / "begun").exists()
        assert not is_alive((folder / "started").read_text())


def test_a_signal_ends_the_tests_of_swift_and_no_further_module_begins(checkout):
    (checkout / "Tests/unit-tests").write_text("unit OneTests\nunit TwoTests\n")
    hang = checkout / "hang"
    with start(checkout, "swift", MODULES="OneTests TwoTests", HANG=str(hang)) as command:
        eventually(lambda: hang.is_file() and hang.read_text(), 30)
        os.kill(command.pid, signal.SIGTERM)
        _, errors = command.communicate(timeout=patiently(120))
    assert (command.returncode, "SIGTERM ends swift" in errors) == (-signal.SIGTERM, True), errors
    assert not is_alive(hang.read_text()) and "TwoTests" not in (checkout / "calls").read_text()


def test_a_swift_test_that_waits_for_ever_is_ended_and_named(checkout):
    hang = checkout / "hang"
    status, lines, calls = run(
        # Twelve seconds of silence: a busy machine needs some until the first line.
        checkout, "swift", MODULES="OneTests TwoTests", HANG=str(hang), STUCK="yes", MARU_PATIENCE="0.04", FAILURES="0"
    )
    assert (status, lines[-1]) == (1, "1 passed, 4 failed"), lines
    assert [line.split()[1:] for line in lines if "FAULT   two()" in line] and not any('FAULT   "one' in line for line in lines)
    assert not is_alive(hang.read_text()) and "TwoTests" in calls


@pytest.mark.parametrize("outcome", [{"bad": True}, {"skip": True}, {"failures": 1, "EXIT": "0"}])
def test_a_test_that_fails_or_is_skipped_counts_as_failed(checkout, outcome):
    status, lines, _ = run(checkout, **outcome)
    assert (status, lines[-1]) == (1, "13 passed, 1 failed")


def test_the_last_lines_name_the_tests_that_failed(checkout):
    _, lines, _ = run(checkout, bad=True)
    summary = lines[lines.index("Failed: sample: .build/test/sample.log") :]
    assert len(summary) == 3 and summary[1].strip().startswith("FAILED Tests/Sample/test_sample.py::test_bad")


def test_a_part_that_breaks_down_without_a_report_has_failed(checkout):
    status, lines, _ = run(checkout, "swift", EXIT="139")
    assert (status, lines[-1]) == (1, "7 passed, 2 failed")


def test_swift_tests_run_one_module_after_the_other(checkout):
    status, lines, calls = run(checkout, "swift", MODULES="OneTests TwoTests")
    assert (status, lines[-1]) == (0, "15 passed, 0 failed")
    assert "--filter ^OneTests\\." in calls and "--filter ^TwoTests\\." in calls


def test_unit_runs_the_listed_tests(checkout):
    status, lines, calls = run(checkout, "unit")
    assert (status, lines[-1]) == (0, "11 passed, 0 failed")
    assert "--filter ^(OneTests\\.)" in calls


def test_a_module_that_is_not_listed_as_unit_or_server_is_a_failure(checkout):
    (checkout / "bin/swift").write_text(SWIFT.replace('MODULES="OneTests"', 'MODULES="OneTests NewTests"'))
    for part in ("unit", "swift"):
        status, lines, _ = run(checkout, part)
        assert status == 1 and any("NewTests is in no line" in line for line in lines), lines


def test_a_package_whose_tests_cannot_be_listed_has_failed(checkout):
    status, lines, _ = run(checkout, "swift", MODULES="")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")


def test_a_warning_of_the_compiler_is_a_failure(checkout):
    status, lines, _ = run(checkout, "build", WARNING="yes")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")
    assert any("warning: unused" in line for line in lines)


def test_a_script_that_does_not_parse_is_a_failure(checkout):
    (checkout / "deploy/broken").write_text("#!/bin/bash\nif then\n")
    status, lines, _ = run(checkout, "shell")
    assert (status, lines[-1]) == (1, "0 passed, 1 failed")


def test_a_filter_names_a_part(checkout):
    status, lines, calls = run(checkout, "sample")
    assert (status, lines[-1], calls) == (0, "4 passed, 0 failed", "swift build --build-tests\n")


def test_any_other_filter_names_tests(checkout):
    status, lines, calls = run(checkout, "good")
    assert (status, lines[-1]) == (0, "9 passed, 0 failed")
    assert "--filter good" in calls


def test_a_filter_that_names_nothing_is_a_failure(checkout):
    status, lines, _ = run(checkout, "nowhere")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")
    assert "Failed: no test's name has nowhere" in lines


def test_an_image_test_without_an_engine_is_a_failure(checkout):
    status, lines, _ = run(checkout, "sample", "--docker", DOCKER_HOST="unix:///nonexistent")
    assert (status, lines[-1]) == (1, "4 passed, 1 failed")
    assert any("no Docker engine answers" in line for line in lines)


@pytest.mark.parametrize("engine", [True, False])
def test_the_full_run_has_the_long_parts_and_the_images_if_an_engine_answers(checkout, engine):
    stubs = ["Tests/Fuzz/run", "Tests/Sanitizers/run", "deploy/faults", "deploy/mutate", "deploy/lib/test-upgrade"]
    stubs += ["deploy/lib/test-citus", "deploy/lib/test-images"]
    for name in stubs:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text(f'#!/bin/bash\necho "{name} $*" >>"$CALLS"\n')
        (checkout / name).chmod(0o755)
    (checkout / "bin/docker").write_text(f"#!/bin/sh\nexit {0 if engine else 1}\n")
    (checkout / "bin/docker").chmod(0o755)
    status, lines, calls = run(checkout, "--full")
    parts = [line.split()[0] for line in lines if " passed " in line and line.endswith(" s")]
    images = ["docker"] if engine else []
    short = ["shell", "format", "build", "swift", "fuzz", "sample", "observability"]
    long = ["sanitize-thread", "sanitize-address", "fuzz-long", "faults-long", "planted-faults", "citus", "upgrade"]
    assert parts == [*short, *long, *images]
    assert status == 0 and "deploy/faults --minutes 20" in calls and "Tests/Fuzz/run --minutes 30" in calls
    assert ("deploy/lib/test-images" in calls) == engine
