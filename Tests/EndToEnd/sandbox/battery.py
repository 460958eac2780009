"""The battery of escapes: it is compiled and gets its targets, and what became of each attempt is read and counted."""

import ctypes
import fcntl
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile

from support.system import BUILD, REPOSITORY

FIXTURE = os.path.join(REPOSITORY, "Tests", "Fixtures", "Battery")
SCRATCH = os.path.join(os.path.dirname(BUILD), "battery")
LIBRARY = os.path.join(SCRATCH, "Battery.so")
DIRECTORY_LIBRARY = os.path.join(SCRATCH, "BatteryDirectory.so")
"""The same as a call directory."""
PROGRAM = os.path.join(SCRATCH, "other-user")
PYTHON = "/usr/bin/python3"
"""One that every user may run."""

SETUID = "#include <unistd.h>\nint main(void) { return geteuid() != 0 || getuid() == 0; }\n"

SIGNALS = ("kill a process", "tgkill a process", "tkill a process", "queue a signal", "queue a signal to a thread",
           "signal by a process descriptor", "kill a process group", "signal by F_SETOWN", "signal by F_SETOWN_EX",
           "signal by FIOSETOWN", "signal by SIOCSPGRP", "signal by a timer")
"""Each sends SIGRTMIN and its place here."""

SOCKETS = {"race the address of a path": "race-path", "race the address of an abstract name": "race-abstract"}
"""Attempts that are told by who was reached, since the worker cannot know."""

ALONE = ("call by interrupt", "kill by interrupt", "hold 600 MiB in memory files",
         "hold 600 MiB of shared memory", "hold 600 MiB of /dev/zero", "hide its memory")
