// A process that lets go of its start-up memory gets smaller, and goes on.

import EventLoop
import Foundation
import Testing

@Suite struct StartUpMemoryTests {
    /// Kilobytes of files that this process has in memory.
    private func fileMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    @Test func release() throws {
        let before = try fileMemory()
        StartUpMemory.release()
        #expect(try fileMemory() < before)
        // Code and constants are there when they are needed.
        #expect((0..<1000).map(String.init).joined().count == 2890)
    }
}
