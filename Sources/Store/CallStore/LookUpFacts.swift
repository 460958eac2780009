// What the store knows of a caller.

public import CallModel
internal import DBus

/// The facts of a look-up, as its sources add to them.
public struct LookUpFacts: Sendable, Hashable {
    /// The handle as it is compared; "" for a withheld one.
    public let normalized: String
    /// Who blocks the caller: `user`, or a directory's id.
    public var blockedBy: String?
    public var isAllowed = false
    public var isFavorite = false
    public private(set) var name = ""
    /// The contact whose name it is; "" for none.
    public private(set) var contact = ""
    public private(set) var nameSource = CallerNameSource.none

    public init(normalized: String) {
        self.normalized = normalized
    }

    /// Takes a name, unless it has one from a better source: a contact's comes before a directory's.
    public mutating func take(name: String, from source: CallerNameSource, contact: String = "") {
        guard !name.isEmpty, nameSource == .none || (nameSource == .directory && source == .contacts) else { return }
        self.name = name
        self.contact = contact
        nameSource = source
    }

    /// The answer of LookUp; what is not so is left out.
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
        return wire
    }
}