"""Attempts that may end the worker: each is made in a worker of its own."""


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def build():
    """Compiles the battery if a file of it is newer, and returns the library."""
    os.makedirs(SCRATCH, exist_ok=True)
    sources = sorted(f"{FIXTURE}/{name}" for name in os.listdir(FIXTURE))
    with open(f"{SCRATCH}/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(LIBRARY) or os.path.getmtime(LIBRARY) < max(map(os.path.getmtime, sources)):
            code = [name for name in sources if name.endswith(".c")]
            options = ("-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread")
            run("gcc", "-o", PROGRAM, "-xc", "-", input=SETUID.encode())
            run("gcc", *options, "-DDIRECTORY", "-o", DIRECTORY_LIBRARY, *code)
            run("gcc", *options, "-o", f"{LIBRARY}.new", *code)
            os.rename(f"{LIBRARY}.new", LIBRARY)
    return LIBRARY


def file_handle(path):
    """The handle of a file, as `type:bytes`; "" if the file system has none."""
    handle, mount = ctypes.create_string_buffer(8 + 128), ctypes.c_int()
    ctypes.c_uint.from_buffer(handle).value = 128
    if ctypes.CDLL(None).name_to_handle_at(-100, path.encode(), handle, ctypes.byref(mount), 0) != 0:
        return ""
    size = ctypes.c_uint.from_buffer(handle).value
    return f"{ctypes.c_uint.from_buffer(handle, 4).value}:{handle.raw[8:8 + size].hex()}"


class Targets:
    """A folder with all that a plugin must not reach, and the victim. It belongs to `user`."""

    def __init__(self, user):
        self.user = user
        self.made = tempfile.TemporaryDirectory(prefix="opencallkit-sandbox-")
        self.folder = self.made.name
        self.secret = secrets.token_hex(8)
        self.make_files()
        self.victim = subprocess.Popen(
            [PYTHON, f"{self.folder}/victim.py", f"{self.folder}/runtime"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=f"{self.folder}/home", start_new_session=True, **self.identity)
        self.values = {**json.loads(self.victim.stdout.readline()), **self.places()}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.victim.kill()
        self.victim.communicate()
        self.made.cleanup()

    @property
    def identity(self):
        """The user, as options of Popen."""
        return {} if self.user == os.geteuid() else {"user": self.user, "group": self.user, "extra_groups": []}

    def make_files(self):
        files = {"home/.ssh/id": self.secret, "home/.gnupg/key": self.secret, "home/.bashrc": "as it was\n",
                 "home/.profile": "as it was\n", "home/.config/opencallkit/permissions": self.secret,
                 "other/state": self.secret, "bundle/readme": "as it was\n", "outside/removable": "",
                 "outside/movable": ""}
        for name in ("runtime", "shared", "state", "worker", "other-worker"):
            os.mkdir(f"{self.folder}/{name}")
        for name, text in files.items():
            os.makedirs(os.path.dirname(f"{self.folder}/{name}"), exist_ok=True)
            with open(f"{self.folder}/{name}", "w", encoding="ascii") as file:
                file.write(text)
        library = build()
        shutil.copy(library, f"{self.folder}/bundle/Battery.so")
        shutil.copy(library, f"{self.folder}/outside/library.so")
        shutil.copy(f"{BUILD}/callkit-worker", f"{self.folder}/worker/callkit-worker")
        shutil.copy(f"{os.path.dirname(__file__)}/victim.py", f"{self.folder}/victim.py")
        for folder, folders, names in os.walk(self.folder):
            for name in [folder, *(os.path.join(folder, name) for name in folders + names)]:
                os.chown(name, self.user, self.user)
        if os.geteuid() == 0:
            shutil.copy(PROGRAM, f"{self.folder}/bundle/other-user")
            os.chmod(f"{self.folder}/bundle/other-user", 0o4755)

    def places(self):
        """The targets that are files and folders."""
        folders = ("home", "outside", "shared", "state", "bundle")
        return {**{name: f"{self.folder}/{name}" for name in folders}, "worker-folder": f"{self.folder}/worker",
                "secret": self.secret, "other-state": f"{self.folder}/other/state",
                "library": f"{self.folder}/outside/library.so", "handle": file_handle(f"{self.folder}/home/.ssh/id"),
                "setuid": f"{self.folder}/bundle/other-user" if os.geteuid() == 0 else "",
                "environment-secret": self.secret, "daemon": str(self.victim.pid), "granted-folder": "$GRANTED_FOLDER",
                "files": f"{self.folder}/runtime/files",
                "granted-socket": "$GRANTED_SOCKET"}

    def write(self, folder, **values):
        """Writes the file of targets for the battery whose state folder this is."""
        os.chown(folder, self.user, self.user)
        with open(f"{folder}/targets", "w", encoding="utf-8") as file:
            values = {**self.values, "state": folder, **values}
            file.writelines(f"{name}={value}\n" for name, value in values.items() if value)
        os.chown(f"{folder}/targets", self.user, self.user)

    def reached(self):
        """What has reached the victim: the numbers of signals, and how often each socket."""
        self.victim.stdin.write(b"\n")
        self.victim.stdin.flush()
        return json.loads(self.victim.stdout.readline())


class Report:
    """What became of each attempt."""

    def __init__(self, targets, folder):
        self.targets = targets
        self.lines = read_report(folder)
        self.is_complete = self.lines.pop("end", None) is not None

    def add(self, folder, name, status):
        """Adds an attempt that was made in a worker of its own: the end by a signal is a denial."""
        lines = read_report(folder)
        self.lines[name] = lines.get(name, ("denied", f"the worker ended with status {status}"))
        self.is_complete &= name in lines or status in (-signal.SIGSYS, 128 + signal.SIGSYS)

    def count(self):
        """Believes the victim rather than the battery."""
        self.through = {name for name, (verdict, _) in self.lines.items() if verdict == "ALLOWED"}
        self.absent = {name for name, (verdict, _) in self.lines.items() if verdict == "absent"}
        self.reached = self.targets.reached()
        told = {name: signal.SIGRTMIN + place in self.reached["signals"] for place, name in enumerate(SIGNALS)}
        told["kill everything of the user"] = signal.SIGURG in self.reached["signals"]
        told |= {name: self.reached["sockets"][socket] > 0 for name, socket in SOCKETS.items()}
        for name, is_through in told.items():
            if name in self.lines:
                (self.through.add if is_through else self.through.discard)(name)

    def unexpected(self, through):
        """What gets through beside `through`, and what of that does not; each with what became of it."""
        return ({name: self.lines[name] for name in self.through - through},
                {name: self.lines.get(name) for name in through - self.through})


def read_report(folder):
    """The lines of the battery, as {name: (verdict, detail)}."""
    try:
        with open(f"{folder}/report", encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split("|") for line in file]
    except FileNotFoundError:
        return {}
    return {name: (verdict, detail) for name, verdict, detail in lines}
