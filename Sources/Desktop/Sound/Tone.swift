// Tone: the tones of telephones.

/// A tone as frequencies and pauses. The frequencies are those of most of Europe (ETSI TR 101 041-2); those of the keypad
/// are ITU-T Q.23's.
package struct Tone: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        /// Sounding together, in Hz; none for a pause.
        package let frequencies: [Double]
        package let duration: Duration

        package static func sound(_ frequencies: Double..., for duration: Duration) -> Part {
            Part(frequencies: frequencies, duration: duration)
        }

        package static func pause(_ duration: Duration) -> Part { Part(frequencies: [], duration: duration) }
    }

    package let parts: [Part]
    /// Whether it goes on until it is stopped.
    package let isEndless: Bool

    /// Another call waits: two short sounds every ten seconds.
    package static let callWaiting = Tone(
        parts: [
            .sound(440, for: .milliseconds(200)), .pause(.milliseconds(200)), .sound(440, for: .milliseconds(200)),
            .pause(.milliseconds(9_400)),
        ], isEndless: true)
    /// The far side rings.
    package static let ringback = Tone(parts: [.sound(425, for: .seconds(1)), .pause(.seconds(4))], isEndless: true)
    /// The far side is busy.
    package static let busy = Tone(
        parts: [Part](repeating: [.sound(425, for: .milliseconds(500)), .pause(.milliseconds(500))], count: 4),
        isEndless: false)
    /// The call has failed.
    package static let failed = Tone(
        parts: [Part](repeating: [.sound(425, for: .milliseconds(250)), .pause(.milliseconds(250))], count: 6),
        isEndless: false)
    /// The call has ended.
    package static let ended = Tone(
        parts: [Part](repeating: [.sound(425, for: .milliseconds(120)), .pause(.milliseconds(120))], count: 3),
        isEndless: false)

    /// The tone of a key, one of 0–9, A–D, * and #; nil for another character.
    package static func key(_ key: Character) -> Tone? {
        let rows: [(Double, String)] = [(697, "123A"), (770, "456B"), (852, "789C"), (941, "*0#D")]
        let columns: [Double] = [1_209, 1_336, 1_477, 1_633]
        let name = Character(key.uppercased().first.map(String.init) ?? "")
        for (low, keys) in rows {
            if let column = Array(keys).firstIndex(of: name) {
                return Tone(parts: [.sound(low, columns[column], for: .milliseconds(150))], isEndless: false)
            }
        }
        return nil
    }
}

extension [Tone.Part] {
    fileprivate init(repeating parts: [Tone.Part], count: Int) { self = (0..<count).flatMap { _ in parts } }
}
