"""Messages that only a client without a library can send."""

import dbus.lowlevel

from support.case import SystemTest
from support.provider import Provider
from support.raw_bus import RawConnection, method_call, padded, string
from support.system import NAME, ROOT, SYSTEM
from support.waiting import wait_until


class RawSocket(SystemTest):
    """Messages that dbus-daemon rejects, and messages that it passes on: the daemon survives both."""

    def setUp(self):
        super().setUp()
        self.provider = Provider(self.system)
        self.call = self.provider.active()
        self.raw = RawConnection(self.system.socket)
        self.addCleanup(self.raw.close)

    def start(self, serial, text, **values):
        body = padded(padded(string(text), 4) + bytes(4), 8)
        return method_call(serial, NAME, ROOT, SYSTEM, "StartCallWith", "sa{sv}", body, **values)

    def assertUnharmed(self):
        self.system.sync()
        self.assertState(self.call, "active")

    def test_a_well_formed_call_gets_through(self):
        self.raw.send(self.start(2, "carrier\x01pigeon"))
        wait_until(lambda: b"org.opencallkit.Error.InvalidArguments" in self.raw.data, "no answer by hand")
        self.assertFalse(self.raw.is_closed)

    def test_invalid_utf8(self):
        texts = b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"generic:\x80", b"\xf5\x80\x80\x80"
        for number, text in enumerate(texts):
            raw = RawConnection(self.system.socket)
            raw.send(self.start(10 + number, text))
            wait_until(lambda: raw.is_closed, f"the bus keeps who sends {text!r}")
            raw.close()
            self.assertUnharmed()

    def test_a_nul_inside_a_string(self):
        self.raw.send(self.start(2, b"generic:a\0b"))
        wait_until(lambda: self.raw.is_closed, "the bus keeps who sends a NUL")
        self.assertUnharmed()

    def test_garbage(self):
        self.raw.send(bytes(range(256)) * 64)
        wait_until(lambda: self.raw.is_closed, "the bus keeps who sends garbage")
        self.assertUnharmed()

    def test_a_length_that_lies(self):
        self.raw.send(self.start(2, "generic:x", body_length=1 << 30))
        wait_until(lambda: self.raw.is_closed, "the bus keeps who lies about lengths")
        self.assertUnharmed()

    def test_a_path_that_is_none(self):
        self.raw.send(method_call(2, NAME, "/org//x/", SYSTEM, "SilenceRinging"))
        wait_until(lambda: self.raw.is_closed, "the bus keeps who sends a bad path")
        self.assertUnharmed()

    def test_half_a_message_and_gone(self):
        self.raw.send(self.start(2, "generic:x")[:40])
        self.raw.close()
        self.raw.is_closed = True
        self.assertUnharmed()

    def test_a_provider_that_dies_with_its_socket_in_the_middle_of_a_reply(self):
        self.provider.behaviour["set-muted"] = "wait"
        mute = self.mute(self.call)
        self.provider.wait_action("set-muted")
        self.provider.vanish()
        self.assertRefused(mute, "ProviderCrashed")

    def test_replies_to_nothing(self):
        for number in range(3):
            old = self.answered()
            old.reply("nonsense", signature="s")
            old.fail()
            call = dbus.lowlevel.MethodCallMessage(NAME, "/x", "a.b", "C")
            call.set_destination(NAME)
            wrong = dbus.lowlevel.SignalMessage("/x", "a.b", f"C{number}")
            wrong.set_destination(NAME)
            self.provider.connection.send_message(wrong)
            self.provider.connection.send_message(call)
        self.provider.sync()
        self.assertUnharmed()

    def answered(self):
        """An action that its provider has answered."""
        self.provider.behaviour["set-muted"] = "wait"
        count = len(self.provider.actions("set-muted"))
        mute = self.mute(self.call, not self.property(self.call, "Muted"))
        action = self.provider.wait_action("set-muted", count + 1)
        action.fulfil()
        mute.result()
        return action

    def test_signals_to_the_daemon_are_nothing_to_it(self):
        connection = self.system.connect()
        for member in ("CallEnded", "PropertiesChanged", "NameOwnerChanged", "Disconnected"):
            message = dbus.lowlevel.SignalMessage(ROOT, SYSTEM, member)
            message.set_destination(NAME)
            connection.send_message(message)
        self.system.sync(connection)
        self.assertUnharmed()
