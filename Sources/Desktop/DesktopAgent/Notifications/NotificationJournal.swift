// NotificationJournal: which notifications are shown, on disk, in case the agent is killed meanwhile.

import EventLoop
import Files

/// The file with the ids of the notifications that are shown, and which server shows them. It exists as long as one is
/// shown. The ids of another server mean nothing, nor do those of a server on another bus.
@LoopActor
final class NotificationJournal {
    private var file: KeptFile?

    /// More notifications than are ever shown.
    private static let maximumIDs = 256

    /// - Parameter environment: with `XDG_RUNTIME_DIR`; without it, nothing is kept.
    init(environment: [String: String]) {
        let path = environment["XDG_RUNTIME_DIR"].flatMap {
            $0.hasPrefix("/") ? $0 + "/opencallkit/notifications" : nil
        }
        file = path.map { KeptFile($0, longest: ConfigurationText.longest) }
    }

    /// Returns what is noted of a server.
    func read(of server: String) -> [UInt32] {
        guard let bytes = try? file?.read() else { return [] }
        let entries = ConfigurationText(String(decoding: bytes, as: UTF8.self)).entries
        if entries.contains(where: { !["server", "ids"].contains($0.key) || $0.value == nil }) { file?.noteDamage() }
        guard entries.first(where: { $0.key == "server" })?.value == server,
            let ids = entries.first(where: { $0.key == "ids" })?.value
        else { return [] }
        return ids.split(separator: " ").prefix(Self.maximumIDs).compactMap { UInt32($0) }.filter { $0 != 0 }
    }

    /// Notes what a server shows now; nothing removes the file. A notification that cannot be noted is shown all the same.
    func write(_ ids: [UInt32], of server: String) {
        if ids.isEmpty {
            try? file?.remove()
            return
        }
        var text = ConfigurationText("# The notifications of callkit-desktop that are shown\n")
        text.set("server", to: server)
        text.set("ids", to: ids.prefix(Self.maximumIDs).map { String($0) }.joined(separator: " "))
        try? file?.replace(with: Array(text.text.utf8))
    }
}
