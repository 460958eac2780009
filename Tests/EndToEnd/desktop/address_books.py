"""A scripted evolution-data-server, for what a real one never does."""

import collections

import dbus
import dbus.lowlevel
import dbus.service

PREFIX = "org.gnome.evolution.dataserver."
ROOT = "/org/gnome/evolution/dataserver"
SOURCES, FACTORY = f"{PREFIX}Sources5", f"{PREFIX}AddressBook10"
MEMBERS = ("OpenAddressBook", "Open", "GetView", "Start", "GetContactList")
"""What is asked for each book, in order."""


def card(name, number, more=""):
    return f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{number}\r\nFN:{name}\r\nTEL;TYPE=CELL:{number}\r\n{more}END:VCARD\r\n"


class AddressBooks:
    """Serves `books`, lists of vCards by id. `answers` has what is said instead, by the member, or by the id of a book
    and the member: `wrong` types, an `error`, `never` anything, or `die`, which closes the connection."""

    def __init__(self, test, books, answers=()):
        self.test = test
        self.books = dict(books)
        self.answers = dict(answers)
        self.asked = collections.Counter()
        self.link = test.system.connect()
        self.link.add_message_filter(self.take)
        self.names = [dbus.service.BusName(name, self.link, allow_replacement=True, replace_existing=True)
                      for name in (SOURCES, FACTORY)]

    def leave(self):
        self.test.system.connections.remove(self.link)
        self.link.close()

    def take(self, _, message):
        path, member = message.get_path() or "", message.get_member()
        if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL or not path.startswith(ROOT):
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        book = message.get_args_list()[0] if member == "OpenAddressBook" else self.book(path)
        self.asked[member] += 1
        self.asked[book, member] += 1
        answer = self.answers.get((book, member)) or self.answers.get(member)
        if answer == "die":
            self.leave()
        elif answer == "wrong":
            reply = dbus.lowlevel.MethodReturnMessage(message)
            reply.append(dbus.Struct((7, dbus.Array([b"?"], signature="ay"))), signature="(uaay)")
            self.link.send_message(reply)
        elif answer == "error":
            self.link.send_message(dbus.lowlevel.ErrorMessage(message, f"{PREFIX}Error.No", "not now"))
        elif answer is None:
            reply = dbus.lowlevel.MethodReturnMessage(message)
            signature, values = getattr(self, member)(book)
            reply.append(*values, signature=signature)
            self.link.send_message(reply)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def book(self, path):
        """The id of the book that an object belongs to."""
        end = path.rsplit("/", 1)[1]
        return list(self.books)[int(end)] if end.isdigit() else ""

    def path(self, kind, book):
        return f"{ROOT}/{kind}/{list(self.books).index(book)}"

    def GetManagedObjects(self, _):
        objects = dbus.Dictionary({}, signature="oa{sa{sv}}")
        for number, book in enumerate(self.books):
            data = "[Data Source]\nDisplayName=Book\nEnabled=true\n\n[Address Book]\nBackendName=local\n"
            source = dbus.Dictionary({"UID": book, "Data": data}, signature="sv")
            objects[dbus.ObjectPath(f"{ROOT}/SourceManager/Source_{number}")] = dbus.Dictionary(
                {f"{PREFIX}Source": source}, signature="sa{sv}")
        return "a{oa{sa{sv}}}", [objects]

    def OpenAddressBook(self, book):
        return "ss", [self.path("AddressBook", book), self.link.get_unique_name()]

    def Open(self, _):
        return "as", [dbus.Array([], signature="s")]

    def GetView(self, book):
        return "o", [dbus.ObjectPath(self.path("AddressBookView", book))]

    def Start(self, _):
        return "", []

    def GetContactList(self, book):
        return "as", [dbus.Array(self.books[book], signature="s")]

    def announce(self, book, count=1):
        """Tells so many times that a book has changed."""
        for _ in range(count):
            signal = dbus.lowlevel.SignalMessage(
                self.path("AddressBookView", book), f"{PREFIX}AddressBookView", "ObjectsModified")
            signal.append(dbus.Array([], signature="s"), signature="as")
            self.link.send_message(signal)
