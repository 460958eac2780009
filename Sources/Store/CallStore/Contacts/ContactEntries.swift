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

    /// Makes the contacts that were added so far known by name, which takes a while.
    mutating func sortNames() { names = NameIndex(entries.map { NameWords($0.contact.name) }) }

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
