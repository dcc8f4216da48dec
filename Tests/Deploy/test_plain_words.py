"""deploy/lib/plain-words passes plain sources and fails for each thing that it checks."""

import importlib.machinery
import importlib.util
import subprocess

import pytest
from gateway import CHECKOUT, patiently

COMMAND = str(CHECKOUT / "deploy/lib/plain-words")
loader = importlib.machinery.SourceFileLoader("plain_words", COMMAND)
plain_words = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(plain_words)

PAGE = "# A page\n\n    a ─▶ b\n\nRead this when you test pages.\n\n## More\n"
HIDDEN = "/// Whoever asks gets what is there.\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Writes files into a fresh repository, which is the current folder."""

    def make(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        subprocess.run("git init -q && git add -A", shell=True, cwd=tmp_path, check=True)
        monkeypatch.chdir(tmp_path)

    return make


@pytest.fixture
def check(repository, monkeypatch, capsys):
    """Checks files in a fresh repository and returns the command's status and output."""

    def run(files):
        repository(files)
        monkeypatch.setattr("sys.argv", [COMMAND])
        status = plain_words.main()
        return status, capsys.readouterr().out

    return run


@pytest.mark.parametrize("count, expected", [(59, 0), (60, 1)])
def test_the_command_fails_for_a_fault(repository, count, expected):
    repository({"Shared/A.swift": HIDDEN * count})
    result = subprocess.run([COMMAND], capture_output=True, text=True, timeout=patiently(60))
    assert result.returncode == expected and f"{count} of {count} comment lines" in result.stdout


def test_plain_sources_pass(check):
    status, output = check({"docs/page.md": PAGE, "Shared/A.swift": "/// Returns the next page.\nstruct A {}\n"})
    assert status == 0, output
    assert "Shared and Services: 0 of 1 comment lines" in output


@pytest.mark.parametrize(
    "name, text",
    [
        ("Shared/A.swift", HIDDEN * 60),
        ("Tests/A.swift", HIDDEN * 60),
        ("Services/a/0001.sql", "-- Who asks gets it.\n" * 60),
        ("tool.py", "# Who asks gets it.\n" * 60),
        ("module.py", '"""\n' + "Who asks gets it.\n" * 60 + '"""\n'),
        ("deploy/tool", "#!/bin/sh\n" + "# Who asks gets it.\n" * 60),
        ("README.md", "Who asks gets it.\n" * 60),
    ],
)
def test_sixty_lines_that_hide_their_subject_fail(check, name, text):
    status, output = check({name: text})
    assert status == 1 and "too many lines" in output


def test_a_few_such_lines_and_code_pass(check):
    code = '    "who", "what"\n' * 80
    status, output = check({"Shared/A.swift": HIDDEN * 59 + code, "README.md": "```\n" + "who\n" * 80 + "```\n"})
    assert status == 0, output


HIDDEN_TEXTS = {
    "title": '@Test("Whoever asks gets it") func one() {}\n',
    "suite": '@Suite("What they get") struct Tests {}\n',
    "title on its own line": '@Test(\n    "Whoever asks gets it",\n    arguments: [1])\n',
    "setting": 'let key = ConfigKey("size", default: size(1), "Whose size it is.")\n',
    "setting in parts": 'let key = ConfigKey(\n    "size", "The size. "\n        + "Whoever has it.")\n',
    "setting in lines": 'let key = ConfigKey("size", """\n    The size\n    of whoever has it.\n    """)\n',
    "log": 'log.warning("nobody knows what became of it", ["cause": .cause(error)])\n',
    "log of a call": 'service.log.error(\n    isLost ? "what is gone" : "gone", [:])\n',
    "detail": 'throw Failure(.notFound, "\\(kind(1) ?? "a") is for those who ask.")\n',
    "detail of a kind": 'throw Failure.invalid("Ask for what is there.")\n',
}


@pytest.mark.parametrize("text", HIDDEN_TEXTS.values(), ids=HIDDEN_TEXTS.keys())
def test_sixty_texts_that_hide_their_subject_fail(check, text):
    status, output = check({"Tests/A.swift": text * 60})
    assert status == 1 and "errors: 60 of " in output and "errors: too many lines" in output, output


def test_other_texts_and_comments_are_not_counted_with_titles_and_messages(check):
    other = '@Test("A reply", arguments: ["who"])\nlet text = "who" // log.info("what")\nprint("who")\n'
    texts = "".join(HIDDEN_TEXTS.values()) * 5
    status, output = check({"Tests/A.swift": other * 80 + texts, "Shared/A.swift": '// @Test("Whoever asks")\n' * 59})
    assert status == 0 and "errors: 50 of " in output, output


@pytest.mark.parametrize(
    "files",
    [
        {"Shared/A.swift": "struct Doors {}\n"},
        {"Services/a/A.swift": "    private final class Asking {\n"},
        {"Tests/Turns.swift": "let number = 1\n"},
    ],
)
def test_a_retired_name_fails(check, files):
    status, output = check(files)
    assert status == 1 and "retired" in output


def test_a_word_that_only_contains_a_retired_name_passes(check):
    status, output = check({"Shared/A.swift": "struct RestartPolicy {}\n/// The class Doors is gone.\nlet Rest = 1\n"})
    assert status == 0, output


@pytest.mark.parametrize("missing", ["    a ─▶ b\n", "Read this when you test pages.\n"])
@pytest.mark.parametrize("page", ["docs/page.md", "docs/guides/page.md"])
def test_a_page_without_a_picture_or_a_reason_to_read_it_fails(check, page, missing):
    status, output = check({page: PAGE.replace(missing, "")})
    assert status == 1 and f"{page}: the page does not begin with" in output
