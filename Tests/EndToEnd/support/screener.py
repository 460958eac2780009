"""A client that screens calls, on a connection of its own, with the verdicts of the test."""

import dbus
import dbus.lowlevel
import dbus.service

from support.messages import variants
from support.system import ROOT, SYSTEM
from support.waiting import wait_until

SCREENER = "org.opencallkit.Screener1"


class Question:
    """One request to screen a call; answered at once, later or never."""

    def __init__(self, connection, raw, call, handle, details):
        self.connection = connection
        self.raw = raw
        self.call = str(call)
        self.handle = tuple(map(str, handle))
        self.details = {str(key): value for key, value in details.items()}

    @property
    def path(self):
        """The path that the call will have if it rings."""
        return f"{ROOT}/calls/{self.call.replace('-', '_')}"

    def answer(self, verdict, reason=""):
        message = dbus.lowlevel.MethodReturnMessage(self.raw)
        message.append(verdict, {"reason": reason}, signature="sa{sv}")
        self.connection.send_message(message)

    def answer_nonsense(self):
        message = dbus.lowlevel.MethodReturnMessage(self.raw)
        message.append(dbus.UInt32(7), signature="u")
        self.connection.send_message(message)

    def hand_on(self):
        """Answers as the bus does for a client that has gone."""
        self.fail("NoReply")

    def fail(self, error="Failed"):
        self.connection.send_message(
            dbus.lowlevel.ErrorMessage(self.raw, f"org.freedesktop.DBus.Error.{error}", "the script fails"))


class Served(dbus.service.Object):
    def __init__(self, connection, path, screener):
        super().__init__(connection, path)
        self.screener = screener

    @dbus.service.method(SCREENER, in_signature="s(ss)a{sv}", out_signature="sa{sv}", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def Screen(self, call, handle, details, reply, error, message):
        self.screener.take(Question(self.screener.connection, message, call, handle, details))


class Screener:
    """Answers `verdict`, a pair of a word and a reason, at once; with None the test answers."""

    def __init__(self, system, verdict=None, path="/screener", connection=None, **options):
        self.system = system
        self.connection = connection or system.connect()
        self.verdict = verdict
        self.path = path
        self.questions = []
        self.served = Served(self.connection, path, self)
        system.call(ROOT, SYSTEM, "RegisterScreener", "oa{sv}", path, variants(options),
                    connection=self.connection).result()

    def take(self, question):
        self.questions.append(question)
        if self.verdict is not None:
            question.answer(*self.verdict)

    def wait_asked(self, count=1):
        return wait_until(lambda: len(self.questions) >= count and self.questions[count - 1],
                          lambda: f"not asked {count} times")

    def unregister(self):
        return self.system.call(ROOT, SYSTEM, "UnregisterScreener", "o", self.path, connection=self.connection)

    def vanish(self):
        self.system.connections.remove(self.connection)
        self.connection.close()
