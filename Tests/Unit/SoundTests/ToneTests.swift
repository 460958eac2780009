// The tones of telephones, as samples.

import EventLoop
import Glibc
import Testing

@testable import Sound

@Suite struct ToneTests {
    /// Returns the samples of a tone from its beginning, read in pieces of odd sizes.
    @LoopActor private func samples(of tone: Tone, count: Int = .max) -> [Float] {
        let source = ToneSource(tone)
        var samples: [Float] = []
        while samples.count < count {
            let piece = source.piece(frames: 997)
            samples += piece
            if piece.count < 997 { break }
        }
        return Array(samples.prefix(count))
    }

    /// Returns the amplitude of one frequency, by Goertzel's algorithm.
    private func strength(of frequency: Double, in samples: ArraySlice<Float>) -> Double {
        let coefficient = 2 * cos(2 * .pi * frequency / 48_000)
        var (before, last) = (0.0, 0.0)
        for sample in samples { (before, last) = (last, Double(sample) + coefficient * last - before) }
        return 2 * (before * before + last * last - coefficient * before * last).squareRoot() / Double(samples.count)
    }

    @Test @LoopActor func callWaitingIsTwoShortSoundsEveryTenSeconds() {
        let samples = samples(of: .callWaiting)
        #expect(Tone.callWaiting.isEndless)
        #expect(samples.count == 480_000)
        #expect(samples[9_600..<19_200].allSatisfy { $0 == 0 })
        #expect(samples[28_800...].allSatisfy { $0 == 0 })
        for start in [0, 19_200] {
            let burst = samples[start..<(start + 9_600)]
            #expect(abs(strength(of: 440, in: burst) - 0.1) < 0.01, "440 Hz at -20 dB")
            #expect(strength(of: 600, in: burst) < 0.005)
            #expect((burst.map { abs($0) }.max() ?? 1) <= 0.1)
        }
    }

    @Test @LoopActor func noSoundBeginsOrEndsWithAClick() {
        for tone in [Tone.callWaiting, .ringback, .busy, .failed, .ended] {
            let samples = samples(of: tone, count: 300_000)
            let steps = zip(samples, samples.dropFirst()).map { abs($1 - $0) }
            // A sine of 440 Hz and amplitude 0.1 moves by 0.0058 from one sample to the next.
            #expect((steps.max() ?? 1) < 0.006)
            #expect(samples.first == 0)
        }
    }

    @Test @LoopActor func tonesOfEndsAreShort() {
        for (tone, seconds) in [(Tone.busy, 4.0), (.failed, 3.0), (.ended, 0.72)] {
            #expect(!tone.isEndless)
            #expect(Double(samples(of: tone).count) / 48_000 == seconds)
        }
    }

    @Test @LoopActor func eachKeyHasItsPairOfFrequencies() throws {
        let low: [Double] = [697, 770, 852, 941]
        let high: [Double] = [1_209, 1_336, 1_477, 1_633]
        for (row, keys) in ["123A", "456B", "789C", "*0#D"].enumerated() {
            for (column, key) in keys.enumerated() {
                let samples = samples(of: try #require(Tone.key(key)))
                #expect(samples.count == 7_200)
                let all = (low + high).sorted {
                    strength(of: $0, in: samples[...]) > strength(of: $1, in: samples[...])
                }
                #expect(Set(all.prefix(2)) == [low[row], high[column]], "key \(key)")
            }
        }
        #expect(Tone.key("a") == Tone.key("A"))
        for key: Character in ["E", " ", "é", "ß", "１", "👩‍👩‍👧", "\n"] { #expect(Tone.key(key) == nil) }
    }

    @Test @LoopActor func aToneBeginsAgain() {
        let source = ToneSource(.ended)
        let first = source.piece(frames: 4_000)
        source.rewind()
        #expect(source.piece(frames: 4_000) == first)
    }
}

extension SampleSource {
    /// Reads up to so many frames.
    @LoopActor func piece(frames: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: frames * channels) { buffer, count in
            let whole = UnsafeMutableBufferPointer(start: buffer.baseAddress, count: frames * channels)
            whole.initialize(repeating: 9)
            count = read(into: whole) * channels
        }
    }
}
