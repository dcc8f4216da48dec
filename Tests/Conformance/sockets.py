"""Clients of python-socketio, each version in its own process."""

import json
import os
import pathlib
import subprocess
import sys
import threading

from waiting import patiently

# The versions: 5.x speaks Engine.IO 4 like the shipped apps, 4.x speaks Engine.IO 3.
LINES = {"today": "", "4.x": str(pathlib.Path(sys.prefix) / "socketio-4")}


class Sockets:
    """Opens sockets and records their events."""

    def __init__(self, product, line="today"):
        assert not LINES[line] or pathlib.Path(LINES[line], "socketio").exists(), "deploy/test installs it"
        program = pathlib.Path(__file__).with_name("listener.py")
        self.process = subprocess.Popen(
            [sys.executable, program, product.base],
            env={**os.environ, "PYTHONPATH": LINES[line]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.happened = []
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=patiently(30))

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.happened.append(json.loads(line))
                self.changed.notify_all()

    def ask(self, name, namespace, **how):
        self.process.stdin.write(json.dumps({"name": name, "namespace": namespace} | how) + "\n")
        self.process.stdin.flush()

    def open(self, name, namespace, **how):
        """Waits for the answer to the join and returns whether it was accepted."""
        self.ask(name, namespace, **how)
        self.wait(lambda: ["open", name] in self.happened or ["refused", name] in self.happened)
        return ["open", name] in self.happened

    def wait(self, condition, patience=30):
        with self.changed:
            assert self.changed.wait_for(condition, patiently(patience)), self.happened

    def heard(self, name):
        """Returns name and arguments of each event."""
        return [tuple(what[2:]) for what in list(self.happened) if what[:2] == ["heard", name]]

    def contents(self, name):
        return [arguments[0]["content"] for _, arguments in self.heard(name) if arguments]

    def await_contents(self, name, expected):
        """Waits for these contents in any order, because the library handles each event on its own thread."""
        self.wait(lambda: len(self.contents(name)) >= len(expected))
        assert sorted(self.contents(name)) == sorted(expected)
