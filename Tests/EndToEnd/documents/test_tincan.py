"""The plugin of the article "A provider for a real network", with a real far end: what certify says of it, and calls."""

import contextlib
import json
import os
import shutil
import socket
import subprocess

import dbus

from plugins.case import PluginTest
from plugins.certification import QUICK, certify, points
from support.messages import variants
from support.system import BUILD, CALL, IDENTITY, PROVIDER, REPOSITORY, ROOT
from support.waiting import wait_until

EXAMPLE = os.path.join(REPOSITORY, "Examples", "Tincan")
CALLCTL = os.path.join(BUILD, "callctl")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def assemble(folder):
    """The bundle, as the article's commands make it, put into the folder by one rename."""
    bundle, new = os.path.join(folder, "Tincan.callplugin"), os.path.join(folder, ".Tincan.new")
    shutil.copytree(os.path.join(EXAMPLE, "Resources"), new)
    shutil.copy(os.path.join(BUILD, "libTincanPlugin.so"), os.path.join(new, "Tincan.so"))
    os.rename(new, bundle)
    return bundle


class FarEnd:
    """A can in the test's hands."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.line = ("127.0.0.1", port)
        self.call = ""

    @property
    def port(self):
        return self.socket.getsockname()[1]

    def say(self, verb, *rest):
        self.socket.sendto(" ".join((verb, self.call, *rest)).encode(), self.line)

    def hear(self, verb):
        """Waits for this message, which must be the next one; returns the words behind the call's name."""
        def packet():
            with contextlib.suppress(BlockingIOError):
                return self.socket.recv(1500).decode()
        said, self.call, *rest = wait_until(packet, f"the far end heard no {verb}").split()
        assert said == verb, f"the far end heard {said} instead of {verb}"
        return rest


