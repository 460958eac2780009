// What clients say of a call.

package import CallModel
import CallWire
package import DBus

extension EndReason {
    /// Whether it says by itself who ended the call: a provider that crashed or was restarted did not decide to.
    package var saysByWhom: Bool { self == .providerCrashed || self == .providerRestarted }

    /// The word for it. A call that rang and was then kept from ringing, since its caller may not ring, is filtered, as the
    /// recents say.
    package func text(endedBy origin: String?) -> String {
        self == .declined && origin == Origin.policy.rawValue ? "filtered" : rawValue
    }
}

extension PublishedCall {
    /// - Returns: nil if the path is not that of a call.
    init?(_ path: ObjectPath, _ properties: VariantDictionary) {
        guard let id = Contract.call(at: path.text) else { return nil }
        self.init(id)
        update(properties)
    }

    /// Takes over who is at the far side.
    package mutating func identify(_ properties: VariantDictionary) {
        update(properties)
        isIdentified = true
    }

    package var path: ObjectPath { .call(id) }
    package var providerPath: ObjectPath? { provider.map(ObjectPath.provider) }
    package var isLive: Bool { !hasEnded }
    package var isOutgoing: Bool { direction == .outgoing }

    /// Orders calls by when they began.
    package var order: (WallTime, String) { (details.startedAt == 0 ? .max : details.startedAt, id.description) }

    /// The other party's name, or its handle's value if the name is unknown; "" if neither is known.
    package var caller: String { callerName.isEmpty ? details.handle?.value ?? "" : callerName }

    /// When it was connected; nil if it is not connected yet.
    package var connectedTime: WallTime? { connectedAt == 0 ? nil : connectedAt }

    /// The state with its detail: `held by arbiter for 5a11922e`, `connecting, rings there`, `ended: remote-ended`.
    ///
    /// - Parameter length: how many characters of the other call's id tell it from all.
    package func stateText(idLength length: Int = Snapshot.shortest) -> String {
        switch state {
        case .held:
            state.rawValue + (heldBy.map { " by \($0.rawValue)" } ?? "")
                + (heldFor.map { " for \($0.description.prefix(length))" } ?? "")
        case .ended:
            details.endReason.map {
                "\(state.rawValue): \($0.text(endedBy: details.endedBy?.rawValue))\(endDetailText)"
            } ?? state.rawValue
        default: state.rawValue + (progressText.map { ", \($0)" } ?? "")
        }
    }

    /// How far an outgoing call has come on its way to the far side, for people; nil if its state says as much.
    package var progressText: String? {
        switch progress {
        case .alerting: "rings there"
        case .earlyMedia: "the network plays sound"
        case .forwarded: "forwarded"
        case .queued: "waits in a queue"
        case .trying, nil: nil
        }
    }

    /// What the network told of the end, such as ` (busy)`, to follow the reason; empty if it told nothing.
    package var endDetailText: String { details.endDetail.map { " (\($0.rawValue))" } ?? "" }

    /// The languages of the translation; nil if the call is not translated.
    package var translationText: String? {
        details.translation.map { "\($0.languages.local) to \($0.languages.remote)" }
    }

    /// How well the sound travels, such as `round trip 30 ms, jitter 4 ms, 1.2% lost`; empty if nobody has told.
    package var qualityText: String {
        [
            details.quality?.roundTrip.map { "round trip \($0) ms" }, details.quality?.jitter.map { "jitter \($0) ms" },
            details.quality?.loss.map { "\($0 / 10).\($0 % 10)% lost" },
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

extension Handle? {
    /// Its type and its value; "" for none.
    package var text: String { map { "\($0.type.rawValue):\($0.value)" } ?? "" }

    /// Returns whether people mean this handle when they write `text`: its value, with its type before it, or the same
    /// number with or without spaces and dashes.
    package func isMeant(by text: String) -> Bool {
        guard let value = self?.value.lowercased() else { return false }
        let wanted = text.lowercased()
        return wanted == value || wanted == self.text.lowercased() || Self.isSameNumber(wanted, value)
    }

    private static func isSameNumber(_ one: String, _ other: String) -> Bool {
        let signs: Set<Character> = [" ", "-", "(", ")", ".", "/"]
        let digits = one.filter { !signs.contains($0) }
        return digits.contains(where: \.isNumber) && digits == other.filter { !signs.contains($0) }
    }
}
