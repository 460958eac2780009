// Why it is to be quiet besides the user's own Do Not Disturb: what clients pass on from elsewhere.

import CallModel
import CallWire
import DBus
import EventLoop

/// The sources that clients have turned on, each as long as one of them is connected.
@LoopActor
final class QuietSources {
    private struct Entry {
        let client: String
        let source: String
        let watch: NameWatch?
    }

    static let maximum = 16
    private var entries: [Entry] = []

    /// In alphabetical order.
    var names: [String] { Set(entries.map(\.source)).sorted() }
    var count: Int { entries.count }

    func contains(_ source: String, of client: String) -> Bool {
        entries.contains { $0.client == client && $0.source == source }
    }

    func add(_ source: String, of client: String, _ watch: NameWatch?) {
        entries.append(Entry(client: client, source: source, watch: watch))
    }

    func remove(_ source: String, of client: String) {
        entries.removeAll { $0.client == client && $0.source == source }
    }

    func removeAll() { entries = [] }
}

extension CallSystemHost {
    func setQuiet(_ source: String, _ isOn: Bool, from context: CallContext) throws(CallError) {
        guard CustomAction.isValid(id: source) else {
            throw CallError(
                .invalidArguments, "source is \"\(source.excerpt)\", expected 1 to 64 letters, digits, ., _ and -")
        }
        guard let client = context.sender, guests[ObjectIdentifier(context.channel)] == nil else {
            throw CallError(.accessDenied, "only a client of the bus can be a source of quiet")
        }
        guard isOn != quietSources.contains(source, of: client) else { return }
        if !isOn { return removeQuiet(source, of: client) }
        guard quietSources.count < QuietSources.maximum else {
            throw CallError(.limitsExceeded, "\(quietSources.count) sources of quiet are on already")
        }
        let watch = bus?.watchName(
            client, appeared: { _ in }, vanished: { [weak self] in self?.removeQuiet(source, of: client) })
        changeQuiet { quietSources.add(source, of: client, watch) }
    }

    private func removeQuiet(_ source: String, of client: String) {
        changeQuiet { quietSources.remove(source, of: client) }
    }

    /// The bus went away, and with it every client.
    func loseQuietSources() { changeQuiet { quietSources.removeAll() } }

    private func changeQuiet(_ change: () -> Void) {
        let before = quietSources.names
        change()
        guard quietSources.names != before else { return }
        submitQuiet()
        tree.propertiesChanged(at: .system, Contract.callSystem, ["QuietSources"])
    }
}
