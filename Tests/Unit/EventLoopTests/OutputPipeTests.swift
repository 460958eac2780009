// What a child prints is passed on as lines that name it.

import Glibc
import Testing

@testable import EventLoop

@Suite @LoopActor struct OutputPipeTests {
    /// Prints through a pipe; returns what was passed on, and the last words.
    private func printing(_ text: String) throws -> (lines: [Substring], words: String) {
        let file = try #require(tmpfile())
        defer { fclose(file) }
        let pipe = try OutputPipe("plugin Phone", libraries: ["4": "Phone"], output: fileno(file))
        let bytes = Array(text.utf8)
        // A pipe holds 64 KiB.
        try #require(write(pipe.writingEnd, bytes, bytes.count) == bytes.count)
        let words = pipe.lastWords()
        rewind(file)
        var found = [UInt8](repeating: 0, count: 1 << 20)
        found.removeSubrange(fread(&found, 1, found.count, file)...)
        return (String(decoding: found, as: UTF8.self).split(separator: "\n"), words)
    }

    @Test func linesNameTheChild() throws {
        let (lines, words) = try printing("one\n\nFatal error: two\nthree")
        #expect(lines == ["plugin Phone: one", "plugin Phone: Fatal error: two", "plugin Phone: three"])
        #expect(words == "Fatal error: two")
    }

    @Test func framesNameTheirLibrary() throws {
        let trace =
            "0    libswiftCore.so   0x0000000a assert + 1\n1    4    0x0000000b main + 12\n2    4  0x0c <unavailable> + 3\n"
        let (lines, _) = try printing(trace)
        #expect(
            lines == [
                "plugin Phone: 0    libswiftCore.so   0x0000000a assert + 1",
                "plugin Phone: 1 Phone 0x0000000b main + 12",
            ])
    }

    @Test func linesSteerNoTerminal() throws {
        let (lines, _) = try printing("\u{1B}[2Ja\u{9B}31mb\rc\u{202E}d\u{2028}e\n")
        #expect(lines == ["plugin Phone: [2Ja31mbcde"])
    }

    @Test func prioritiesStayAtTheBeginning() throws {
        let (lines, _) = try printing("<6>[app] a\n<0>b\n<9>c\n<6\n")
        #expect(lines == ["<6>plugin Phone: [app] a", "<3>plugin Phone: b", "plugin Phone: <9>c", "plugin Phone: <6"])
    }

    @Test func longLinesAndManyLinesAreBounded() throws {
        let (lines, _) = try printing(String(repeating: "x", count: 60_000) + "\n")
        #expect(lines.map(\.utf8.count) == ["plugin Phone: ".utf8.count + 512])
        let many = try printing(String(repeating: "y\n", count: 5_000)).lines
        #expect(many.count == OutputPipe.maximumLines)
    }
}
