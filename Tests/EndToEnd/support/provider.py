"""A provider out of a script: a connection of its own that does with each action what the test says."""

import uuid

import dbus
import dbus.lowlevel
import dbus.service

from support.messages import ERROR, uuid_of, variants
from support.system import HOST, ROOT, SYSTEM
from support.waiting import wait_until

DELEGATE = "org.opencallkit.ProviderDelegate1"


class Message:
    """One call of the daemon to the provider, which can be answered now, later, twice or never."""

    def __init__(self, connection, raw, member, arguments):
        self.connection = connection
        self.raw = raw
        self.member = member
        self.arguments = arguments

    def reply(self, *values, signature=""):
        message = dbus.lowlevel.MethodReturnMessage(self.raw)
        if values:
            message.append(*values, signature=signature)
        self.connection.send_message(message)

    def fail(self, name=f"{ERROR}ActionFailed", text="the script refuses"):
        self.connection.send_message(dbus.lowlevel.ErrorMessage(self.raw, name, text))

    def __repr__(self):
        return f"{self.member}{tuple(self.arguments)}"


class Action(Message):
    """One Perform."""

    @property
    def id(self):
        return self.arguments[0]

    @property
    def kind(self):
        return self.arguments[1]

    @property
    def uuid(self):
        return self.arguments[2]

    @property
    def transaction(self):
        return self.arguments[3]

    @property
    def deadline(self):
        return self.arguments[4]

    @property
    def details(self):
        return self.arguments[5]

    def fulfil(self, **result):
        self.reply(variants(result), signature="a{sv}")


