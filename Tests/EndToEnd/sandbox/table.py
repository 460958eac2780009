"""The table of what gets through where: docs/trust.md says the same in words."""

import ctypes
import os


def landlock_version():
    """That of this kernel; 0 without Landlock."""
    return max(0, ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1))


IS_NEEDED_GUARD = landlock_version() < 6
"""Whether a plugin with the network and with sockets has a guard at the level `full`."""

# A file can be linked by a descriptor that this process itself has opened; before, that took a capability.
LINK_BY_DESCRIPTOR = (
    {"link its library by its descriptor"}
    if tuple(int(part) for part in os.uname().release.split("-")[0].split("+")[0].split(".")[:2]) >= (6, 10) else set())
# Virtual machines of some kinds have no such file.
HARDWARE = {"read what the machine is"} if os.path.exists("/sys/class/dmi/id/sys_vendor") else set()

HARMLESS = {
    "map memory that is writable and executable",
    # The numbers of processes, and a little about each: threads of one's own are asked for by the same numbers.
    "ask for the scheduler of a process", "ask for the processors of a process",
    "ask for the capabilities of a process", "ask for the time that a process used",
}
"""What every plugin can do, and what harms nobody."""

FILE_NAMES = {
    "stat a secret", "statx a secret", "ask whether a secret exists", "read an attribute of a secret",
    "ask for the limits of a folder",
}
"""The gap `file-names`."""

FILE_ATTRIBUTES = {
    "chmod a file of its bundle", "set the times of a file of its bundle", "chmod its library by its descriptor",
    "set the times of its library by its descriptor", "set an attribute of its library by its descriptor",
    "chmod the worker's program", "set the times of the worker's program",
}
"""The gap `file-attributes`: of files that may be read and belong to the user."""

THREADS = {"start 3000 threads"}
"""The gap `threads`."""

FILE_CONTENTS = {
    "read a secret of the user", "read the user's keyring", "read the permissions of plugins",
    "read another plugin's state", "read the machine id", "read a system file that is not shown",
    "list the home folder", "list the runtime folder", "list a folder in /tmp", "append to a file in home",
    "write the permissions of plugins", "create a file outside", "make a folder outside", "remove a file outside",
    "rename a file into the state folder", "rename a file out of the state folder", "create in shared memory",
    "write its own bundle", "empty a file of its bundle by opening it", "empty a file of its bundle by openat2",
    "open a secret with access mode 3", "write the worker's folder", "open a new terminal", "open /dev/fuse",
    "load a library outside", "read through a symbolic link", "read through a hard link", "read a granted file",
    "read through a link among granted files", "write a granted file", "create a file among granted files",
    "read through /proc/self/root", "read through /proc/thread-self/root", "read through /proc/self/cwd",
    "climb by changing folder", "openat2 outside", "race a symbolic link in the state folder",
    "write its library by its descriptor", "link its library by its descriptor's name",
    *LINK_BY_DESCRIPTOR, *HARDWARE,
    "read its own mounts", "read its own cgroup", "list the machine's sockets", "list the machine's connections",
    "read the daemon's arguments", "read the status of a process", "read the arguments of another worker",
    "list processes", "read a kernel setting", "read the kernel's symbols", "read the partitions",
    "read the kernel's command line", "list the machine's sockets as a thread",
    "hold 600 MiB of /dev/zero",
}
"""The gap `file-contents`: neither namespaces nor Landlock."""

PROCESSES_OF_THE_USER = {
    "read through the daemon's root", "read through another's folder", "read a file that another holds open",
    "read the daemon's environment", "read the daemon's memory map", "open the memory of a process",
    "ask for the futexes of a process",
}
"""What /proc lets a user do to the user's own processes. As root, the victim has rights that the plugin lacks."""

HOST_OF_THE_USER = {"open the memory of the parent", "read through the parent's root"}
"""The same of the host, if it is this test and the plugin's user runs it. A guard cannot be looked into."""

FILES_OF_ROOT = {"write a system folder", "write a kernel setting"}


def has_audit_user():
    """Whether a login has set the audit user; then it takes a capability to change it."""
    with open("/proc/self/loginuid", encoding="ascii") as file:
        return int(file.read()) != 0xFFFFFFFF


