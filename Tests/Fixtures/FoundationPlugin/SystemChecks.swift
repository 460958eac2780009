// The system: the network, other programs, and what Foundation tells of the machine.

import CheckingProvider
import Foundation
import FoundationNetworking
import OpenCallKit

enum SystemChecks {
    static let all = [
        Check("download") { try await download($0) }, Check("program") { _ in try program() },
        Check("machine") { _ in try machine() }, Check("bundle") { _ in try bundle() },
        Check("run-loop") { _ in try runLoop() }, Check("operations") { _ in try operations() },
        Check("host") { _ in host() }, Check("permissions") { _ in permissions() },
    ]

    /// Downloads from `url`. Without a permission for the network that is an error, and without `url` the error is
    /// wanted.
    private static func download(_ arguments: [String: CXValue]) async throws -> String {
        guard let url = URL(string: arguments["url"]?.stringValue ?? "http://127.0.0.1:9/") else {
            throw Unexpected("no URL")
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        do {
            let (data, _) = try await session.data(from: url)
            return String(decoding: data.prefix(100), as: UTF8.self)
        } catch let error as URLError where arguments["url"] == nil {
            return "URLError \(error.errorCode)"
        }
    }

    /// Starting a program is an error of Swift, and no more.
    private static func program() throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        do {
            try process.run()
        } catch {
            return "\((error as NSError).code)"
        }
        process.waitUntilExit()
        throw Unexpected("/bin/true was started")
    }

    private static func machine() throws -> String {
        let info = ProcessInfo.processInfo
        try expect(info.activeProcessorCount >= 1, "there is no processor")
        try expect(info.physicalMemory > 1 << 20, "there is no memory")
        try expect(info.systemUptime > 0 && info.processIdentifier > 0, "the machine is not up")
        return "\(info.activeProcessorCount) \(info.operatingSystemVersionString)"
    }

    private static func bundle() throws -> String {
        let path = Bundle.main.bundlePath
        try expect(!path.isEmpty, "the main bundle has no path")
        return path
    }

    private static func runLoop() throws -> String {
        let fired = Count()
        let timer = Timer(timeInterval: 0.01, repeats: true) { _ in fired.increase() }
        RunLoop.current.add(timer, forMode: .default)
        let end = Date(timeIntervalSinceNow: 5)
        while fired.value < 3, Date() < end {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
        }
        timer.invalidate()
        try expect(fired.value >= 3, "the timer fired \(fired.value) times")
        return "\(fired.value)"
    }

    private static func operations() throws -> String {
        let (queue, done) = (OperationQueue(), Count())
        queue.maxConcurrentOperationCount = 8
        for _ in 0..<100 { queue.addOperation { done.increase() } }
        queue.waitUntilAllOperationsAreFinished()
        try expect(done.value == 100, "\(done.value) of 100 operations are done")
        return "\(done.value)"
    }

    /// The name of the machine is asked for without a network too, and may be anything.
    private static func host() -> String { ProcessInfo.processInfo.hostName }

    private static func permissions() -> String { PluginMain.permissions.sorted().joined(separator: " ") }
}

/// A number that several threads increase.
final class Count: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    func increase() { lock.withLock { count += 1 } }
}
