// The settings on the bus: the property DoNotDisturbRules.

import CallModel
import CallWire
import DBus

extension DoNotDisturbSettings {
    static let maximumProviders = 64

    /// The keys that the contract has.
    static let keys: Set<String> = [Key.manual, Key.schedule, Key.favorites, Key.repeated, Key.providers]

    private enum Key {
        static let manual = "manual"
        static let schedule = "schedule"
        static let from = "from"
        static let until = "until"
        static let days = "days"
        static let favorites = "allow-favorites"
        static let repeated = "allow-repeated"
        static let providers = "providers-allowed"
    }

    var wire: VariantDictionary {
        let hours: [VariantDictionary] = schedule.map {
            [
                Key.from: .string(QuietHours.clock($0.from)), Key.until: .string(QuietHours.clock($0.until)),
                Key.days: Variant($0.orderedDays.map(\.rawValue)),
            ]
        }
        return [
            Key.manual: .bool(isOnByHand), Key.schedule: Variant(hours),
            Key.favorites: .bool(rules.allowsFavorites), Key.repeated: .bool(rules.allowsRepeated),
            Key.providers: Variant(rules.allowedProviders.map(\.rawValue).sorted()),
        ]
    }

    /// Takes in the keys that are there; what is left out stays.
    ///
    /// - Parameter date: now, in µs since the epoch.
    /// - Throws: `InvalidArguments`, with nothing taken in.
    mutating func update(wire: VariantDictionary, at date: UInt64) throws(CallError) {
        var new = self
        if let hours = try wire.optional(Key.schedule, as: [VariantDictionary].self) {
            guard hours.count <= Self.maximumSchedule else {
                throw CallError(
                    .invalidArguments, "schedule has \(hours.count) entries, at most \(Self.maximumSchedule) are kept")
            }
            new.schedule = []
            for entry in hours {
                new.schedule.append(
                    try QuietHours(
                        from: try entry.needed(Key.from), until: try entry.needed(Key.until),
                        days: try entry.optional(Key.days) ?? []))
            }
            new.pausedUntil = 0
        }
        new.rules.allowsFavorites = try wire.optional(Key.favorites) ?? rules.allowsFavorites
        new.rules.allowsRepeated = try wire.optional(Key.repeated) ?? rules.allowsRepeated
        if let names = try wire.optional(Key.providers, as: [String].self) {
            guard names.count <= Self.maximumProviders else {
                throw CallError(
                    .invalidArguments,
                    "providers-allowed has \(names.count) entries, at most \(Self.maximumProviders) are kept")
            }
            new.rules.allowedProviders = []
            for name in names {
                guard let id = ProviderID(name) else {
                    throw CallError(.invalidArguments, "\"\(name.displayable)\" is not a valid provider id")
                }
                new.rules.allowedProviders.insert(id)
            }
        }
        new.isOnByHand = try wire.optional(Key.manual) ?? isOnByHand
        self = new
    }
}
