// The settings on the bus: the property DoNotDisturbRules.

import CallModel
import CallWire
import DBus

extension DoNotDisturbSettings {
    static let maximumProviders = 64
    private typealias Hours = Struct<String, String, [String]>

    private enum Key {
        static let manual = "manual"
        static let schedule = "schedule"
        static let favorites = "allow-favorites"
        static let repeated = "allow-repeated"
        static let providers = "providers-allowed"
    }

    var wire: VariantDictionary {
        let hours = schedule.map {
            Hours(QuietHours.clock($0.from), QuietHours.clock($0.until), $0.orderedDays.map(\.rawValue))
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
        if let hours = try wire.optional(Key.schedule, as: [Hours].self) {
            guard hours.count <= Self.maximumSchedule else {
                throw CallError(
                    .invalidArguments, "schedule has \(hours.count) entries, at most \(Self.maximumSchedule) are kept")
            }
            new.schedule = []
            for entry in hours {
                new.schedule.append(
                    try QuietHours(from: entry.fields.0, until: entry.fields.1, days: entry.fields.2))
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
