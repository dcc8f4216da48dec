"""deploy/lib/no-prints finds prints in services and modules, which could show personal data."""

import subprocess

import pytest
from gateway import CHECKOUT, patiently


def check(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run("git init -q && git add -A", shell=True, cwd=folder, check=True)
    command = [CHECKOUT / "deploy/lib/no-prints"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patiently(30))


@pytest.mark.parametrize(
    "line",
    [
        "print(account.email)",
        "    Swift.print(account.email)",
        "defer { debugPrint(account) }",
        "dump(account, to: &standardError)",
        "fputs(account.email, stderr)",
    ],
)
@pytest.mark.parametrize("file", ["Services/auth-service/Domain/Accounts.swift", "Shared/ServiceKit/Web/Call.swift"])
def test_a_planted_print_fails(tmp_path, file, line):
    result = check(tmp_path, {file: f"func join() {{\n{line}\n}}\n"})
    assert result.returncode == 1 and f"{file}:2" in result.stdout


def test_other_words_and_the_command_line_pass(tmp_path):
    result = check(
        tmp_path,
        {
            "Services/a/A.swift": "let fingerprint = fingerprint(of: key)\nlog.print(line)\nblueprint(1)\n",
            "Shared/ServiceKit/Service/CommandLineOptions.swift": "print(usage)\n",
            "Tests/A.swift": "print(1)\n",
        },
    )
    assert result.returncode == 0, result.stdout


def test_the_checkout_passes():
    result = subprocess.run([CHECKOUT / "deploy/lib/no-prints"], cwd=CHECKOUT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
