// The text form of inputs says everything, and nothing read from outside makes it fail.

import CallCore
import CallModel
import CallScenario
import CallSimulation
import Testing

@Suite struct TextTests {
    @Test func everyInputReadsBackAsItself() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5_000 {
            let input = generator.oneIn(3) ? generator.inputBeforeRinging() : generator.input()
            let line = input.description
            #expect(!line.contains { $0.isNewline }, "more than one line: \(line)")
            let read = try Input(line: line)
            #expect(read == input, "\(line)")
            guard read == input else { return }
        }
    }

    @Test func brokenLinesAreRefusedAndNeverTrap() {
        var generator = SeededGenerator(seed: 8)
        var refused = 0
        for _ in 0..<5_000 {
            var scalars = Array(generator.input().description.unicodeScalars)
            for _ in 0..<generator.number(1...4) where !scalars.isEmpty {
                let index = generator.number(0...(scalars.count - 1))
                if generator.flag() { scalars.remove(at: index) } else { scalars.insert("\"", at: index) }
            }
            var line = String.UnicodeScalarView()
            line.append(contentsOf: scalars)
            do { _ = try Input(line: String(line)) } catch {
                refused += 1
                #expect(error.code == .invalidArguments)
            }
        }
        #expect(refused > 500)
    }
}
