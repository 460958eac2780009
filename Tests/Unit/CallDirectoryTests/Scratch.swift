// A folder for the files of one test, and reproducible random numbers.

import Foundation
import Testing

@testable import CallDirectory

final class Scratch {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "directory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } }

    func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(filePath: path(name)))) }

    func write(_ name: String, _ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path(name))) }

    /// Writes a directory and opens it.
    func directory(
        _ name: String, blocked: [Int64] = [], identified: [IdentificationEntry] = []
    ) throws -> CompiledDirectory {
        let writer = try CompiledDirectoryWriter(path(name))
        try writer.block(blocked)
        for entry in identified { try writer.identify(entry.number, entry.label) }
        try writer.finish()
        return try CompiledDirectory(path(name))
    }
}

struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
