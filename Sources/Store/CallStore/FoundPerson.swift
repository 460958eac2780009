// FoundPerson: a handle that was found by name.

internal import CallModel
internal import CallWire
internal import DBus

/// An entry of FindPeople.
struct FoundPerson: Sendable, Hashable {
    let name: String
    let handle: Handle.Wire
    let key: HandleKey
    let label: ContactLabel
    /// What is dialed after a contact's number.
    var postDial = ""
    let isExact: Bool
    /// The id of the provider to call a favorite with; "" = any, nil = no favorite.
    let favoriteProvider: String?

    init(_ name: String, _ handle: ContactHandle, isExact: Bool) {
        self.name = name
        self.handle = Struct(handle.type.rawValue, handle.value)
        key = handle.key
        (label, postDial) = (handle.label, handle.postDial)
        self.isExact = isExact
        favoriteProvider = nil
    }

    /// - Parameter name: the favorite's own name, or the one that the store knows.
    init(_ favorite: Favorite, named name: String, isExact: Bool) {
        self.name = name
        handle = favorite.handle.wire
        key = HandleKey(isEmail: favorite.handle.type == .emailAddress, value: favorite.normalized)
        label = .none
        self.isExact = isExact
        favoriteProvider = favorite.provider
    }

    var wire: VariantDictionary {
        var wire: VariantDictionary = [
            "name": .string(name), "handle": Variant(handle), "exact": .bool(isExact),
            "favorite": .bool(favoriteProvider != nil),
        ]
        if label != .none { wire.set("label", label.rawValue) }
        if !postDial.isEmpty { wire.set("post-dial", postDial) }
        if let favoriteProvider, !favoriteProvider.isEmpty { wire.set("provider-id", favoriteProvider) }
        return wire
    }
}
