"""A real Flatpak: a runtime of a few files, and an app that runs whatever it is told. Nothing is downloaded."""

import os
import re
import shutil
import subprocess

APP = "org.example.Phone"
RUNTIME = "org.example.Platform"
PROGRAMS = ("sh", "dbus-send")
ARCHITECTURE = os.uname().machine

RUNTIME_METADATA = f"""[Runtime]
name={RUNTIME}
runtime={RUNTIME}/{ARCHITECTURE}/1
sdk={RUNTIME}/{ARCHITECTURE}/1
"""

APP_METADATA = f"""[Application]
name={APP}
runtime={RUNTIME}/{ARCHITECTURE}/1
sdk={RUNTIME}/{ARCHITECTURE}/1
command=phone

[Session Bus Policy]
org.opencallkit.CallSystem1=talk
"""


class Flatpak:
    """An installation of the app in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(f"{folder}/run", 0o700)
        self.environment = {**os.environ, "HOME": folder, "XDG_DATA_HOME": f"{folder}/data", "XDG_RUNTIME_DIR": f"{folder}/run",
                            "XDG_CACHE_HOME": f"{folder}/cache", "XDG_CONFIG_HOME": f"{folder}/config"}
        # No bus: flatpak starts none, and asks none.
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"
        self.make_runtime()
        self.make_app()
        self.flatpak("build-update-repo", f"{folder}/repository")
        self.flatpak("remote-add", "--user", "--no-gpg-verify", "local", f"{folder}/repository")
        self.flatpak("install", "--user", "--assumeyes", "--noninteractive", "local", f"{RUNTIME}//1", f"{APP}//1")

    def make_runtime(self):
        root = f"{self.folder}/runtime"
        for name in ("usr/bin", "usr/lib", "files"):
            os.makedirs(f"{root}/{name}")
        self.write(f"{root}/metadata", RUNTIME_METADATA)
        for name in PROGRAMS:
            program = shutil.which(name)
            shutil.copy(program, f"{root}/usr/bin/{name}")
            listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
            for library in re.findall(r"(/\S+) \(0x", listed):
                # /lib and the like are links to /usr/lib there.
                place = re.sub(r"^(/usr)?/", f"{root}/usr/", library)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy(library, place)
        self.flatpak("build-export", "--runtime", "--no-update-summary", f"{self.folder}/repository", root, "1")

    def make_app(self):
        root = f"{self.folder}/app"
        for name in ("files/bin", "export"):
            os.makedirs(f"{root}/{name}")
        self.write(f"{root}/metadata", APP_METADATA)
        self.write(f"{root}/files/bin/phone", '#!/bin/sh\nexec "$@"\n')
        os.chmod(f"{root}/files/bin/phone", 0o755)
        self.flatpak("build-export", "--no-update-summary", f"{self.folder}/repository", root, "1")

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def flatpak(self, *arguments):
        done = subprocess.run(["flatpak", *arguments], env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"flatpak {' '.join(arguments)}: {done.stderr}"

    def command(self, system, *options):
        """The beginning of a command line that runs the rest in the app, and its environment."""
        return (["flatpak", "run", "--user", "--no-a11y-bus", "--no-documents-portal", *options, APP],
                {**self.environment, "DBUS_SESSION_BUS_ADDRESS": system.address})
