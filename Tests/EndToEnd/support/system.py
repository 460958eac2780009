"""The whole system on a private bus: dbus-daemon, callkitd, and the messages on the bus.

Nothing here sleeps: `wait_until` runs the GLib loop until a condition holds, and looks again after each event.
"""

import os
import signal
import subprocess
import tempfile

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.mainloop.glib

from support import contract
from support.messages import Event, Output, Pending
from support.waiting import GIVE_UP, PATIENCE, Late, exited, wait_gone, wait_until

NAME = "org.opencallkit.CallSystem1"
ROOT = "/org/opencallkit/CallSystem1"
AUDIO = f"{ROOT}/audio"
FAVORITES = f"{ROOT}/favorites"
RECENTS = f"{ROOT}/recents"
DIRECTORY = f"{ROOT}/directory"
SYSTEM = "org.opencallkit.CallSystem1"
CALL = "org.opencallkit.Call1"
IDENTITY = "org.opencallkit.CallIdentity1"
PROVIDER = "org.opencallkit.Provider1"
HOST = "org.opencallkit.ProviderHost1"
PLUGIN = "org.opencallkit.Plugin1"
AUDIO_SESSION = "org.opencallkit.AudioSession1"
FAVORITES1 = "org.opencallkit.Favorites1"
RECENTS1 = "org.opencallkit.Recents1"
DIRECTORY1 = "org.opencallkit.Directory1"
RULES1 = "org.opencallkit.Rules1"
EXTENSION1 = "org.opencallkit.DirectoryExtension1"
PEER = "org.freedesktop.DBus.Peer"
PROPERTIES = "org.freedesktop.DBus.Properties"
MANAGER = "org.freedesktop.DBus.ObjectManager"

REPOSITORY = contract.REPOSITORY
BUILD = os.path.abspath(os.environ.get("OPENCALLKIT_BUILD") or os.path.join(REPOSITORY, ".build", "debug"))
PLUGINS = os.path.abspath(os.environ.get("OPENCALLKIT_PLUGINS") or os.path.join(REPOSITORY, ".build", "plugins"))

REPLAYS = os.environ.get("OPENCALLKIT_RECORD") == "1"
"""True if the recording of each session is replayed, which must have the same effects."""
MOST = 1 << 20
"""Bytes of a recording that a failure keeps, the last ones."""

