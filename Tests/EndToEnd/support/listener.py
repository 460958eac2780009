"""A plain client of the bus, and the signals that it hears."""

import dbus.lowlevel

from support.messages import Event


class Listener:
    """Hears every signal that is broadcast, and those for this connection alone. It does not eavesdrop, as monitors do."""

    def __init__(self, system, link=None):
        self.link = link or system.connect()
        self.events = []
        self.link.add_match_string("type='signal'")
        self.link.add_message_filter(self.take)

    def take(self, _, message):
        if message.get_type() == dbus.lowlevel.MESSAGE_TYPE_SIGNAL:
            event = Event(message)
            event.sender = message.get_sender()
            self.events.append(event)
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def text(self, senders=None):
        """What was heard, of these senders or of all."""
        return "\n".join(repr((event.path, event.interface, event.member, event.arguments)) for event in self.events
                         if senders is None or event.sender in senders)
