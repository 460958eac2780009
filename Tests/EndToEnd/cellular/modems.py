"""Modems for tests: a bus in the place of the system's, the real ModemManager or ofonod on it, and wires to AT modems."""

import os
import subprocess
import tempfile
import uuid

import dbus
import dbus.bus

from cellular.at_modem import AtModem
from support.messages import Pending
from support.system import BUILD, BUS_CONFIGURATION, PROPERTIES, REPOSITORY
from support.waiting import GIVE_UP, exited, wait_until

MM = "org.freedesktop.ModemManager1"
MM_ROOT = "/org/freedesktop/ModemManager1"
MODEM = f"{MM}.Modem"
VOICE = f"{MODEM}.Voice"
OFONO = "org.ofono"
UNPACKED = os.path.join(REPOSITORY, ".build", "ofono", "usr", "sbin", "ofonod")
OFONOD = UNPACKED if os.path.exists(UNPACKED) else "/usr/sbin/ofonod"
"""Debian 13's ofono 2.16 excludes modemmanager, which the machine may need: there it is unpacked, not installed."""


def bundle(folder):
    """Puts the plugin into a folder, and returns the folder."""
    subprocess.run(["sh", os.path.join(REPOSITORY, "Plugins", "bundle.sh"), BUILD, folder, "Cellular"], check=True,
                   stdout=subprocess.DEVNULL)
    return folder


class ServiceBus:
    """A private bus for the services of the machine, at the address that `System` puts into its environment."""

    def __init__(self, system):
        self.environment = system.environment
        self.address = self.environment["DBUS_SYSTEM_BUS_ADDRESS"]
        self.socket = self.address.removeprefix("unix:path=")
        self.start()

    def start(self):
        with open(f"{self.socket}.conf", "w", encoding="utf-8") as file:
            file.write(BUS_CONFIGURATION.format(socket=self.socket, services="", policy=""))
        self.broker = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.socket}.conf", "--nofork", "--nopidfile", "--print-address"],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.broker.stdout.readline()
        self.bus = dbus.bus.BusConnection(self.address)
        self.bus.set_exit_on_disconnect(False)

    def restart(self):
        """Kills the bus, and starts it again at the same address, with nobody on it."""
        self.bus.close()
        self.broker.kill()
        self.broker.wait()
        self.broker.stdout.close()
        os.unlink(self.socket)
        self.start()

    def call(self, name, path, interface, member, signature="", *arguments):
        pending = Pending(f"{interface}.{member}{arguments!r:.200}")
        self.bus.call_async(
            name, path, interface, member, signature, arguments, pending.succeed, pending.fail, GIVE_UP)
        return pending

    def get(self, name, path, interface, member):
        return self.call(name, path, PROPERTIES, "Get", "ss", interface, member).result()

    def is_owned(self, name):
        return self.bus.name_has_owner(name)

    def stop(self):
        self.bus.close()
        self.broker.terminate()
        exited(self.broker)
        self.broker.stdout.close()


class ModemManager:
    """The real ModemManager, whose modems are those that the test plugs in."""

    def __init__(self, bus):
        self.bus = bus
        self.process = None
        self.modems = {}
        """AT modems by the object path of ModemManager."""
        self.log = tempfile.TemporaryFile()

    def start(self):
        self.process = subprocess.Popen(
            ["ModemManager", "--test-session", "--test-enable", "--test-no-udev", "--test-no-qrtr",
             "--test-no-suspend-resume", "--no-auto-scan", "--debug"],
            env={**self.bus.environment, "DBUS_SESSION_BUS_ADDRESS": self.bus.address},
            stdout=self.log, stderr=self.log)
        wait_until(lambda: self.bus.is_owned(MM), "ModemManager has no name", every=0.05)
        return self

    def plug(self, enable=True, **values):
        """Plugs in a modem, and returns it and its object path."""
        name = f"opencallkit-{uuid.uuid4().hex}"
        modem = AtModem(f"abstract:{name}")
        for key, value in values.items():
            setattr(modem, key, value)
        before = set(self.paths())
        self.bus.call(MM, MM_ROOT, f"{MM}.Test", "SetProfile", "ssas", name, "generic",
                      [f"abstract:{name}"]).result()
        wait_until(lambda: set(self.paths()) - before, "there is no modem", every=0.1)
        path = (set(self.paths()) - before).pop()
        self.modems[path] = modem
        if enable:
            self.enable(path)
        return modem, path

    def enable(self, path, on=True):
        wait_until(lambda: self.bus.get(MM, path, MODEM, "State") not in (1, 0), "it is not initialized", every=0.1)
        return self.bus.call(MM, path, MODEM, "Enable", "b", on).result()

    def paths(self):
        """The modems that ModemManager has."""
        managed = self.bus.call(MM, MM_ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects").result()
        return [str(path) for path, interfaces in managed.items() if MODEM in interfaces]

    def call_states(self, path):
        """The states of the calls that have not ended, as ModemManager numbers them."""
        answers = [self.bus.call(MM, call, PROPERTIES, "Get", "ss", f"{MM}.Call", "State").wait()
                   for call in self.voice(path, "ListCalls").result()]
        return [int(answer.value) for answer in answers if answer.error is None and answer.value != 7]

    def wait_in_call(self):
        """Waits until ModemManager listens to what the modem says in a call, which begins a little after it is active."""
        def listens():
            log = self.read_log()
            return log.rfind("modem is now in-call state") > log.rfind("modem is no longer in-call state")
        wait_until(listens, "ModemManager does not know that there is a call", every=0.02)

    def voice(self, path, member, signature="", *arguments):
        return self.bus.call(MM, path, VOICE, member, signature, *arguments)

    def read_log(self):
        return os.pread(self.log.fileno(), 1 << 24, 0).decode(errors="replace")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        self.kill()
        for modem in self.modems.values():
            modem.close()
        self.log.close()


class Ofono:
    """The real ofonod, whose only modem is that of its plugin for simulated phones."""

    path = "/phonesim"

    def __init__(self, bus):
        self.bus = bus
        self.process = None
        self.modem = None

    def start(self):
        return self

    def plug(self, enable=True, **values):
        """Plugs in the modem, and returns it and its object path."""
        self.modem = AtModem(0)
        for key, value in values.items():
            setattr(self.modem, key, value)
        configuration = f"{self.bus.socket}.phonesim"
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"[phonesim]\nAddress=127.0.0.1\nPort={self.modem.port}\n")
        self.run(configuration)
        if enable:
            self.set("Powered", True)
            self.set("Online", True)
            # The first list of calls replaces what ofonod knows. A call that rang before and has ended never ends for it.
            wait_until(lambda: self.modem.sent("+CLCC"), "ofonod does not ask for the list of calls", every=0.01)
        return self.modem, self.path

    def run(self, configuration=None):
        configuration = configuration or f"{self.bus.socket}.phonesim"
        self.process = subprocess.Popen(
            [OFONOD, "-n"], env={**self.bus.environment, "OFONO_PHONESIM_CONFIG": configuration},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.bus.is_owned(OFONO), "ofonod has no name", every=0.05)

    def set(self, name, value):
        self.bus.call(OFONO, self.path, f"{OFONO}.Modem", "SetProperty", "sv", name, dbus.Boolean(value)).result()

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        self.kill()
        if self.modem is not None:
            self.modem.close()
