// DirectoryExtension: a plugin's call directory, with its entries, its setting and its load.

internal import CallDirectory
import CallModel
internal import CallWire
import DBus
import EventLoop
internal import WorkerLaunch

@LoopActor
final class DirectoryExtension {
    let id: String
    var record: ExtensionRecord
    /// The entries that the system has.
    var compiled: CompiledDirectory?
    var damage: String?
    var load: DirectoryLoad?
    /// Called at the end of the load.
    var waiting: [Completion<Void>] = []
    /// The plugin that has it; nil while it is missing.
    var plugin: DirectoryPlugin?

    init(_ id: String, _ record: ExtensionRecord) {
        self.id = id
        self.record = record
    }

    var status: String { record.isEnabled ? "enabled" : "disabled" }

    /// Whether it is enabled, and its plugin as well.
    var isInUse: Bool { record.isEnabled && plugin?.isEnabled == true }

    /// The entries in force.
    var inForce: CompiledDirectory? { isInUse ? compiled : nil }

    var report: VariantDictionary {
        var report: VariantDictionary = ["status": .string(status), "loading": .bool(load != nil)]
        let counts = compiled?.counts ?? DirectoryCounts()
        report["blocked"] = .uint64(UInt64(counts.blocked))
        report["identified"] = .uint64(UInt64(counts.identified))
        report["ranges"] = .uint64(UInt64(counts.ranges))
        report["labels"] = .uint64(UInt64(compiled?.labelCount ?? 0))
        report["size"] = .uint64(UInt64(compiled?.size ?? 0))
        if let last = record.load {
            report["loaded-at"] = last.at.inVariant
            report["duration-ms"] = .uint64(last.duration)
            report["incremental"] = .bool(last.isIncremental)
            report["error"] = .string(last.error)
            report["message"] = .string(last.message)
            report["left-out"] = .uint64(last.leftOut ?? 0)
            report["complaints"] = Variant(last.complaints ?? [])
        }
        if let load {
            report["loading-blocked"] = .uint64(UInt64(load.counts.blocked))
            report["loading-identified"] = .uint64(UInt64(load.counts.identified))
        }
        if let damage { report["damage"] = .string(damage) }
        return report
    }
}
