// A plugin in a real worker process, whose link the test holds.

import CallModel
import CallWire
import DBus
import EventLoop
import Files
import Glibc
import TestSupport
import WorkerLaunch

@testable import OpenCallKit

@LoopActor
final class Worker {
    let host: ScriptedHost
    private(set) var configuration = ProviderConfiguration()
    private let process: LinkedProcess
    private let folder = "/tmp/opencallkit-worker-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    private let exits = Inbox<ExitStatus>()

    /// Starts the worker, which has not sent Hello yet.
    init(_ plugin: String, refusing refusal: CallError? = nil) throws {
        let (library, worker) = ("\(productFolder)/lib\(plugin).so", "\(productFolder)/callkit-worker")
        let file = try FileReader(library)
        let storage = PluginStorage(state: "\(folder)/plugins/state", cache: "\(folder)/plugins/cache")
        try storage.prepare(for: .provider)
        let policy = try SandboxPolicy(
            for: SandboxedPlugin(file, library: library, bundle: Self.resources(of: plugin)), granted: [],
            storage: storage, resources: SandboxResources(of: [], environment: [:]), environment: [:],
            worker: worker, demand: .syscalls)
        process = try LinkedProcess(loading: library, file, worker: worker, policy: policy) { [exits] in exits.put($1) }
        host = ScriptedHost(process.link)
        host.refusal = refusal
        host.place = ["plugin-id": .string(plugin), "resource-directory": .string(Self.resources(of: plugin))]
    }

    isolated deinit { try? FolderTree.remove(folder) }

    /// Waits until the plugin is registered and has begun.
    func begin() async throws {
        configuration = try ProviderConfiguration(wire: try await host.begin())
    }

    func exit() async throws -> ExitStatus { try await exits.next() }

    /// Closes the link, which ends the worker.
    func end() async throws {
        host.close()
        _ = try await exits.next()
    }

    /// Returns the next report of these kinds, and skips others.
    func hear(_ matches: @LoopActor (Heard) -> Bool) async throws -> Heard {
        try await host.heard.next(where: matches)
    }

    private static func resources(of plugin: String) -> String {
        let here = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return "/\(here)/Plugins/\(plugin)/Resources"
    }
}

/// The folder of the products: that of the test's own binary.
let productFolder: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count))
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
}()
