// LookUpFacts: what the store knows about a caller.

public import CallModel
internal import DBus

/// The facts of a look-up. Each source adds to them.
public struct LookUpFacts: Sendable, Hashable {
    /// The normalized handle; "" for a withheld one.
    public let normalized: String
    /// Who blocks the caller: `user`, or a directory's id.
    public var blockedBy: String?
    public var isAllowed = false
    public var isFavorite = false
    public private(set) var name = ""
    /// The contact that has the name; "" for none.
    public private(set) var contact = ""
    /// The absolute path of the contact's picture; "" for none.
    public var image = ""
    public private(set) var nameSource = CallerNameSource.none

    public init(normalized: String) {
        self.normalized = normalized
    }

    /// Adds a name, unless there is one from a better source: contacts come before favorites, and these before directories.
    public mutating func merge(name: String, from source: CallerNameSource, contact: String = "") {
        let order: [CallerNameSource] = [.contacts, .favorite, .directory, .none]
        guard !name.isEmpty, let rank = order.firstIndex(of: source), let present = order.firstIndex(of: nameSource),
            rank < present
        else { return }
        self.name = name
        self.contact = contact
        nameSource = source
    }

    /// The reply of LookUp, without keys that have no value.
    var wire: VariantDictionary {
        var wire: VariantDictionary = [:]
        if !normalized.isEmpty { wire.set("normalized", normalized) }
        wire.set("blocked-by", blockedBy)
        if isAllowed { wire.set("allowed", true) }
        if isFavorite { wire.set("favorite", true) }
        if nameSource != .none {
            wire.set("name", name)
            wire.set("name-source", nameSource.rawValue)
            if !contact.isEmpty { wire.set("contact-identifier", contact) }
        }
        if !image.isEmpty { wire.set("image", image) }
        return wire
    }
}
