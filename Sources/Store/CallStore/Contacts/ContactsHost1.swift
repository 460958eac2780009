// org.opencallkit.ContactsHost1: what callkit-contacts calls on its link.

internal import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class ContactsHostObject {
    static let path = ObjectPath.contacts

    private weak var load: AddressBookLoad?

    init(_ load: AddressBookLoad) { self.load = load }

    static let interface = Interface<ContactsHostObject>(Contract.contactsHost) {
        Method(PrivateMember.Contacts.hello, in: ["sandbox"], out: ["skipped"]) {
            (object: ContactsHostObject, _, sandbox: String) -> [String] in
            object.load?.greet(sandbox) ?? []
        }
        Method(PrivateMember.Contacts.enter, in: ["folder"]) { (object: ContactsHostObject, _, path: String) in
            object.load?.enter(path)
        }
        Method(PrivateMember.Contacts.read, in: ["file"]) { (object: ContactsHostObject, _, path: String) in
            object.load?.read(path)
        }
        DeferredMethod(PrivateMember.Contacts.add, in: ["contacts"]) {
            (object: ContactsHostObject, invocation: VoidInvocation, contacts: [ContactWire]) in
            guard let load = object.load else { return invocation.reply() }
            load.add(contacts) { invocation.reply() }
        }
        Method(PrivateMember.Contacts.complain, in: ["path", "reason"]) {
            (object: ContactsHostObject, _, path: String, reason: String) in
            object.load?.complain(path, reason)
        }
        Method(PrivateMember.Contacts.complete) { (object: ContactsHostObject, _) in object.load?.complete() }
    }
}
