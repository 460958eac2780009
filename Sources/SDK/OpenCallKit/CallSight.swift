// CallSight: a call as the host's signals show it.

internal import CallModel
internal import DBus

/// The properties of Call1 that an observer is shown. A property that a signal does not mention stays as it was.
struct CallSight: Hashable, Sendable {
    let id: CallID
    var isOutgoing = false
    var isOnHold = false
    var hasConnected = false
    var hasEnded = false
    var state = ""

    init(_ id: CallID) { self.id = id }

    /// Takes changed properties; ignores those of unexpected types.
    mutating func take(_ properties: VariantDictionary) {
        if let direction: String = try? properties.value("Direction") {
            isOutgoing = direction == CallDirection.outgoing.rawValue
        }
        if let holder: String = try? properties.value("HeldBy") { isOnHold = !holder.isEmpty }
        if let date: UInt64 = try? properties.value("ConnectedAt") { hasConnected = date != 0 }
        if let date: UInt64 = try? properties.value("EndedAt") { hasEnded = date != 0 }
        state = properties["State", default: state]
    }

    /// Ends the call.
    mutating func end() {
        hasEnded = true
        isOnHold = false
        state = CallState.ended.rawValue
    }
}
