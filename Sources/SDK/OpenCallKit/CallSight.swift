// CallSight: a call as the host's signals show it to everybody.

internal import CallModel
internal import DBus

/// The properties of Call1 that an observer is shown. What a signal does not mention stays as it was.
struct CallSight: Hashable, Sendable {
    let id: CallID
    var isOutgoing = false
    var isOnHold = false
    var hasConnected = false
    var hasEnded = false
    var state = ""

    init(_ id: CallID) { self.id = id }

    /// Takes in changed properties; those of other types than expected are passed over.
    mutating func take(_ properties: VariantDictionary) {
        func value<Value: DBusType>(_ key: String) -> Value? { (try? properties.value(key)) ?? nil }
        isOutgoing = value("IsOutgoing") ?? isOutgoing
        isOnHold = value("OnHold") ?? isOnHold
        hasConnected = value("HasConnected") ?? hasConnected
        hasEnded = value("HasEnded") ?? hasEnded
        state = value("State") ?? state
    }

    /// The call is gone, however it ended.
    mutating func end() {
        hasEnded = true
        isOnHold = false
        state = CallState.ended.rawValue
    }
}
