// Tone: the tones of telephones.

/// A tone as frequencies and pauses. The frequencies are those of most of Europe (ETSI TR 101 041-2); those of the keypad
/// are ITU-T Q.23's.
package struct Tone: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        /// Sounding together, in Hz; none for a pause.
        package let frequencies: [Double]
        package let milliseconds: Int

        package static func sound(_ frequencies: Double..., for milliseconds: Int) -> Part {
            Part(frequencies: frequencies, milliseconds: milliseconds)
        }

        package static func pause(_ milliseconds: Int) -> Part { Part(frequencies: [], milliseconds: milliseconds) }
    }

    package let parts: [Part]
    /// Whether it goes on until it is stopped.
    package let isEndless: Bool

    /// Another call waits: two short sounds every ten seconds.
    package static let callWaiting = Tone(
        parts: [.sound(440, for: 200), .pause(200), .sound(440, for: 200), .pause(9_400)], isEndless: true)
    /// The far side rings.
    package static let ringback = Tone(parts: [.sound(425, for: 1_000), .pause(4_000)], isEndless: true)
    /// The far side is busy.
    package static let busy = Tone(
        parts: [Part](repeating: [.sound(425, for: 500), .pause(500)], count: 4), isEndless: false)
    /// The call has failed.
    package static let failed = Tone(
        parts: [Part](repeating: [.sound(425, for: 250), .pause(250)], count: 6), isEndless: false)
    /// The call has ended.
    package static let ended = Tone(
        parts: [Part](repeating: [.sound(425, for: 120), .pause(120)], count: 3), isEndless: false)

    /// The tone of a key, one of 0–9, A–D, * and #; nil for another character.
    package static func key(_ key: Character) -> Tone? {
        let rows: [(Double, String)] = [(697, "123A"), (770, "456B"), (852, "789C"), (941, "*0#D")]
        let columns: [Double] = [1_209, 1_336, 1_477, 1_633]
        let name = Character(key.uppercased().first.map(String.init) ?? "")
        for (low, keys) in rows {
            if let column = Array(keys).firstIndex(of: name) {
                return Tone(parts: [.sound(low, columns[column], for: 150)], isEndless: false)
            }
        }
        return nil
    }
}

extension [Tone.Part] {
    fileprivate init(repeating parts: [Tone.Part], count: Int) { self = (0..<count).flatMap { _ in parts } }
}
