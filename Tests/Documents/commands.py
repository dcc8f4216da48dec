"""Runs the commands of a page: all its `bash` blocks, in order, in one shell.

In a block, a line `# → text` says that `text` is printed by then: the texts stand in the output in their order.
"""

import os
import re
import subprocess

from conftest import CHECKOUT, PATIENCE


def blocks(document):
    return re.findall(r"^```bash\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)


def run(document, data):
    found = blocks(document)
    script = "".join(f"{block}\nprintf '\\n=== block %s\\n' {number}\n" for number, block in enumerate(found))
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=CHECKOUT,
        env={**os.environ, "INSTANCE": str(data), "MARU_PROGRAMS": str(CHECKOUT / ".build/debug")},
        capture_output=True,
        text=True,
        timeout=240 * PATIENCE,
    )
    outputs = re.split(r"\n=== block \d+\n", result.stdout)
    for block, output in zip(found, outputs):
        rest = output
        for text in re.findall(r"^# → (.*)$", block, re.MULTILINE):
            fault = f"{document.name}: {text!r} is not printed, in its place, by"
            assert text in rest, f"{fault}\n{block}\n{output}{result.stderr}"
            rest = rest.split(text, 1)[1]
    assert result.returncode == 0, f"{document.name}, after block {len(outputs) - 1}:\n{outputs[-1]}{result.stderr}"
