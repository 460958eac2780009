"""A Debian without a toolchain, in which packages are installed and used by an ordinary user."""

import glob
import os
import shutil
import subprocess
import tempfile

from support.system import REPOSITORY
from support.waiting import wait_until

PACKAGES = f"{REPOSITORY}/.build/packages"
BASE = f"{REPOSITORY}/.build/debian-root"
USER = "user"

# A root that was entered by pivot_root, and not by chroot, may have user namespaces, in which plugins are confined.
ENTER = """
mount --bind "$0" "$0"
for folder in /proc /dev /sys; do mount --rbind "$folder" "$0$folder"; done
mkdir -p "$0/.before"
cd "$0"
pivot_root . .before
umount -l /.before
exec "$@"
"""


def make_base():
    """Makes the root that tests copy, unless it is there."""
    if os.path.exists(f"{BASE}/home/{USER}"):
        return
    with open("/etc/os-release", encoding="utf-8") as file:
        release = dict(line.strip().split("=", 1) for line in file if "=" in line)["VERSION_CODENAME"]
    shutil.rmtree(BASE, ignore_errors=True)
    mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
    subprocess.run(["debootstrap", "--variant=minbase", release, BASE, mirror], check=True, stdout=subprocess.DEVNULL)
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", f"{BASE}/etc/{name}")
    with open(f"{BASE}/usr/sbin/policy-rc.d", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 101\n")
    os.chmod(f"{BASE}/usr/sbin/policy-rc.d", 0o755)
    root = DebianRoot(BASE)
    root.run("apt-get", "update", "-qq")
    root.run("apt-get", "install", "-qq", "--no-install-recommends", "dbus", "ca-certificates")
    root.run("useradd", "--create-home", USER)
    root.leave()


class DebianRoot:
    """A root whose programs run as root, or as the user on a bus of the user's."""

    def __init__(self, path):
        self.path = path
        self.bus = None
        # All programs have the mounts of this one. The daemon takes a program with others for one in a sandbox.
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec", ENTER, path, "sh", "-c", "echo; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdout.readline()

    @classmethod
    def copy(cls):
        """A copy of the base."""
        make_base()
        folder = tempfile.mkdtemp(prefix="opencallkit-debian-")
        subprocess.run(["cp", "-a", f"{BASE}/.", folder], check=True)
        return cls(folder)

    def command(self, *arguments):
        return ["nsenter", "--target", str(self.holder.pid), "--mount", "--wd=/", *arguments]

    def run(self, *arguments):
        """What a program of root's prints."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LANG": "C.UTF-8",
                       "HOME": "/root"}
        done = subprocess.run(self.command(*arguments), env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def as_user(self, *arguments):
        settings = ["HOME=/home/user", "LANG=C.UTF-8", "XDG_RUNTIME_DIR=/run/user/1000"]
        if self.bus is not None:
            settings.append("DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus")
        return self.command("runuser", "-u", USER, "--", "env", "-i", "PATH=/usr/bin:/bin", *settings, *arguments)

    def begin_session(self):
        """Starts the user's session bus, which starts the daemon when it is asked for."""
        self.run("install", "-d", "-m", "700", "-o", USER, "/run/user/1000")
        address = "--address=unix:path=/run/user/1000/bus"
        self.bus = subprocess.Popen(self.as_user("dbus-daemon", "--session", "--nofork", "--nosyslog", address),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(f"{self.path}/run/user/1000/bus"), "the user has no bus")

    def callctl(self, *arguments, given=""):
        """What callctl prints for the user."""
        done = subprocess.run(self.as_user("callctl", *arguments), input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"callctl {arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def processes(self, name):
        """The numbers of the programs of this root."""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                program = os.readlink(f"/proc/{number}/exe")
                mounts = os.readlink(f"/proc/{number}/ns/mnt")
                if os.path.basename(program) == name and mounts == os.readlink(f"/proc/{self.holder.pid}/ns/mnt"):
                    found.append(int(number))
            except OSError:
                continue
        return found

    def end_session(self):
        """Ends the bus, and with it all that it has started."""
        for number in self.processes("callkitd") + self.processes("callkit-desktop"):
            os.kill(number, 15)
        wait_until(lambda: not self.processes("callkitd"), "the daemon goes on")
        self.bus.terminate()
        self.bus.wait()
        self.bus = None
        self.run("rm", "-rf", "/run/user/1000")

    def leave(self):
        """Nothing of the root runs any more."""
        if self.bus is not None:
            self.end_session()
        self.holder.communicate()

    def remove(self):
        self.leave()
        shutil.rmtree(self.path, ignore_errors=True)


def packages(*names):
    """The files of packages."""
    return [glob.glob(f"{PACKAGES}/{name}_*.deb")[0] for name in names]
