// org.opencallkit.ContactsHost1: what callkit-contacts calls on its link.

internal import CallModel
import DBus
import EventLoop

@LoopActor
final class ContactsHostObject {
    static let path = ObjectPath(Contract.contactsPath) ?? .root

    private weak var load: AddressBookLoad?

    init(_ load: AddressBookLoad) { self.load = load }

    static let interface = Interface<ContactsHostObject>(Contract.contactsHost) {
        Method("Hello", out: ["folders", "skipped"]) { (object: ContactsHostObject, _) -> ([String], [String]) in
            let (folders, skipped) = object.load?.greet() ?? ([], [])
            return (folders, skipped)
        }
        Method("Enter", in: ["folder"]) { (object: ContactsHostObject, _, path: String) in object.load?.enter(path) }
        Method("Read", in: ["file"]) { (object: ContactsHostObject, _, path: String) in object.load?.read(path) }
        Method("Add", in: ["contacts"]) {
            (object: ContactsHostObject, _, contacts: [Struct<String, String, [Struct<Bool, String>]>]) in
            object.load?.add(contacts)
        }
        Method("Complain", in: ["path", "reason"]) { (object: ContactsHostObject, _, path: String, reason: String) in
            object.load?.complain(path, reason)
        }
        Method("Complete") { (object: ContactsHostObject, _) in object.load?.complete() }
    }
}
