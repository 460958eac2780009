// Contacts in memory are bounded, and the first contact with a handle names it.

import CallModel
import Testing

@testable import CallStore

@Suite struct ContactEntriesTests {
    private func filled(_ contacts: Int, handles: Int) -> ContactEntries {
        var entries = ContactEntries()
        for contact in 0..<contacts {
            _ = entries.add(
                Contact(uid: "\(contact)", name: "P\(contact)"), (0..<handles).map { number("\(contact)-\($0)") })
        }
        return entries
    }

    private func number(_ value: String) -> ContactHandle { ContactHandle(value: value, type: .phoneNumber) }

    @Test func theFirstContactKeepsItsHandle() {
        var entries = filled(2, handles: 2)
        let address = ContactHandle(value: "0-1", type: .emailAddress)
        _ = entries.add(Contact(uid: "x", name: "X"), [number("0-1"), address, number("")])
        #expect(entries.contact("0-1", isEmail: false)?.name == "P0")
        #expect(entries.contact("0-1", isEmail: true)?.name == "X")
        #expect(entries.contact("", isEmail: false) == nil)
    }

    /// A name is given by the end of a number only if nobody else can have it.
    @Test func theOnlyContactThatMayBeIt() {
        var entries = ContactEntries()
        for (name, value) in [
            ("Ana", "+5491123456789"), ("Bea", "+5491187654321"), ("Bea", "1187654321"), ("Short", "456789"),
            ("Cleo", "+46701234567"), ("Dan", "+46801234567"),
        ] {
            _ = entries.add(Contact(uid: value, name: name), [number(value)])
        }
        entries.sort()
        func name(_ number: String) -> String? {
            entries.onlyContact(like: number) { $0.hasSuffix($1.suffix(8)) || $1.hasSuffix($0.suffix(8)) }?.name
        }
        #expect(name("+541123456789") == "Ana" && name("1123456789") == "Ana")
        #expect(name("+541187654321") == "Bea", "two cards of one person")
        #expect(name("01234567") == nil, "two persons")
        #expect(name("456789") == nil && name("+541100456789") == nil && name("sip:anna") == nil && name("") == nil)
        #expect(ContactEntries().onlyContact(like: "1123456789") { _, _ in true } == nil)
    }

    /// Many numbers with one end cost a look-up no more than a few do.
    @Test func aCrowdWithOneEndIsNotSearched() {
        var entries = ContactEntries()
        for prefix in 100..<1_100 {
            _ = entries.add(Contact(uid: "\(prefix)", name: "P"), [number("\(prefix)5550123")])
        }
        entries.sort()
        var compared = 0
        let found = entries.onlyContact(like: "5550123") { _, _ in
            compared += 1
            return true
        }
        #expect(found == nil && compared <= 100)
    }

    @Test func noMoreContactsThanSoMany() {
        var entries = filled(ContactEntries.maximumContacts, handles: 1)
        let hadRoom = entries.add(Contact(uid: "x", name: "X"), [number("x")])
        #expect(!hadRoom)
        #expect(entries.count == ContactEntries.maximumContacts)
        #expect(entries.contact("x", isEmail: false) == nil)
    }

    /// If the limit is reached within a contact, its earlier handles are kept.
    @Test func noMoreHandlesThanSoMany() {
        var entries = filled(3, handles: (ContactEntries.maximumHandles - 2) / 3)
        let room = ContactEntries.maximumHandles - entries.handleCount
        let hadRoom = entries.add(Contact(uid: "x", name: "X"), (0...room).map { number("x\($0)") })
        #expect(!hadRoom)
        #expect(entries.handleCount == ContactEntries.maximumHandles)
        #expect(entries.contact("x0", isEmail: false)?.name == "X")
        #expect(entries.contact("x\(room)", isEmail: false) == nil)
        _ = entries.add(Contact(uid: "y", name: "Y"), [number("y")])
        #expect(entries.contact("y", isEmail: false) == nil)
        #expect(entries.contact("x0", isEmail: false)?.name == "X")
    }

    @Test func aHandleOfManyBytesIsNone() {
        var entries = ContactEntries()
        _ = entries.add(Contact(uid: "x", name: "X"), [number("a" + String(repeating: "\u{301}", count: 500))])
        #expect(entries.count == 0)
    }

    @Test func theDigestTellsWhatIsOther() {
        var other = filled(3, handles: 1)
        #expect(filled(3, handles: 1).digest == other.digest)
        _ = other.add(Contact(uid: "x", name: "X"), [number("x")])
        #expect(filled(3, handles: 1).digest != other.digest)
        #expect(filled(3, handles: 2).digest != filled(3, handles: 1).digest)
    }
}