class Delegate(dbus.service.Object):
    """What the provider serves."""

    def __init__(self, connection, path, provider):
        super().__init__(connection, path)
        self.provider = provider

    @dbus.service.method(DELEGATE, in_signature="", out_signature="")
    def Begin(self):
        self.provider.take("Begin", [])

    @dbus.service.method(DELEGATE, in_signature="", out_signature="")
    def Reset(self):
        self.provider.take("Reset", [])

    @dbus.service.method(DELEGATE, in_signature="ssssta{sv}", out_signature="a{sv}",
                         async_callbacks=("reply", "error"), message_keyword="message")
    def Perform(self, action, kind, call_uuid, transaction, deadline, details, reply, error, message):
        arguments = [action, kind, call_uuid, transaction, deadline, details]
        self.provider.perform(Action(self.provider.connection, message, "Perform", arguments))

    @dbus.service.method(DELEGATE, in_signature="s", out_signature="")
    def TimedOut(self, action):
        self.provider.take("TimedOut", [action])

    @dbus.service.method(DELEGATE, in_signature="sa{sv}", out_signature="")
    def TransactionEnded(self, transaction, details):
        self.provider.take("TransactionEnded", [transaction, details])

    @dbus.service.method(DELEGATE, in_signature="a{sv}", out_signature="")
    def AudioSessionActivated(self, details):
        self.provider.take("AudioSessionActivated", [details])

    @dbus.service.method(DELEGATE, in_signature="", out_signature="", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def AudioSessionDeactivated(self, reply, error, message):
        self.provider.release(message)

    @dbus.service.method(DELEGATE, in_signature="sa{sv}", out_signature="a{sv}", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def CustomAction(self, action, args, reply, error, message):
        self.provider.press(action, args, message)

    @dbus.service.method(DELEGATE, in_signature="sa{sv}", out_signature="a{sv}", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def SendServiceCode(self, code, details, reply, error, message):
        self.provider.exchange("SendServiceCode", code, message)

    @dbus.service.method(DELEGATE, in_signature="sa{sv}", out_signature="a{sv}", async_callbacks=("reply", "error"),
                         message_keyword="message")
    def ReplyToServiceCode(self, text, details, reply, error, message):
        self.provider.exchange("ReplyToServiceCode", text, message)

    @dbus.service.method(DELEGATE, in_signature="", out_signature="")
    def CancelServiceCode(self):
        self.provider.take("CancelServiceCode", [])


class Provider:
    """A scripted provider.

    `behaviour` has a word per kind of action, and for `audio` (the release) and `custom`: `fulfil` (what is not
    there), `fail`, or `wait` (not answered until the test does it). `connects` reports an outgoing call connected as
    soon as it is started. `answers` has what its network says to service codes and replies; others are not answered.
    """

    def __init__(self, system, name="Alpha", delegate="/script", connection=None, **configuration):
        self.system = system
        self.connection = connection or system.connect()
        self.behaviour = {}
        self.connects = True
        self.answers = {}
        self.messages = []
        self.delegate = Delegate(self.connection, delegate, self)
        values = {"localized-name": name, "supported-handle-types": dbus.Array(["generic"], signature="s")}
        values.update({key.replace("_", "-"): value for key, value in configuration.items()})
        self.path = self.system.call(
            ROOT, SYSTEM, "RegisterProvider", "oa{sv}", delegate, variants(values),
            connection=self.connection).result()

    # What the daemon sends

    def take(self, member, arguments, raw=None):
        message = Message(self.connection, raw, member, arguments)
        self.messages.append(message)
        return message

    def perform(self, action):
        self.messages.append(action)
        match self.behaviour.get(action.kind, "fulfil"):
            case "fulfil":
                action.fulfil()
                if action.kind == "start" and self.connects:
                    self.report("ReportOutgoingCallConnected", "sta{sv}", action.uuid, 0, variants({}))
            case "fail":
                action.fail()

    def release(self, raw):
        message = self.take("AudioSessionDeactivated", [], raw)
        match self.behaviour.get("audio", "fulfil"):
            case "fulfil":
                message.reply()
            case "fail":
                message.fail()

    def press(self, action, args, raw):
        message = self.take("CustomAction", [action, args], raw)
        match self.behaviour.get("custom", "fulfil"):
            case "fulfil":
                message.reply(variants({"pressed": action}), signature="a{sv}")
            case "fail":
                message.fail(text="the button is stuck")

    def exchange(self, member, text, raw):
        message = self.take(member, [text], raw)
        if text in self.answers:
            message.reply(variants(self.answers[text]), signature="a{sv}")

    # What the test asks

    def told(self, member):
        return [message for message in self.messages if message.member == member]

    def wait_told(self, member, count=1):
        return wait_until(lambda: len(self.told(member)) >= count and self.told(member)[count - 1],
                          lambda: f"{self.path}: no {member} number {count} in {self.messages}")

    def actions(self, kind=None, call=None):
        return [action for action in self.told("Perform")
                if kind in (None, action.kind) and (call is None or action.uuid == uuid_of(call))]

    def kinds(self):
        """All actions so far, `set-held` with its direction."""
        return [action.kind + ("" if action.kind != "set-held" else "+" if action.details["on-hold"] else "-")
                for action in self.actions()]

    def wait_action(self, kind, count=1):
        return wait_until(lambda: len(self.actions(kind)) >= count and self.actions(kind)[count - 1],
                          lambda: f"{self.path}: no {kind} number {count} in {self.messages}")

    def sync(self):
        """Returns when everything the daemon had sent to this provider has been taken in."""
        self.system.sync(self.connection)

    def forget(self):
        """Starts the record of messages anew."""
        self.sync()
        self.messages = []

    # What the provider does

    def report(self, member, signature="", *arguments):
        return self.system.call(self.path, HOST, member, signature, *arguments, connection=self.connection)

    def report_incoming(self, call_id=None, handle=("generic", "somebody"), **update):
        values = {key.replace("_", "-"): value for key, value in update.items()}
        if handle:
            values["remote-handle"] = dbus.Struct(handle, signature="ss")
        return self.report("ReportNewIncomingCall", "sa{sv}", call_id or str(uuid.uuid4()), variants(values))

    def incoming(self, **update):
        """A new ringing call."""
        call = self.report_incoming(**update).result()
        wait_until(lambda: self.system.shown(call, "State") == "ringing", f"{call} does not ring")
        return call

    def active(self, **update):
        """A new call that was answered."""
        call = self.incoming(**update)
        behaviour, self.behaviour = self.behaviour, {}
        self.system.call(call, "org.opencallkit.Call1", "AnswerWith", "a{sv}", variants({})).result()
        wait_until(lambda: self.system.shown(call, "State") == "active", f"{call} is not active")
        self.behaviour = behaviour
        self.forget()
        return call

    def update(self, call, **values):
        return self.report("ReportCallUpdated", "sa{sv}", uuid_of(call),
                           variants({key.replace("_", "-"): value for key, value in values.items()}))

    def remote_end(self, call, reason="remote-ended", at=0):
        return self.report("ReportCallEnded", "stsa{sv}", uuid_of(call), at, reason, variants({}))

    def vanish(self):
        self.system.connections.remove(self.connection)
        self.connection.close()
