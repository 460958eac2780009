// The points about what a plugin may use: what it asks for, and how it lives with what is denied.

import CallModel
import WorkerLaunch

extension Examination {
    func examinePermissions() throws(Unmet) -> String {
        if case .manifest(let reason) = fileError { throw .failed(reason) }
        let manifest = try file().manifest
        guard manifest.unknown.isEmpty else {
            let lines = manifest.unknown.joined(separator: "; ")
            throw .failed("\(PluginManifest.fileName) has unknown entries: \(lines)")
        }
        guard !manifest.asked.isEmpty else { throw .notApplicable("it asks for nothing") }
        return [("needs", manifest.needs), ("may use", manifest.mayUse)].compactMap { word, list in
            list.isEmpty ? nil : "\(word) \(list.map(text(of:)).joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    /// The permission with what the user is told of it.
    private func text(of permission: Permission) -> String {
        let isExplained = (try? file().manifest.reasons[permission]) != nil
        return isExplained ? permission.text : "\(permission.text) (without a reason)"
    }

    func examineSandbox() async throws(Unmet) -> String {
        guard options.isSandboxed else { throw .notApplicable("it is examined outside the sandbox") }
        try await require(.hello)
        let host = try await greeted()
        // A worker has told how it is confined before it says Hello.
        _ = await host.wait(options.helloPatience) { [weak host] in host?.greeting != nil || host?.isUp != true }
        guard let report = host.report, report.level > .none else { throw .failed("the worker is not confined") }
        var seen = ["level \(report.level.rawValue)"]
        if !report.gaps.isEmpty { seen.append("not enforced here: \(report.gaps.joined(separator: ", "))") }
        let names = granted.sorted().map(\.text).joined(separator: ", ")
        seen.append(granted.isEmpty ? "nothing granted" : "granted: \(names)")
        let denied = Denials(deniedAnywhere, home: options.environment["HOME"] ?? "").text
        if !denied.isEmpty { seen.append("denied: \(denied)") }
        return seen.joined(separator: "; ")
    }
}
