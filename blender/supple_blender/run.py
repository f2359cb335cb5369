"""A run of the program `supple`: started, watched, interrupted. Knows nothing of Blender."""

import json
import os
import shutil
import signal
import subprocess
import sys


class RunError(Exception):
    """A run that failed, in the program's own words."""


def find_program(path=""):
    """The program: the path that is given, or `supple` on the search path or beside this Python (as `pip install supple[cli]` puts it there)."""
    if path:
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
        raise RunError(f"{path}: not a program; set its path in the add-on's preferences")
    name = "supple.exe" if os.name == "nt" else "supple"
    places = [os.path.join(sys.prefix, "bin"), os.path.join(sys.prefix, "Scripts"), os.path.dirname(sys.executable)]
    found = shutil.which("supple") or next((p for p in (os.path.join(d, name) for d in places) if os.access(p, os.X_OK)), None)
    if not found:
        raise RunError(
            "the program supple is not installed: `cargo install supple-cli`, or `pip install supple[cli]` with Blender's Python, "
            "or set its path in the add-on's preferences"
        )
    return found


class Run:
    """`supple run scene.toml` in a folder. Poll `finished` and `frames`; `interrupt` keeps what has been simulated."""

    def __init__(self, program, scene):
        self.folder = os.path.dirname(scene)
        self.result = self._inside("scene.pc2")
        self._stats, self._summary, self._log = map(self._inside, ("frames.jsonl", "summary.json", "log.txt"))
        for path in (self.result, self._stats, self._summary):
            if os.path.exists(path):
                os.remove(path)
        command = [program, "run", scene, "--out", self.folder, "--force", "--export", "pc2", "--stats", self._stats, "--json", self._summary]
        # A group of its own on Windows, where an interrupt goes to all of a group.
        flags = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {}
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **flags)

    def _inside(self, name):
        return os.path.join(self.folder, name)

    @property
    def finished(self):
        return self._process.poll() is not None

    def wait(self, timeout=None):
        self._process.wait(timeout)

    @property
    def frames(self):
        """Frames that are done: the program writes one line for each."""
        try:
            with open(self._stats, "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def interrupt(self):
        """Asks the program to end after its frame and to write what it has; ends it if it does not."""
        if self.finished:
            return
        self._process.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def log(self):
        with open(self._log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def summary(self):
        """What the program says of a run that ended, an interrupted one too."""
        try:
            with open(self._summary, encoding="utf-8") as file:
                summary = json.load(file)
        except (FileNotFoundError, ValueError):
            summary = None
        if summary is None or not os.path.exists(self.result):
            raise RunError(self.log.strip() or f"the program ended with code {self._process.returncode} and said nothing")
        return summary
