"""The client library alone: its own tests, and the program of its page against the running product."""

import pathlib
import re
import subprocess

from waiting import patiently

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


def test_the_library_keeps_its_promises():
    tests = sorted(str(path) for path in (CHECKOUT / "Tests/Web/library").glob("*.test.js"))
    run = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, timeout=patiently(120))
    assert run.returncode == 0, run.stdout


def test_the_library_has_no_line_of_dom():
    words = re.compile(r"\b(document|window|HTMLElement|localStorage|location)\b[.(]")
    code = {path.name: re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.S) for path in (CHECKOUT / "Web/maru").glob("*.js")}
    found = [name for name, text in code.items() if words.search(text)]
    assert found == []


def test_no_data_goes_through_markup():
    words = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    sources = [path for path in (CHECKOUT / "Web").rglob("*.js")]
    found = [(path.name, line) for path in sources for line in path.read_text().splitlines() if words.search(line)]
    assert [each for each in found if not each[1].lstrip().startswith(("/**", "*", "//"))] == []


def test_both_languages_have_the_same_texts():
    names = [set(re.findall(r"'([a-z][\w.]*)': '", (CHECKOUT / f"Web/app/strings.{each}.js").read_text(), re.I)) for each in ("en", "ko")]
    assert names[0] == names[1]


def test_every_action_of_the_audit_log_has_a_text():
    actions = re.findall(r'^    case \w+ = "([\w.]+)"', (CHECKOUT / "Shared/Contract/Internal/Workspace/AuditAction.swift").read_text(), re.M)
    texts = (CHECKOUT / "Web/app/strings.en.js").read_text()
    assert "member.locked" in actions
    assert [action for action in actions if f"'audit.{action}': '" not in texts] == []


def test_the_program_of_the_page_runs(product, tmp_path):
    page = (CHECKOUT / "Web/maru/README.md").read_text()
    program = re.search(r"```js\n(.*?)```", page, re.S)[1].replace("./index.js", str(CHECKOUT / "Web/maru/index.js"))
    assert len(program.splitlines()) <= 20
    file = tmp_path / "program.mjs"
    file.write_text(program)
    run = subprocess.run(["node", file, product.base], capture_output=True, text=True, timeout=patiently(60))
    assert run.returncode == 0, run.stderr
    assert "Hello from twenty lines" in run.stdout