PAGES = max(1, os.sysconf("SC_PAGE_SIZE") // 4096)
"""How many times larger a page of this machine is than 4 KiB. Limits of memory grow with it."""

BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>{services}
  <policy context="default">{policy}
    <allow send_destination="*" eavesdrop="true"/>
    <allow send_requested_reply="false" send_type="method_return"/>
    <allow send_requested_reply="false" send_type="error"/>
    <allow receive_requested_reply="false"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_replies_per_connection">50000</limit>
  <limit name="max_connections_per_user">1000</limit>
</busconfig>
"""

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)


DOCUMENTED = {(interface.name, member.name): member.errors for interface in contract.files().values()
              for member in interface.of_kind("method")}
"""The `Errors:` lists of the contract."""


class System:
    """A private bus with a daemon on it, watched from the first moment."""

    def __init__(self, *arguments, with_plugins=False, services=None, wrapper=(), policy=""):
        self.arguments = [*arguments, "--plugin-path", PLUGINS] if with_plugins else list(arguments)
        self.with_plugins = with_plugins
        self.wrapper = wrapper
        self.policy = policy
        """More rules of the bus, in XML."""
        self.services = services
        """A folder of services that the bus may start."""
        self.events = []
        self.objects = {}
        self.daemon = None
        self.broker = None
        self.bus = None
        self.log = ""
        self.recording = ""
        self.connections = []
        self.recordings = []
        self.undocumented = []
        """Error replies that the contract does not list."""

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.folder = tempfile.TemporaryDirectory(prefix="opencallkit-")
        home = self.folder.name
        self.socket = f"{home}/bus"
        self.address = f"unix:path={self.socket}"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENCALLKIT_")}
        self.environment.update(
            HOME=home, XDG_DATA_HOME=f"{home}/data", XDG_RUNTIME_DIR=home, XDG_DATA_DIRS=f"{home}/system",
            XDG_CONFIG_HOME=f"{home}/config", DBUS_SESSION_BUS_ADDRESS=self.address,
            DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={home}/system-bus", LC_ALL="C.UTF-8")
        if os.geteuid():
            # Tests look into /proc of our processes, which is root's alone otherwise.
            self.environment["OPENCALLKIT_DEBUGGABLE"] = "1"
        with open(f"{home}/bus.conf", "w", encoding="utf-8") as file:
            services = f"\n  <servicedir>{self.services}</servicedir>" if self.services else ""
            file.write(BUS_CONFIGURATION.format(socket=self.socket, services=services, policy=self.policy))
        self.start_bus()
        self.start_daemon()

    def start_bus(self):
        self.broker = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.folder.name}/bus.conf", "--nofork", "--nopidfile",
             "--print-address"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.broker.stdout.readline()
        self.bus = self.connect()
        self.bus.add_match_string(f"type='signal',sender='{NAME}'")
        self.bus.add_message_filter(self.take)
        self.owner = ""
        self.bus.watch_name_owner(NAME, self.note_owner)

    def start_daemon(self):
        arguments = list(self.arguments)
        if "--record" not in arguments:
            self.recordings.append(f"{self.folder.name}/{len(self.recordings)}.scenario")
            arguments += ["--record", self.recordings[-1]]
        with open(f"{self.folder.name}/log", "ab") as log:
            self.daemon = subprocess.Popen([*self.wrapper, f"{BUILD}/callkitd", *arguments], env=self.environment, stderr=log)
        wait_until(lambda: self.owner or self.daemon.poll() is not None, "the name is not owned")
        if self.daemon.poll() is not None:
            raise AssertionError(f"callkitd ended with status {self.daemon.returncode}")
        if self.with_plugins:
            self.wait_ready("Hotline", "MonkeyCall")

    def restart_bus(self):
        """Kills the bus, starts it again at the same address, and waits for the daemon."""
        self.restart_bus_only()
        wait_until(lambda: self.owner, "the name is not owned again")

    def restart_bus_only(self):
        self.broker.kill()
        self.broker.wait()
        self.broker.stdout.close()
        for connection in self.connections:
            connection.close()
        self.connections = []
        os.unlink(self.socket)
        self.objects = {}
        self.start_bus()

    def forget_connections(self):
        """Closes all connections except the first; they belong to clients of a daemon that has gone."""
        for connection in self.connections[1:]:
            connection.close()
        del self.connections[1:]
        self.objects = {}
        self.events = []

    def stop(self):
        """Ends the remaining processes, daemon first, without checks."""
        for process in (self.daemon, self.broker):
            if process is not None and process.poll() is None:
                process.terminate()
                try:
                    exited(process, 10)
                except Late:
                    process.kill()
                    process.wait()
        if self.broker is not None:
            self.broker.stdout.close()
        for connection in self.connections:
            connection.close()
        self.log, self.recording = self.read_log(), self.read_recording()
        self.end_services()
        self.folder.cleanup()

    def end_services(self):
        """Ends what the bus has started. It outlives the bus for a while, and writes to the folder until then."""
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/environ", "rb") as file:
                    if f"={self.folder.name}".encode() not in file.read():
                        continue
                os.kill(int(process), signal.SIGKILL)
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            wait_gone(int(process), "which the bus has started")

    def read_log(self):
        try:
            with open(f"{self.folder.name}/log", encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return self.log

    def read_recording(self):
        """The end of the recording of the latest session."""
        try:
            with open(self.recordings[-1], "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - MOST))
                return file.read().decode(errors="replace")
        except (IndexError, FileNotFoundError):
            return ""

    def wait_logged(self, text):
        """Waits until the log has `text`. A line in a log is no event on the bus, so the log is looked at again."""
        wait_until(lambda: text in self.read_log(), f"not in the log: {text}", every=0.05)

    def connect(self):
        connection = dbus.bus.BusConnection(self.address)
        connection.set_exit_on_disconnect(False)
        self.connections.append(connection)
        return connection

    # Signals of the bus

    def note_owner(self, owner):
        self.owner = str(owner)

    def take(self, _, message):
        ours = (message.get_path() or "").startswith(ROOT)
        if message.get_type() == dbus.lowlevel.MESSAGE_TYPE_SIGNAL and ours:
            event = Event(message)
            self.events.append(event)
            self.follow(event)
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def follow(self, event):
        if event.member == "InterfacesAdded":
            path, interfaces = event.arguments
            for values in interfaces.values():
                self.objects.setdefault(str(path), {}).update(values)
        elif event.member == "InterfacesRemoved":
            self.objects.pop(str(event.arguments[0]), None)
        elif event.member == "PropertiesChanged":
            self.objects.setdefault(event.path, {}).update(event.arguments[1])

    def told_since(self, count):
        """The signals after the first `count`, except the store's, which come whenever it is ready."""
        return [event for event in self.events[count:] if event.path not in (RECENTS, FAVORITES, DIRECTORY)]

    def told(self, member, *arguments):
        """The signals of this name that begin with these arguments."""
        return [event for event in self.events
                if event.member == member and event.arguments[:len(arguments)] == list(arguments)]

    def shown(self, path, name):
        """A property, by the latest signal."""
        return self.objects.get(str(path), {}).get(name)

    def states(self, path):
        """The states of a call, in order."""
        states = []
        for event in self.events:
            values = {}
            if event.member == "InterfacesAdded" and event.arguments[0] == path:
                values = event.arguments[1].get(CALL, {})
            elif event.member == "PropertiesChanged" and event.path == path and event.arguments[0] == CALL:
                values = event.arguments[1]
            if "State" in values and states[-1:] != [values["State"]]:
                states.append(str(values["State"]))
        return states

    # Actions of clients

    def call(self, path, interface, member, signature="", *arguments, connection=None, seconds=GIVE_UP, name=NAME):
        pending = Pending(f"{interface}.{member}{arguments!r:.200}", DOCUMENTED.get((interface, member)),
                          self.undocumented)
        (connection or self.bus).call_async(
            name, path, interface, member, signature, arguments, pending.succeed, pending.fail, seconds)
        return pending

    def get(self, path, interface, property_name, name=NAME):
        return self.call(path, PROPERTIES, "Get", "ss", interface, property_name, name=name).result()

    def get_all(self, path, interface):
        return self.call(path, PROPERTIES, "GetAll", "s", interface).result()

    def managed(self):
        return self.call(ROOT, MANAGER, "GetManagedObjects").result()

    def sync(self, connection=None):
        """Returns when all messages that the daemon sent to this connection have been handled."""
        self.call(ROOT, PEER, "Ping", connection=connection).result()

    def wait_ready(self, *providers):
        """Waits for plugins' providers."""
        wait_until(lambda: all(self.shown(f"{ROOT}/providers/{provider}", "State") == "ready"
                               for provider in providers),
                   lambda: f"not ready: {providers}, there is {sorted(self.objects)}, {self.read_log()}")

    def run(self, *command, seconds=PATIENCE, **environment):
        """Runs a command on this bus while the loop continues to run."""
        with tempfile.TemporaryFile() as text, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command, env={**self.environment, **environment}, stdin=subprocess.DEVNULL, stdout=text, stderr=errors)
            try:
                status = exited(process, seconds)
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            text.seek(0)
            errors.seek(0)
            return Output(status, text.read().decode(), errors.read().decode())

    def replay(self):
        """The errors of the replays of the recordings."""
        replays = [subprocess.run([f"{BUILD}/callctl", "replay", "--quiet", path], capture_output=True, text=True,
                                  check=False) for path in self.recordings if REPLAYS]
        return "".join(replay.stderr for replay in replays)

    def memory(self):
        """The daemon's resident memory in KiB."""
        with open(f"/proc/{self.daemon.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
