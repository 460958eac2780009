"""Service codes: SendServiceCode, ReplyToServiceCode and CancelServiceCode of Provider1."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import termios

import dbus
from gi.repository import GLib

from support.case import SystemTest
from support.listener import Listener
from support.messages import variants
from support.provider import Provider
from support.system import PROVIDER
from support.terminal import CALLCTL, DONE, REFUSED, UNKNOWN, Commands
from support.waiting import exited, wait_until

MENU = {"text": "1: Balance\n2: Top up", "asks": True}
SECRET = "4711-0815"


def strings(*words):
    return dbus.Array(words, signature="s")


class ServiceCodes(SystemTest):
    def setUp(self):
        super().setUp()
        self.modem = self.add("Modem")
        self.modem.answers = {"*100#": {"text": f"Balance: {SECRET}"}, "*101#": MENU, "1": {"text": "12 euros"}}

    def add(self, name, **configuration):
        return Provider(self.system, name, delegate=f"/{name.lower()}", supported_handle_types=strings("phone-number"),
                        supports_service_codes=True, emergency_numbers=strings("112"), **configuration)

    def code(self, text, member="SendServiceCode", connection=None):
        return self.system.call(
            self.modem.path, PROVIDER, member, "sa{sv}", text, variants({}), connection=connection)

    def reply(self, text, connection=None):
        return self.code(text, "ReplyToServiceCode", connection)

    def cancel(self, connection=None):
        return self.system.call(self.modem.path, PROVIDER, "CancelServiceCode", connection=connection)


class Exchanges(ServiceCodes):
    def test_only_who_asked_reads_the_answer(self):
        other = Listener(self.system)
        self.assertEqual(self.code("*100#").result(), {"text": f"Balance: {SECRET}", "asks": False})
        self.assertEqual(self.code("*101#").result(), MENU)
        stranger = self.system.connect()
        self.assertRefused(self.reply("1", stranger), "InvalidAction")
        refused = self.code("*100#", connection=stranger)
        self.assertRefused(refused, "InvalidAction")
        self.assertIn("of another client", refused.error_text)
        self.cancel(stranger).result()
        self.assertEqual(self.reply("1").result(), {"text": "12 euros", "asks": False})
        self.assertRefused(self.reply("1"), "InvalidAction")
        self.assertEqual([message.arguments[0] for message in self.modem.told("SendServiceCode")], ["*100#", "*101#"])
        self.assertEqual(self.modem.told("CancelServiceCode"), [])
        self.system.sync(other.link)
        self.assertNotIn(SECRET, other.text())
        self.assertNotIn(SECRET, self.system.read_log())
        self.assertNotIn("*100", self.system.read_log())

    def test_codes_are_read_as_numbers_are(self):
        for text in ("*1 0-0#", "tel:*100%23", "\uff0a\uff11\uff10\uff10\uff03", "phone-number:*100#"):
            self.code(text).result()
        self.modem.answers.update({"99": {}, "0701740605#": {}, "*21*+46701740605#": {}})
        for text in ("99", "070-174 06 05#", "*21*+46 (70) 174 06 05#"):
            self.assertEqual(self.code(text).result(), {"text": "", "asks": False})
        self.assertEqual([message.arguments[0] for message in self.modem.told("SendServiceCode")],
                         ["*100#"] * 4 + ["99", "0701740605#", "*21*+46701740605#"])

    def test_what_is_no_code_for_a_network_is_refused(self):
        self.modem.forget()
        for text in ("", "112", "+46701740605", "#31#0701740605", "#31#*100#", "*100#,5", "alice", "generic:*100#",
                     "sip:*100#@example.org", "*1" + "0" * 200 + "#", "**04*1234*4321*4321#", "**042*1*2*2#",
                     "**05*1*2*2#", "**052*1*2*2#", "*#06#", "112#", "1-1-2#"):
            with self.subTest(code=text):
                refused = self.code(text)
                self.assertRefused(refused, "InvalidArguments")
                self.assertNotIn("1234", refused.error_text)
        self.code("*101#").result()
        for text in ("", "x" * 183, "1\r\nAT", "\u202e1"):
            self.assertRefused(self.reply(text), "InvalidArguments")
        self.modem.sync()
        sent = self.modem.told("SendServiceCode") + self.modem.told("ReplyToServiceCode")
        self.assertEqual([message.arguments[0] for message in sent], ["*101#"])

    def test_hostile_answers_are_safe_to_show(self):
        self.modem.answers["*102#"] = {"text": "a\x1b[2Jb\r\n\u202ec\td\u2028e", "more": 1}
        self.modem.answers["*103#"] = {"text": "x" * 10_000}
        self.modem.answers["*104#"] = {"text": 5}
        self.modem.answers["*105#"] = {"text": "a" + "\u0301" * 50_000}
        self.assertEqual(self.code("*102#").result()["text"], "a[2Jb\nc d\ne")
        self.assertEqual(self.code("*103#").result()["text"], "x" * 1_024)
        self.assertRefused(self.code("*104#"), "ActionFailed")
        self.assertLess(len(self.code("*105#").result()["text"]), 20_000)
        failed = self.code("*106#")
        self.modem.wait_told("SendServiceCode", 5).fail(text="no\u202e network\x07")
        self.assertRefused(failed, "ActionFailed")
        self.assertIn("refused the service code: no network", failed.error_text)

    def test_a_client_that_leaves_ends_its_exchange(self):
        for text in ("*101#", "*199#"):
            self.modem.forget()
            client = self.system.connect()
            pending = self.code(text, connection=client)
            self.modem.wait_told("SendServiceCode")
            if text == "*101#":
                pending.result()
            self.system.connections.remove(client)
            client.close()
            self.modem.wait_told("CancelServiceCode")
            self.code("*100#").result()

    def test_a_provider_that_dies_and_one_that_cannot(self):
        lost = self.code("*199#")
        self.modem.wait_told("SendServiceCode")
        self.modem.vanish()
        self.assertRefused(lost, "ProviderCrashed")
        self.modem = Provider(self.system, "Plain", delegate="/plain")
        self.assertRefused(self.code("*100#"), "NotSupported")

    def test_no_call_waits(self):
        slow = self.code("*199#")
        self.modem.wait_told("SendServiceCode")
        call = self.start_call("+15550100").result()
        self.wait_state(call, "active")
        self.assertFalse(slow.done)
        self.cancel().result()
        self.assertRefused(slow, "ActionFailed")
        self.modem.told("SendServiceCode")[0].reply(variants({"text": SECRET}), signature="a{sv}")
        self.assertEqual(self.code("*100#").result()["text"], f"Balance: {SECRET}")


class Late(ServiceCodes):
    arguments = ("--deadline", "service-code=300")

    def test_neither_the_network_nor_the_user_takes_forever(self):
        slow = self.code("*199#")
        self.assertRefused(slow, "ActionTimedOut")
        self.modem.wait_told("CancelServiceCode")
        self.code("*101#").result()
        self.modem.wait_told("CancelServiceCode", 2)
        self.assertRefused(self.reply("1"), "InvalidAction")


class Command(Commands, ServiceCodes):
    def test_it_shows_the_answer(self):
        self.assertEqual(self.says("ussd", "*100#"), f"Balance: {SECRET}\n")
        self.assertEqual(self.data("code", "*100#"),
                         {"provider": "app_Modem", "text": f"Balance: {SECRET}", "asks": False})
        self.assertEqual(self.says("ussd", "*101#", "--reply", "1"), "1: Balance\n2: Top up\n12 euros\n")
        self.assertEqual(self.data("ussd", "*101#", "--reply", "1")["text"], "12 euros")
        self.modem.answers["*99#"] = {}
        self.assertEqual(self.says("ussd", "*99#"), "The network has obeyed, and says nothing.\n")
        self.assertIn("callctl ussd sends it", self.callctl("start", "*100#", status=REFUSED).errors)

    def test_without_a_terminal_a_question_is_told(self):
        output = self.system.run(CALLCTL, "ussd", "*101#")
        self.assertEqual((output.status, output.text), (DONE, "1: Balance\n2: Top up\n"))
        self.assertIn("give it with --reply", output.errors)
        self.modem.wait_told("CancelServiceCode")

    def test_refusals(self):
        self.callctl("ussd", "112", status=REFUSED)
        self.callctl("ussd", "--provider", "Nobody", "*100#", status=UNKNOWN)
        second = self.add("Second")
        self.assertIn("name one with --provider", self.callctl("ussd", "*100#", status=UNKNOWN).errors)
        second.answers = {"*100#": {"text": "Second"}}
        self.assertEqual(self.says("ussd", "--provider", "app_Second", "*100#"), "Second\n")
        self.says("providers", "default", "phone-number", "app_Second")
        self.assertEqual(self.says("ussd", "*100#"), "Second\n")
        for provider in (self.modem, second):
            provider.report("UpdateConfiguration", "a{sv}", variants({"supports-service-codes": False})).result()
        self.assertIn("NotSupported", self.callctl("ussd", "*100#", status=REFUSED).errors)

    def terminal(self, *words):
        """A command on a terminal of 40 columns. Returns the process, what it has shown, and a function that types."""
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        process = subprocess.Popen([CALLCTL, *words], env={**self.system.environment, "TERM": "xterm"}, stdin=its,
                                   stdout=its, stderr=its, start_new_session=True)
        os.close(its)
        shown = []

        def read(descriptor, _):
            try:
                shown.append(os.read(descriptor, 65_536).decode().replace("\r", ""))
            except OSError:
                return False
            return True
        source = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, ours, GLib.IOCondition.IN, read)
        self.addCleanup(GLib.source_remove, source)
        return process, shown, lambda keys: os.write(ours, keys.encode())

    def test_the_terminal_asks_for_the_reply(self):
        self.modem.answers["1"] = {"text": "Your balance is 12 euros, and it is valid for thirty days."}
        process, shown, keys = self.terminal("ussd", "*101#")
        wait_until(lambda: "reply: " in "".join(shown), lambda: f"no question: {shown}")
        keys("1\n")
        wait_until(lambda: "thirty" in "".join(shown).replace("\n", " "), lambda: f"no answer: {shown}")
        exited(process)
        self.assertEqual(process.returncode, DONE)
        lines = "".join(shown).splitlines()
        self.assertEqual(lines[:3], ["1: Balance", "2: Top up", "reply: 1"])
        self.assertLessEqual(max(map(len, lines)), 40)

    def test_whoever_gives_up_ends_the_exchange(self):
        for keys, status in (("\n", DONE), ("\x04", DONE), (None, -signal.SIGINT)):
            self.modem.forget()
            process, shown, write = self.terminal("ussd", "*101#")
            wait_until(lambda: "reply: " in "".join(shown), lambda: f"no question: {shown}")
            if keys:
                write(keys)
            else:
                process.send_signal(signal.SIGINT)
            exited(process)
            self.assertEqual(process.returncode, status)
            self.modem.wait_told("CancelServiceCode")
        self.assertEqual(json.loads(self.says("ussd", "*100#", "--json"))["asks"], False)