OWN_FILES_IN_PROC = set() if has_audit_user() else {"change its audit user"}
"""What a process may change of itself in /proc. One that nobody may look into, of an ordinary user, may not."""

GRANTED_FOLDER = {"remove a granted socket"}
GRANTED_FOLDER_WITH_NETWORK = {"listen in a granted folder"}
"""Where nothing bounds files, those of a granted folder are open as well."""

NETWORK = {
    "connect by TCP", "connect by TCP over IPv6", "connect by TCP fast open", "listen for TCP", "send UDP",
    "send UDP over IPv6", "make a netlink socket",
}
"""The permission `network`."""

FILES = {"read a granted file"}
"""The permission `files:…`. It is for reading, and links in the folder lead nowhere else."""

FILES_AND_SOCKETS = {"connect to a socket among granted files"}
"""A socket that lies in the granted folder, with a permission for sockets; a guard refuses it."""

AUDIO = {"connect to a granted socket"}
"""The permission `audio`."""

AUDIO_BY_GUARD = {"connect to PulseAudio"}
"""The same socket by the name that it has outside: where a guard connects, both names are one."""

NETWORK_AND_SOCKETS = {"listen at an abstract name"}
"""Both together: the network needs bind(), and its name lies in memory. The connected are asked for by their names."""

NONE = {
    *FILE_NAMES, *FILE_ATTRIBUTES, *FILE_CONTENTS, *PROCESSES_OF_THE_USER, *NETWORK, *THREADS, *HARMLESS,
    "kill a process", "kill everything of the user", "signal by F_SETOWN", "trace a process",
    "read the daemon's memory", "take a descriptor of a process", "change the limits of a process",
    "connect to the session bus",
    "connect to X11 by its abstract name", "send to the journal", "send a message to a path from a pair",
    "race the address of a path", "make a child", "run a shell", "run a program from memory", "make a user namespace",
    "mount in a nested namespace", "open a secret by a ring", "use the session's keyring", "call by interrupt",
    "make System V shared memory", "outlive the host", "reserve 64 GiB", "allocate 300 MiB of disk",
    "take all watchers of the user", "hold 600 MiB of shared memory", "hold 600 MiB of /dev/zero", "hide its memory",
    "hide its open files in a thread", "watch who opens programs",
}
"""Without a sandbox these get through at the least: the battery has teeth."""

GAPS = {
    "full": set(),
    "landlock": {"file-names", "file-attributes", "threads"},
    "syscalls": {"file-contents", "file-names", "file-attributes", "threads"},
}
"""What the worker's report says of each level."""

THROUGH = {
    "full": HARMLESS,
    "landlock": HARMLESS | FILE_NAMES | FILE_ATTRIBUTES | THREADS,
    "syscalls": HARMLESS | FILE_NAMES | FILE_ATTRIBUTES | THREADS | FILE_CONTENTS,
}
"""What gets through at each level, without any permission. All else is denied."""


HIDDEN = {"hide its memory"}
"""From other programs of the user; where a guard reads there, it stays as it is. Made in a worker of its own."""


def expected(level, permissions, *, has_guard, is_root, is_host_open=False):
    """All that gets through, as a set of names of attempts.

    `is_host_open`: whether the plugin's user may look into the host.
    """
    through = set(THROUGH[level])
    if level == "syscalls":
        through |= FILES_OF_ROOT if is_root else PROCESSES_OF_THE_USER
        through |= HOST_OF_THE_USER if is_host_open and not has_guard else set()
        through |= OWN_FILES_IN_PROC if is_root or has_guard else set()
        through |= GRANTED_FOLDER if "audio" in permissions else set()
        through |= GRANTED_FOLDER_WITH_NETWORK if "audio" in permissions and "network" in permissions else set()
    if is_root:
        through |= THREADS
    if "network" in permissions:
        through |= NETWORK
    if "files" in permissions:
        through |= FILES | (FILES_AND_SOCKETS if "audio" in permissions and not has_guard else set())
    if "audio" in permissions:
        through |= AUDIO
        if has_guard or level != "full":
            through |= AUDIO_BY_GUARD
        if "network" in permissions:
            through |= NETWORK_AND_SOCKETS
    return through
