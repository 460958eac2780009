// A folder that is removed, replaced or in the way, and the state of a file in numbers.

import Files
import Foundation
import TestSupport
import Testing

@Suite struct HeldFolderTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/a/b" }

    init() throws { folder = try TemporaryFolder() }

    @Test func aFolderThatStays() throws {
        let held = HeldFolder(making: path)
        #expect(held.exists)
        try FileWriter.replace("\(path)/file", with: [1])
        #expect(held.change == .none)
    }

    @Test func aFolderThatIsRemovedOrReplaced() throws {
        let held = HeldFolder(making: path)
        try FileManager.default.removeItem(atPath: "\(folder.path)/a")
        #expect(held.change == .replaced)
    }

    @Test func aFolderWithAnothersName() throws {
        let held = HeldFolder(making: path)
        // The first one stays, so that its number is not given to the second.
        try FileWriter.rename(path, to: "\(folder.path)/a/first")
        try FileWriter.makeFolder(path)
        #expect(held.change == .replaced)
        try FileManager.default.removeItem(atPath: path)
        try FileWriter.rename("\(folder.path)/a/first", to: path)
        #expect(held.change == .none)
    }

    @Test func whatWasInTheWayOfAFolder() throws {
        try FileWriter.replace("\(folder.path)/a", with: [])
        let held = HeldFolder(making: path)
        #expect(!held.exists)
        #expect(held.change == .unusable)
        try FileManager.default.removeItem(atPath: "\(folder.path)/a")
        #expect(held.change == .replaced)
    }

    @Test func aLinkToAFolder() throws {
        try FileWriter.makeFolder("\(folder.path)/real")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/a", withDestinationPath: "\(folder.path)/real")
        let held = HeldFolder(making: path)
        #expect(held.exists && held.change == .none)
        #expect((try? FileStatus("\(folder.path)/real/b"))?.kind == .folder)
    }

    @Test func theVersionOfAFile() throws {
        try FileWriter.replace("\(folder.path)/file", with: [1])
        let first = try FileStatus("\(folder.path)/file").version
        #expect(try FileReader("\(folder.path)/file").status.version == first)
        #expect(first.size == 1)
        // The same contents in another file.
        try FileWriter.replace("\(folder.path)/file", with: [1])
        let second = try FileStatus("\(folder.path)/file").version
        #expect(second != first)
        #expect(second.device == first.device && second.size == first.size)
        let seconds = Int64(Date().timeIntervalSince1970)
        #expect(abs(second.changed / 1_000_000_000 - seconds) < 3_600)
    }
}
