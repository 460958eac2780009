// Reads the exported symbols of plugins, also from malicious files.

import EventLoop
import Files
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct ELFSymbolReaderTests {
    private static func bytes(_ name: String) throws -> [UInt8] {
        let file = try FileReader(ProcessEnvironment.executableFolder + "/lib\(name).so")
        return try file.bytes(at: 0, count: Int(file.status.size))
    }

    private static func reader(_ bytes: [UInt8]) throws(PluginFileError) -> ELFSymbolReader? {
        try ELFSymbolReader { offset, count in
            guard let start = Int(exactly: offset), start <= bytes.count else { return [] }
            return Array(bytes[start...].prefix(count))
        }
    }

    @Test(
        arguments: [
            ("Hotline", [.provider]), ("SmallestPlugin", [.provider]), ("TutorialDirectory", [.directory]),
            ("ListDirectory", [.directory]),
        ] as [(String, Set<PluginPart>)]) func entriesOfOurs(name: String, parts: Set<PluginPart>) throws
    {
        let reader = try #require(try Self.reader(Self.bytes(name)))
        for part in PluginPart.allCases { #expect(try reader.exports(part.entry) == parts.contains(part)) }
        // Undefined in the file, or missing.
        #expect(try !reader.exports("malloc") && !reader.exports("opencallkit_plugin_mai") && !reader.exports(""))
    }

    @Test func theHashIsTheLinkers() {
        #expect(ELFSymbolReader.hash("") == 5_381 && ELFSymbolReader.hash("printf") == 0x156B_2BB8)
    }

    @Test func filesWithoutSymbols() throws {
        #expect(try Self.reader(ELFImage().bytes) == nil)
        #expect(throws: PluginFileError.notELF) { try Self.reader([]) }
    }

    /// Only a limited part of a large file is read, whatever its headers say.
    @Test func randomMutations() throws {
        let sound = try Self.bytes("WorkerProbe")
        var random = SeededGenerator(seed: 5)
        var found = 0
        for _ in 0..<3_000 {
            var bytes = sound
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                // Headers and tables come first.
                bytes[Int.random(in: 4..<min(bytes.count, 4_096), using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let runPath = try? Self.reader(bytes)?.runPath()
            #expect((runPath ?? "").utf8.count < 1_024)
            if let reader = try? Self.reader(bytes), (try? reader.exports(PluginPart.provider.entry)) == true {
                found += 1
            }
        }
        #expect(found > 100)
    }
}
