// The properties of a call: those of Call1, and those of CallIdentity1 once they are read.

import CallModel
import DBus
import EventLoop

extension Record {
    package var state: String { text(CallProperty.state) }
    package var hasEnded: Bool { state == "ended" }
    package var isLive: Bool { !hasEnded }
    /// Whether it is outgoing and the far side has not answered.
    package var isDialing: Bool { CallState(rawValue: state)?.isDialing == true }
    /// Whether it is, may be or may become audible.
    package var hasLine: Bool { CallState(rawValue: state)?.hasLine == true }
    package var isOutgoing: Bool { text(CallProperty.direction) == "outgoing" }

    /// Whether the identity of the far side was read, or may not be.
    package var isIdentified: Bool { properties[CallProperty.handle] != nil }

    package func can(_ word: String) -> Bool { words(CallProperty.can).contains(word) }

    /// The other party's name, or its handle's value if the name is unknown; "" if neither is known.
    package var caller: String {
        let name = text(CallProperty.callerName)
        return name.isEmpty ? handle.value : name
    }

    package var handle: (type: String, value: String) { handle(CallProperty.handle) }

    package var handleText: String { Self.text(of: handle) }

    /// With whom the far side asks to continue the call.
    package var transferRequest: (type: String, value: String) { handle(CallProperty.transferRequest) }
    package var transferRequestText: String { Self.text(of: transferRequest) }

    /// The handle that was called at first and has forwarded the call.
    package var divertedByText: String { Self.text(of: handle(CallProperty.divertedBy)) }

    private static func text(of handle: (type: String, value: String)) -> String {
        handle.value.isEmpty ? "" : "\(handle.type):\(handle.value)"
    }

    /// Returns whether people mean this handle when they write `text`: its value, with its type before it, or the same
    /// number with or without spaces and dashes.
    package static func isHandle(_ text: String, _ handle: (type: String, value: String)) -> Bool {
        let (wanted, value) = (text.lowercased(), handle.value.lowercased())
        guard !value.isEmpty else { return false }
        return wanted == value || wanted == self.text(of: handle).lowercased() || isSameNumber(wanted, value)
    }

    private static func isSameNumber(_ one: String, _ other: String) -> Bool {
        let signs: Set<Character> = [" ", "-", "(", ")", ".", "/"]
        let digits = one.filter { !signs.contains($0) }
        return digits.contains(where: \.isNumber) && digits == other.filter { !signs.contains($0) }
    }

    /// The state with its detail: `held by arbiter`, `ended: remote-ended`.
    package var stateText: String {
        switch state {
        case "held":
            let holder = text(CallProperty.heldBy)
            return holder.isEmpty ? state : "\(state) by \(holder)"
        case "ended":
            let reason = text(CallProperty.endReason)
            return reason.isEmpty ? state : "\(state): \(reason)"
        default: return state
        }
    }

    /// The languages of the translation; nil if the call is not translated.
    package var translationText: String? {
        guard let translation: VariantDictionary = value(CallProperty.translation), !translation.isEmpty else {
            return nil
        }
        let (local, remote) = (
            translation["local-language", default: ""], translation["remote-language", default: ""]
        )
        return "\(local) to \(remote)"
    }

    /// How well the sound travels, such as `round trip 30 ms, jitter 4 ms, 1.2% lost`; empty if nobody has told.
    package var qualityText: String {
        let quality: VariantDictionary = value(CallProperty.quality) ?? [:]
        func number(_ key: String) -> UInt32? { try? quality.value(key) }
        return [
            number("round-trip").map { "round trip \($0) ms" }, number("jitter").map { "jitter \($0) ms" },
            number("loss").map { "\($0 / 10).\($0 % 10)% lost" },
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
