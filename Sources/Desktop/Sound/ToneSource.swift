// ToneSource: the samples of a tone.

internal import EventLoop
internal import Glibc

/// Computes a tone at 48,000 samples per second. Each sound begins and ends softly, so that nothing clicks.
@LoopActor
final class ToneSource: SampleSource {
    /// The amplitude of a tone: -20 dB.
    private static let amplitude = 0.1
    /// The length of a soft beginning or end, in samples.
    private static let edge = 240

    let rate = 48_000
    let channels = 1
    private let tone: Tone
    /// The length of each part, in samples.
    private let lengths: [Int]
    private var part = 0
    /// The next sample of the part.
    private var position = 0

    init(_ tone: Tone) {
        self.tone = tone
        lengths = tone.parts.map { [rate] in $0.duration.milliseconds * rate / 1_000 }
    }

    func read(into buffer: UnsafeMutableBufferPointer<Float>) -> Int {
        var count = 0
        while count < buffer.count, part < tone.parts.count {
            let length = lengths[part]
            if position >= length {
                part += 1
                position = 0
            } else {
                buffer[count] = sample(of: tone.parts[part], length)
                position += 1
                count += 1
            }
        }
        return count
    }

    private func sample(of part: Tone.Part, _ length: Int) -> Float {
        guard !part.frequencies.isEmpty else { return 0 }
        let time = Double(position) / Double(rate)
        let sum = part.frequencies.reduce(0) { $0 + sin(2 * .pi * $1 * time) } / Double(part.frequencies.count)
        let softness = min(1, Double(min(position, length - 1 - position)) / Double(Self.edge))
        return Float(sum * softness * Self.amplitude)
    }

    func rewind() {
        part = 0
        position = 0
    }
}
