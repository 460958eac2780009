"""The processes of one measurement: a private bus, the floors, the daemon; and what /proc tells about them."""

import os
import subprocess
import time

import dbus

NAME = "org.opencallkit.CallSystem1"
ROOT = "/org/opencallkit/CallSystem1"
PATIENCE = 60
PROGRAMS = ("floor", "client", "moments")


class Failure(Exception):
    """The benchmark cannot go on."""


def compile_programs(folder):
    """Builds the C programs beside this file into `folder`."""
    here = os.path.dirname(os.path.abspath(__file__))
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], check=True, capture_output=True, text=True)
    for program in PROGRAMS:
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=gnu17", "-Wall", "-Wextra", f"{here}/{program}.c",
                        "-o", f"{folder}/{program}", *flags.stdout.split()], check=True)


def until(condition, what):
    """The first true value of `condition`, asked every 5 ms."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise Failure(f"waited {PATIENCE} s for {what}")


class Tree:
    """A bus and what runs on it, all on one CPU if `cpu` is a number. Ends everything on leaving."""

    def __init__(self, folder, cpu=None):
        self.folder = folder
        self.cpu = cpu
        self.prefix = [] if cpu is None else ["taskset", "-c", str(cpu)]
        self.processes = []

    def __enter__(self):
        home = f"{self.folder}/home-{'free' if not self.prefix else 'pinned'}"
        os.makedirs(home, mode=0o700, exist_ok=True)
        self.environment = dict(os.environ, HOME=home, XDG_DATA_HOME=f"{home}/data", XDG_RUNTIME_DIR=home,
                                XDG_CONFIG_HOME=f"{home}/config", XDG_CACHE_HOME=f"{home}/cache", XDG_DATA_DIRS=home)
        self.environment.pop("OPENCALLKIT_PLUGIN_PATH", None)
        # The benchmarks read /proc of our processes, which is otherwise root's alone.
        self.environment["OPENCALLKIT_DEBUGGABLE"] = "1"
        self.log = open(f"{home}/log", "wb")
        broker = self.spawn("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address",
                            stdout=subprocess.PIPE)
        address = broker.stdout.readline().decode().strip()
        if not address:
            raise Failure("dbus-daemon did not start")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        self.bus = dbus.bus.BusConnection(address)
        self.bus.set_exit_on_disconnect(False)
        return self

    def __exit__(self, *_):
        self.bus.close()
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()

    def spawn(self, *command, **options):
        process = subprocess.Popen([*self.prefix, *command], env=self.environment, stderr=self.log, **options)
        self.processes.append(process)
        return process

    def service(self, name, *command):
        """Starts a service and waits until it owns `name`."""
        process = self.spawn(*command)

        def owned():
            if process.poll() is not None:
                raise Failure(f"{command[0]} exited with {process.returncode}:\n{self.told()}")
            return self.bus.name_has_owner(name)
        until(owned, f"{name} to be owned")
        return process

    def told(self):
        """The last of what the processes wrote on standard error."""
        with open(self.log.name, errors="replace") as log:
            return log.read()[-2000:]

    def measure(self, program, *arguments):
        """Runs one of the C programs: the numbers it prints."""
        run = subprocess.run([*self.prefix, f"{self.folder}/{program}", *map(str, arguments)], env=self.environment,
                             stdout=subprocess.PIPE, stderr=self.log, text=True, timeout=120)
        if run.returncode:
            raise Failure(f"{program} exited with {run.returncode}:\n{self.told()}")
        return [int(word) for word in run.stdout.split()]

    def call(self, path, interface, method, signature="", *arguments, timeout=25):
        return self.bus.call_blocking(NAME, path, interface, method, signature, arguments, timeout=timeout)

    def get(self, path, interface, name):
        return self.call(path, "org.freedesktop.DBus.Properties", "Get", "ss", interface, name)


def context_switches(pid):
    """How often the threads of a process have been put to sleep or aside."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as status:
            total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
    return total


def kibibytes(path, key):
    """The value of `key` in one of the files of /proc that count in kB."""
    with open(path) as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f"{key}:"))
