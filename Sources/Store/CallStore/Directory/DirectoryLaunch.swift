// DirectoryLaunch: what a worker that loads a directory is started with.

import CallModel
import Files
internal import WorkerLaunch

/// Looks at the library and makes the sandbox for it, off the loop: the folders of a plugin can be any size.
struct DirectoryLaunch: Sendable {
    /// All that the worker needs.
    struct Ready: Sendable {
        let library: FileReader
        let policy: SandboxPolicy
    }

    let plugin: DirectoryPlugin
    /// The absolute path of callkit-worker.
    let worker: String
    let environment: [String: String]
    let kernel: SimulatedKernel

    /// Measures the plugin's folders. Blocks, as the disk does.
    ///
    /// - Returns: The bound that they exceed, as the end of a sentence about the plugin; nil if there is none.
    func excess() -> String? { PluginStorage(id: plugin.id, environment: environment)?.excess(of: plugin.id) }

    /// Makes the plugin's folders, and the policy of its sandbox. Blocks, as the disk does.
    ///
    /// - Throws: why the worker cannot be started, with the plugin as the subject.
    func prepare() throws -> Ready {
        let library = try plugin.open()
        let granted = Set(plugin.permissions)
        guard let storage = PluginStorage(id: plugin.id, environment: environment) else {
            throw CallError(.loadingInterrupted, "cannot be started: there is no folder for it, HOME is not set")
        }
        do {
            try storage.prepare(for: .directory)
            storage.removeLeftovers()
        } catch {
            throw CallError(.loadingInterrupted, "cannot be started: its folders cannot be made: \(error)")
        }
        if let excess = storage.excess(of: plugin.id) { throw CallError(.loadingInterrupted, excess) }
        let resources = SandboxResources(of: granted, environment: environment)
        if let (permission, reason) = resources.refused.min(by: { $0.key < $1.key }) {
            throw CallError(.loadingInterrupted, "is not given \(permission): \(reason)")
        }
        let policy = try SandboxPolicy(
            for: SandboxedPlugin(library, library: plugin.library, bundle: plugin.resourceFolder), as: .directory,
            granted: granted, storage: storage, resources: resources, environment: environment, worker: worker,
            demand: plugin.demand, kernel: kernel)
        return Ready(library: library, policy: policy)
    }
}
