// ContactEntries: names by handle, of a bounded number of contacts.

internal import DBus

struct Contact: Sendable, Hashable {
    /// The card's UID, or the path of its file.
    let uid: String
    let name: String
}

/// Why a file or folder could not be used.
struct ContactComplaint: Sendable, Hashable {
    let path: String
    let reason: String

    var wire: Struct<String, String> { Struct(path, reason) }
}

/// A handle belongs to the first contact that has it.
struct ContactEntries: Sendable {
    static let maximumContacts = 50_000
    static let maximumHandles = 200_000
    /// In bytes.
    private static let maximumLength = 256

    private var contacts: [Contact] = []
    private var owners: [String: Int32] = [:]
    /// Equal for the same contacts with the same handles in the same order, within one process.
    private(set) var digest = 0

    var count: Int { contacts.count }
    var handleCount: Int { owners.count }

    /// - Parameter handles: the normalized handles, each with whether it is an e-mail address.
    /// - Returns: whether there was room.
    mutating func add(_ contact: Contact, _ handles: [(isEmail: Bool, text: String)]) -> Bool {
        guard contacts.count < Self.maximumContacts else { return false }
        var isOwner = false
        var hasRoom = true
        var hasher = Hasher()
        for handle in handles where !handle.text.isEmpty && handle.text.utf8.count <= Self.maximumLength {
            let key = Self.key(handle.text, handle.isEmail)
            guard owners[key] == nil else { continue }
            hasRoom = owners.count < Self.maximumHandles
            guard hasRoom else { break }
            owners[key] = Int32(contacts.count)
            hasher.combine(key)
            isOwner = true
        }
        guard isOwner else { return hasRoom }
        contacts.append(contact)
        hasher.combine(contact)
        hasher.combine(digest)
        digest = hasher.finalize()
        return hasRoom
    }

    func contact(_ normalized: String, isEmail: Bool) -> Contact? {
        owners[Self.key(normalized, isEmail)].map { contacts[Int($0)] }
    }

    /// Distinguishes only e-mail addresses: providers may report a number as generic.
    private static func key(_ text: String, _ isEmail: Bool) -> String { (isEmail ? "@" : "#") + text }
}
