"""Runs deploy/up and deploy/down on a new data folder, with substitutes for the five services."""

import http.client
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.request

from gateway import CHECKOUT, SERVICES, eventually, patiently


class Instance:
    def __init__(self, checkout=CHECKOUT, as_user=()):
        # The user postgres can reach this folder, unlike pytest's own.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="maru-"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.checkout = checkout
        self.as_user = list(as_user)
        substitute = checkout / "Tests/Deploy/programs/substitute-service"
        for name in SERVICES.values():
            (self.programs / name).symlink_to(substitute)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.down()
        cluster = self.data / "cluster"
        if cluster.exists() and not cluster.read_text().startswith(str(self.data)):
            shutil.rmtree(pathlib.Path(cluster.read_text().strip()).parent)
        shutil.rmtree(self.folder)

    @property
    def environment(self):
        # A test may set another time in which a new process must become ready.
        patient = {"MARU_ROLL_SECONDS": str(round(patiently(60)))}
        return {**patient, **os.environ, "MARU_PROGRAMS": str(self.programs), "MARU_LOG_LEVEL": "not for the services"}

    def command(self, name, *options):
        return [*self.as_user, self.checkout / "deploy" / name, "--data", self.data, *options]

    def run(self, name, *options):
        command = self.command(name, *options)
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=patiently(120))

    def up(self, *options):
        result = self.run("up", "--detach", *(options or ("--port", "0")))
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def down(self):
        result = self.run("down")
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    def start_in_foreground(self, *options):
        command = self.command("up", *(options or ("--port", "0")))
        # A shell cannot trap a signal that is ignored at its start, such as SIGHUP under `nohup`.
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
        try:
            return subprocess.Popen(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
        finally:
            signal.signal(signal.SIGHUP, before)

    def port(self, name):
        return int(dict(line.split("=") for line in (self.data / "ports").read_text().split())[name])

    def get(self, target):
        url = f"http://127.0.0.1:{self.port('gateway_port')}{target}"
        return urllib.request.urlopen(url, timeout=patiently(20)).read().decode()

    def process(self, name):
        return int((self.data / f"run/{name}.pid").read_text().split()[0])

    def processes(self):
        """Returns all processes of this data folder, with any parent."""
        found = {}
        for each in pathlib.Path("/proc").iterdir():
            if each.name.isdigit() and int(each.name) != os.getpid():
                try:
                    command = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                except OSError:
                    continue
                if str(self.folder) in command:
                    found[int(each.name)] = command
        return found

    def recorded(self):
        """The ids and start times of the processes that run, by their names."""
        return {each.stem: each.read_text() for each in (self.data / "run").glob("*.pid")}

    def until_ended(self):
        """Waits until no process of this data folder is left. A shell may still be ending."""
        eventually(lambda: not self.processes(), 60)

    def is_ready(self):
        state = self.data / "run/state"
        return state.exists() and state.read_text() == "ready\n"

    def kill(self, name):
        before = self.process(name)
        os.kill(before, signal.SIGKILL)
        eventually(lambda: self.is_back(name, before), 60)

    def is_back(self, name, before):
        try:
            return self.process(name) != before and self.get("/v1/users/me")
        except (OSError, ValueError, http.client.HTTPException):
            return False

    def psql(self, role, statement):
        url = (self.data / f"secrets/{role}/database_url").read_text()
        command = ["psql", "-XAtc", statement, url]
        return subprocess.run(command, capture_output=True, text=True, timeout=patiently(30))
