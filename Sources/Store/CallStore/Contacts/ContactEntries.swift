// ContactEntries: names by handle, and handles by name, of a bounded number of contacts.

internal import CallModel
internal import DBus

struct Contact: Sendable, Hashable {
    /// The card's UID, or the path of its file.
    let uid: String
    let name: String
    /// The absolute path of the file with the picture; "" for none.
    var picture = ""
}

/// Why a file or folder could not be used.
struct ContactComplaint: Sendable, Hashable {
    let path: String
    let reason: String

    var wire: Struct<String, String> { Struct(path, reason) }
}

/// A handle names the first contact that has it. The handles of all are found by name.
struct ContactEntries: Sendable {
    static let maximumContacts = 50_000
    static let maximumHandles = 200_000
    /// In bytes.
    private static let maximumLength = 256
    /// The most numbers with the same end that are compared in a look-up.
    private static let maximumAlike = 64

    private struct Entry: Sendable {
        let contact: Contact
        /// The contact's handles end here, and those of the next one begin.
        let end: Int32
    }

    private var entries: [Entry] = []
    /// The handles of all contacts, one contact after the other.
    private var handles: [ContactHandle] = []
    private var owners: [HandleKey: Int32] = [:]
    private var names = NameIndex()
    /// The last digits of the phone numbers, in order, with the places of their handles.
    private var endings: [(digits: UInt32, handle: Int32)] = []
    /// Equal for the same contacts with the same handles in the same order, within one process.
    private(set) var digest = 0

    var count: Int { entries.count }
    /// How many different handles there are.
    var handleCount: Int { owners.count }

    /// Adds a contact, unless an earlier one has the same name and all of its handles.
    /// - Returns: whether there was room.
    mutating func add(_ contact: Contact, _ new: [ContactHandle]) -> Bool {
        guard entries.count < Self.maximumContacts else { return false }
        let place = Int32(entries.count)
        let begin = handles.count
        var isNew = false
        var hasRoom = true
        for handle in new where !handle.value.isEmpty && handle.value.utf8.count <= Self.maximumLength {
            hasRoom = max(handles.count, owners.count) < Self.maximumHandles
            guard hasRoom else { break }
            handles.append(handle)
            for key in handle.keys {
                let owner = owners[key, default: place]
                isNew = isNew || owner == place || entries[Int(owner)].contact.name != contact.name
                owners[key] = owner
            }
        }
        guard isNew else {
            handles.removeSubrange(begin...)
            return hasRoom
        }
        var hasher = Hasher()
        hasher.combine(handles[begin...])
        hasher.combine(contact)
        hasher.combine(digest)
        digest = hasher.finalize()
        entries.append(Entry(contact: contact, end: Int32(handles.count)))
        return hasRoom
    }

    /// The pictures of all contacts.
    var pictures: Set<String> { Set(entries.lazy.map(\.contact.picture).filter { !$0.isEmpty }) }

    func contact(_ normalized: String, isEmail: Bool) -> Contact? {
        owners[HandleKey(isEmail: isEmail, value: normalized)].map { entries[Int($0)].contact }
    }

    /// Returns the contact with a number that may be this one, unless those of others may be it, too.
    ///
    /// - Parameter maybeSame: whether two normalized numbers may be the same.
    func onlyContact(like number: String, _ mayBeSame: (String, String) -> Bool) -> Contact? {
        guard let ending = ContactHandle.ending(of: number) else { return nil }
        var (low, high) = (0, endings.count)
        while low < high {
            let middle = (low + high) / 2
            if endings[middle].digits < ending { low = middle + 1 } else { high = middle }
        }
        var found: Contact?
        for (count, one) in endings[low...].prefix(while: { $0.digits == ending }).enumerated() {
            // So many numbers with one end are no address book of a person.
            guard count < Self.maximumAlike else { return nil }
            guard mayBeSame(number, handles[Int(one.handle)].value) else { continue }
            let contact = entries[owner(of: one.handle)].contact
            guard found == nil || found?.name == contact.name else { return nil }
            found = found ?? contact
        }
        return found
    }

    /// Returns the place of the contact that has a handle.
    private func owner(of handle: Int32) -> Int {
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].end <= handle { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Makes the contacts that were added so far known by name and by the end of their numbers, which takes a while.
    mutating func sort() {
        names = NameIndex(entries.map { NameWords($0.contact.name) })
        endings = handles.indices.compactMap { place in
            guard handles[place].type == .phoneNumber else { return nil }
            return ContactHandle.ending(of: handles[place].value).map { ($0, Int32(place)) }
        }
        endings.sort { $0 < $1 }
    }

    /// Returns the handles of the contacts with this name, the exact ones first, and each handle once.
    func people(named wanted: NameWords, limit: Int) -> [FoundPerson] {
        var people: [FoundPerson] = []
        var known: Set<HandleKey> = []
        names.find(wanted) { place, isExact in
            let entry = entries[place]
            let begin = place == 0 ? 0 : entries[place - 1].end
            for handle in handles[Int(begin)..<Int(entry.end)] where known.insert(handle.key).inserted {
                guard people.count < limit else { return false }
                people.append(FoundPerson(entry.contact.name, handle, isExact: isExact))
            }
            return true
        }
        return people
    }
}
