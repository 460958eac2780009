// PluginVersion: what one file says of a plugin, before any of its code runs.

import CallModel
import Files
import WorkerLaunch

/// The file that a plugin runs from, or one that is to take its place.
struct PluginVersion {
    let candidate: PluginCandidate
    /// Whether its installation grants what it asks for; see `PluginSearchPath.isPackaged(in:)`.
    let isPackaged: Bool
    /// The fields of its accounts, or why it has none: `NotSupported`.
    let schema: Result<AccountSchema, CallError>
    /// A digest of the files; nil while it is not known.
    var contents: UInt64?

    init(_ candidate: PluginCandidate, isPackaged: Bool) {
        self.candidate = candidate
        self.isPackaged = isPackaged
        schema = Self.schema(of: candidate)
    }

    /// Nil for a file that cannot be used.
    var file: PluginFile? { if case .usable(let file) = candidate { file } else { nil } }

    var manifest: PluginManifest { file?.manifest ?? PluginManifest() }
    var parts: Set<PluginPart> { file?.parts ?? [] }
    var hasProvider: Bool { parts.contains(.provider) }
    /// The store runs it while the entries of its directory are loaded.
    var hasDirectory: Bool { parts.contains(.directory) }
    var hasSchema: Bool { if case .success = schema { true } else { false } }

    /// The key of the decisions about its permissions.
    var place: PluginGrants.Place {
        PluginGrants.Place(id: candidate.id, folder: candidate.location.deletingLastElement)
    }

    /// Whether both ask for the same. What a running one holds is learned while it starts: the files beside its library may
    /// have changed before that, and `contents` be those of the new ones.
    func says(theSameAs other: PluginVersion) -> Bool { manifest == other.manifest && schema == other.schema }

    /// What the log says of a file that takes the place of another: "", or how the versions differ.
    func replacement(of old: PluginVersion) -> String {
        let (new, before) = (manifest.version, old.manifest.version)
        guard new != before else { return "" }
        return ": \(new.isEmpty ? "one without a version" : new) replaces "
            + (before.isEmpty ? "one without a version" : before)
    }

    private static func schema(of candidate: PluginCandidate) -> Result<AccountSchema, CallError> {
        Result { () throws(CallError) in
            guard case .usable(let file) = candidate else {
                throw CallError(.notSupported, "plugin \(candidate.id) cannot be used")
            }
            do {
                if let schema = try AccountSchema.read(inBundle: file.resourceDirectory) { return schema }
            } catch {
                let reason = (error as? CallError)?.message ?? "\(error)"
                throw CallError(.notSupported, "plugin \(file.id) has no valid schema: \(reason)")
            }
            throw CallError(.notSupported, "plugin \(file.id) has no accounts")
        }
    }
}
