"""An audio agent, on a connection of its own, with the answers of the test."""

import dbus
import dbus.lowlevel
import dbus.service

from support.messages import variants
from support.system import ROOT, SYSTEM
from support.waiting import wait_until

AUDIO_AGENT = "org.opencallkit.AudioAgent1"


class Question:
    """One Prepare; answered at once, later or never."""

    def __init__(self, connection, raw, call, details):
        self.connection = connection
        self.raw = raw
        self.call = str(call)
        self.details = {str(key): value for key, value in details.items()}

    def answer(self):
        self.connection.send_message(dbus.lowlevel.MethodReturnMessage(self.raw))

    def fail(self):
        self.connection.send_message(
            dbus.lowlevel.ErrorMessage(self.raw, "org.freedesktop.DBus.Error.Failed", "the script fails"))


class Served(dbus.service.Object):
    def __init__(self, connection, path, agent):
        super().__init__(connection, path)
        self.agent = agent

    @dbus.service.method(AUDIO_AGENT, in_signature="oa{sv}", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def Prepare(self, call, details, reply, error, message):
        self.agent.take(Question(self.agent.connection, message, call, details))

    @dbus.service.method(AUDIO_AGENT)
    def Finish(self):
        self.agent.finished += 1


class AudioAgent:
    """Answers at once if `prompt`; else the test answers."""

    def __init__(self, system, path="/agent", connection=None, prompt=False, **options):
        self.system = system
        self.connection = connection or system.connect()
        self.path = path
        self.prompt = prompt
        self.questions = []
        self.finished = 0
        self.served = Served(self.connection, path, self)
        self.register(**options).result()

    def register(self, **options):
        return self.system.call(ROOT, SYSTEM, "RegisterAudioAgent", "oa{sv}", self.path, variants(options),
                                connection=self.connection)

    def unregister(self):
        return self.system.call(ROOT, SYSTEM, "UnregisterAudioAgent", "o", self.path, connection=self.connection)

    def take(self, question):
        self.questions.append(question)
        if self.prompt:
            question.answer()

    def wait_asked(self, count=1):
        return wait_until(lambda: len(self.questions) >= count and self.questions[count - 1],
                          lambda: f"not asked {count} times")

    def wait_finished(self, count=1):
        wait_until(lambda: self.finished >= count, lambda: f"told {self.finished} times to finish, not {count}")

    def vanish(self):
        self.system.connections.remove(self.connection)
        self.connection.close()
