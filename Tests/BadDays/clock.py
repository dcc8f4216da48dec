"""A clock that can be wrong, for the processes that preload its library."""

import pathlib
import shutil
import struct
import subprocess

SOURCE = pathlib.Path(__file__).with_name("clock.c")


class WrongClock:
    def __init__(self, folder):
        folder.mkdir()
        folder.chmod(0o755)
        self.library, self.file = folder / "clock.so", folder / "ahead"
        # The Swift toolchain has the compiler.
        compiler = pathlib.Path(shutil.which("swift")).resolve().with_name("clang")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE], check=True)
        self.library.chmod(0o755)
        self.set(0)
        self.file.chmod(0o644)

    def set(self, ahead):
        """Sets the clock to the real one and some seconds. The file is written in place, because processes map it."""
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("<q", ahead))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "WRONG_CLOCK": str(self.file)}
