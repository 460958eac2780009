// Confinement: the sandbox of a plugin that is examined.

import CallModel
import EventLoop
import WorkerLaunch

/// What a plugin may use while it is examined, and where it keeps what it writes.
@LoopActor
struct Confinement {
    let granted: Set<Permission>
    private let place: ExaminedPlace

    init(_ granted: Set<Permission>, _ place: ExaminedPlace) {
        self.granted = granted
        self.place = place
    }

    /// Returns what a worker is told, as callkitd would tell it. Empties the folder for temporary files.
    ///
    /// - Parameter surroundings: variables in place of those of the user.
    func policy(
        for file: PluginFile, _ surroundings: [String: String], _ options: ExaminationOptions
    ) throws -> SandboxPolicy {
        try place.storage.prepare(for: .provider)
        place.storage.removeLeftovers()
        let environment = options.environment.merging(surroundings) { $1 }
        var resources = SandboxResources(of: granted, environment: environment)
        if let (permission, reason) = resources.refused.min(by: { $0.key < $1.key }) {
            throw CallError(.notSupported, "\(permission) is not available: \(reason)")
        }
        let sockets = place.sockets
        resources.sessionBus = sockets[.session]
        resources.systemBus = sockets[.system]
        return try SandboxPolicy(
            for: file.sandboxed, granted: granted, storage: place.storage, resources: resources,
            environment: environment, worker: options.worker, demand: options.isSandboxed ? .syscalls : .none,
            reportsDenied: true)
    }
}