class Certified(PluginTest):
    def test_it_is_certified(self):
        folder, port, far = self.system.folder.name, free_port(), free_port()
        settings = os.path.join(folder, "account.conf")
        with open(settings, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(f"name = ada\nport = {port}\n")
        can = subprocess.Popen([os.path.join(EXAMPLE, "can.py"), str(far)], stdout=subprocess.DEVNULL)
        self.addCleanup(can.wait)
        self.addCleanup(can.kill)
        code, output, errors = certify(assemble(folder), "--json", *QUICK, "--settings", settings,
                                       "--handle", f"tincan:echo@127.0.0.1:{far}")
        told = points(output)
        self.assertEqual((code, errors), (0, ""), [point for point in told.values() if point["result"] == "failed"])
        for name in ("account", "ringtone", "connect", "hold", "dtmf", "second-call", "custom-actions", "reset",
                     "account-removed", "restart-in-call"):
            self.assertEqual(told[name]["result"], "passed", name)


class Calls(PluginTest):
    def setUp(self):
        super().setUp()
        self.port = free_port()
        self.far = FarEnd(self.port)
        self.addCleanup(self.far.socket.close)
        assemble(self.folder)
        self.wait_for("Tincan", "ready")

    def callctl(self, *words):
        done = self.system.run(CALLCTL, *words)
        self.assertEqual(done.status, 0, done.errors)
        return done.text

    def connect(self):
        self.callctl("accounts", "add", "Tincan", "name=ada", f"port={self.port}")
        return self.wait_line("online")

    def wait_line(self, availability):
        """Waits for the account's provider to be so."""
        def line():
            return next((path for path, values in self.system.objects.items()
                         if values.get("LocalizedName") == "Tincan (ada)" and values.get("Availability") == availability), None)
        return wait_until(line, f"no line is {availability}")

    def dial(self, name):
        return self.start_call(f"tincan:{name}@127.0.0.1:{self.far.port}")

    def ended(self, call):
        values = self.system.get_all(call, CALL)
        return values["EndReason"], values["EndDetail"], values["EndCode"]

    def active(self):
        pending = self.dial("echo")
        self.assertEqual(self.far.hear("call"), ["echo", "ada"])
        self.far.say("ringing")
        call = pending.result()
        self.far.say("answer")
        self.wait_state(call, "active")
        return call

    def test_a_call(self):
        self.connect()
        pending = self.dial("echo")
        self.assertEqual(self.far.hear("call"), ["echo", "ada"])
        self.far.say("ringing")
        call = pending.result()
        wait_until(lambda: self.system.shown(call, "Progress") == "alerting", "it does not ring there")
        self.assertEqual(self.property(call, "Handle", IDENTITY), ("generic", f"tincan:echo@127.0.0.1:{self.far.port}"))
        self.far.say("answer")
        self.wait_state(call, "active")
        self.hold(call).result()
        self.far.hear("hold")
        self.resume(call).result()
        self.far.hear("resume")
        self.far.say("hold")
        wait_until(lambda: self.system.shown(call, "RemoteHeld"), "the far side's hold is not shown")
        self.system.call(call, CALL, "PlayDTMF", "s", "12").result()
        self.assertEqual(self.far.hear("tones"), ["12"])
        self.far.say("bye")
        self.assertEnded(call, "remote-ended", "remote")

    def test_starts_that_fail(self):
        self.connect()
        for count, (answer, detail) in enumerate((("busy", "busy"), ("unknown", "network"), (None, "network"))):
            with self.subTest(answer=answer):
                pending = self.dial("echo")
                self.far.hear("call")
                if answer:
                    self.far.say(answer)
                pending.wait()
                self.assertEqual(pending.error_name, "org.opencallkit.Error.ActionFailed", pending.error_text)
                wait_until(lambda: len(self.system.told("CallEnded")) > count, "no call has ended")
                call = self.system.told("CallEnded")[-1].arguments[0]
                self.assertEqual(self.ended(call)[:2], ("failed", detail))

    def test_a_decline_far_away(self):
        self.connect()
        pending = self.dial("echo")
        self.far.hear("call")
        self.far.say("ringing")
        call = pending.result()
        self.far.say("decline")
        self.assertEnded(call, "remote-ended", "remote")
        self.assertEqual(self.ended(call), ("remote-ended", "rejected", "decline"))

    def ring(self, caller="bob"):
        self.far.call = "1"
        self.far.say("call", "ada", caller)
        return wait_until(lambda: next((path for path, values in self.system.objects.items()
                                        if values.get("State") == "ringing"), None), "nothing rings")

    def test_callers(self):
        self.connect()
        call = self.ring()
        self.far.hear("ringing")
        who = self.system.get_all(call, IDENTITY)
        self.assertEqual((who["Handle"], who["CallerName"]),
                         (("generic", f"tincan:bob@127.0.0.1:{self.far.port}"), "bob"))
        self.answer(call).result()
        self.far.hear("answer")
        self.end(call).result()
        self.far.hear("bye")
        self.far.say("call", "carol", "bob")
        self.far.hear("unknown")
        call = self.ring()
        self.far.hear("ringing")
        self.reject(call).result()
        self.far.hear("decline")

    def test_a_worker_that_ends_says_bye(self):
        self.connect()
        self.active()
        self.callctl("plugins", "disable", "Tincan")
        self.far.hear("bye")

    def test_an_account_that_is_removed_says_bye(self):
        self.connect()
        self.active()
        account, = json.loads(self.callctl("accounts", "--json"))
        self.callctl("accounts", "remove", str(account["id"]), "--yes")
        self.far.hear("bye")

    def test_a_port_that_is_taken(self):
        other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        other.bind(("0.0.0.0", self.port))
        with other:
            self.system.run(CALLCTL, "accounts", "add", "Tincan", "name=ada", f"port={self.port}")
            line = self.wait_line("offline")
            self.assertEqual(self.property(line, "Status", PROVIDER), f"port {self.port}: Address already in use")
        self.system.call(line, PROVIDER, "PerformCustomAction", "sa{sv}", "reconnect", variants({})).result()
        self.wait_line("online")


del PluginTest
