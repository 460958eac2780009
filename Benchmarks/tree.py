"""The processes of one measurement: a private bus, the floors, the daemon; and what /proc tells about them."""

import os
import subprocess
import time

import dbus

NAME = "org.opencallkit.CallSystem1"
#: Options of a daemon that is to make more calls in a second than anybody may.
HURRY = ("--new-calls-per-second", "1000000")
ROOT = "/org/opencallkit/CallSystem1"
CALL = "org.opencallkit.Call1"
PROVIDER = "org.opencallkit.Provider1"
PLUGIN = "org.opencallkit.Plugin1"
PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
PATIENCE = 60
HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(HERE)
PROGRAMS = ("floor", "client", "moments")


class Failure(Exception):
    """The benchmark cannot go on."""


def compile_programs(folder):
    """Builds the C programs beside this file into `folder`, which is made."""
    os.makedirs(folder, exist_ok=True)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], check=True, capture_output=True, text=True)
    for program in PROGRAMS:
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=gnu17", "-Wall", "-Wextra", f"{HERE}/{program}.c",
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
    """A bus and what runs on it, all on one CPU if it is `pinned`. Ends everything on leaving."""

    def __init__(self, folder, pinned=False):
        compile_programs(folder)
        self.folder = folder
        self.prefix = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] if pinned else []
        self.processes = []

    def __enter__(self):
        home = f"{self.folder}/home"
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
        """Runs one of the C programs: the numbers that it prints, line by line."""
        run = subprocess.run([*self.prefix, f"{self.folder}/{program}", *map(str, arguments)], env=self.environment,
                             stdout=subprocess.PIPE, stderr=self.log, text=True, timeout=120)
        if run.returncode:
            raise Failure(f"{program} exited with {run.returncode}:\n{self.told()}")
        return [[int(word) for word in line.split()] for line in run.stdout.splitlines()]

    def moment(self, what, *arguments):
        """What `moments` measures, once, in ms."""
        return self.measure("moments", what, 1, *arguments)[0][0] / 1e6

    def start_floor(self):
        """How long a service in C takes from its start until it owns a name, in ms."""
        return self.moment("start", "bench.Start", f"{self.folder}/floor", "bench.Start")

    def call(self, path, interface, method, signature="", *arguments, timeout=25):
        return self.bus.call_blocking(NAME, path, interface, method, signature, arguments, timeout=timeout)

    def get(self, path, interface, name):
        return self.call(path, PROPERTIES, "Get", "ss", interface, name)

    @staticmethod
    def child(pid, program):
        """The process of `program` that a process has started."""
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            for number in map(int, file.read().split()):
                if os.path.basename(os.readlink(f"/proc/{number}/exe")) == program:
                    return number
        raise Failure(f"no {program}")

    def pid(self, plugin):
        """The worker of a plugin."""
        return int(self.get(f"{ROOT}/plugins/{plugin}", PLUGIN, "Pid"))

    def await_property(self, path, interface, name, test):
        """Waits until a property, which need not be there yet, is as wanted."""
        def is_so():
            try:
                return test(self.get(path, interface, name))
            except dbus.DBusException:
                return False
        until(is_so, f"{name} of {path}")

    def await_provider(self, name):
        self.await_property(f"{ROOT}/providers/{name}", PROVIDER, "State", lambda state: state == "ready")

    def incoming(self, provider, handle="generic:bench"):
        """The path of a new ringing call."""
        return call_path(self.call(f"{ROOT}/providers/{provider}", PROVIDER, "PerformCustomAction", "sa{sv}",
                                   "simulate-incoming", {"handle": handle}))

    def await_no_calls(self):
        until(lambda: not any(str(path).startswith(f"{ROOT}/calls/")
                              for path in self.call(ROOT, OBJECTS, "GetManagedObjects")), "the calls to go")


def call_path(result):
    """The call that an action of a provider has made."""
    return f"{ROOT}/calls/{str(result['call-uuid']).lower().replace('-', '_')}"


def context_switches(pid):
    """How often the threads of a process have been put to sleep or aside."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as status:
            total += sum(int(line.split()[1]) for line in status if "ctxt_switches" in line)
    return total


def kibibytes(pid, file, key):
    """The value of `key` in one of a process's files of /proc that count in kB."""
    with open(f"/proc/{pid}/{file}", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def anonymous(pid):
    """The memory of a process that is no file's, in bytes. Pages of a library that was just copied count as dirty."""
    return kibibytes(pid, "smaps_rollup", "Anonymous") * 1024


def wake_ups(pid, settle, seconds):
    """How often the threads of a process run in so many seconds, after it has settled."""
    time.sleep(settle)
    before = context_switches(pid)
    time.sleep(seconds)
    return context_switches(pid) - before
