// How the daemon fares: what every defence against too much makes visible.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    /// The value of the property `Health`.
    var health: VariantDictionary {
        let files = settingsProblems.sorted { $0.key < $1.key }.map(\.value)
        return [
            "loop-lag-ms": .uint32(UInt32(clamping: Loop.shared.lag.milliseconds)),
            "calls-waiting": .uint32(UInt32(clamping: bus?.waitingCalls ?? 0)),
            "requests-waiting": .uint32(UInt32(clamping: replies.count)),
            "bytes-to-send": .uint64(UInt64(bus?.queuedBytes ?? 0)),
            "refused": .uint64(refused),
            "quarantined": Variant(plugins.quarantined),
            "silent": Variant(silent),
            "degraded": .string((tree.object(at: .recents) as? RecentsProxy)?.degraded ?? ""),
            "files": Variant(files),
        ]
    }

    /// Who did not answer the last question in time, so that nobody waits for it.
    private var silent: [String] {
        machine.silentProviders.map(\.rawValue)
            + machine.silentScreeners.map { "screener \(screeners.name(of: $0))" }
            + (machine.audio.isAgentSilent ? ["audio agent"] : [])
    }
}
