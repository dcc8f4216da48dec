"""Release builds of deploy/up and the other commands."""

import shutil
import subprocess

from gateway import CHECKOUT

# Makes the program that it should build.
SWIFT = """#!/bin/sh
for product; do :; done
mkdir -p .build/release
touch ".build/release/$product"
chmod +x ".build/release/$product"
"""


def test_the_user_of_the_services_can_enter_the_folder_of_a_build_that_a_private_command_begins(tmp_path):
    shutil.copytree(CHECKOUT / "deploy", tmp_path / "deploy", ignore=shutil.ignore_patterns("__pycache__"))
    swift = tmp_path / "bin/swift"
    swift.parent.mkdir()
    swift.write_text(SWIFT)
    swift.chmod(0o755)
    script = 'PATH=$PWD/bin:$PATH; umask 077; source deploy/lib.sh; build_release chat-service; umask'
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert result.stdout == "Building chat-service\n0077\n", result.stderr
    built = tmp_path / ".build/release/chat-service"
    assert [each.stat().st_mode & 0o777 for each in (built, *built.parents[:2])] == [0o755, 0o755, 0o755]
