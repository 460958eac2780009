// PluginQuestions: asks the user for the permissions that plugins need.

import CallClient
import CallModel
import DBus
import EventLoop

/// A notification for each plugin that is not started without permissions which the user has not granted. A plugin is asked
/// about once, and again when it needs others.
@LoopActor
final class PluginQuestions {
    /// Called with a request that was refused.
    var onFailure: (@LoopActor (String, DBusError) -> Void)?

    private let context: DesktopContext
    private let board: NotificationBoard
    /// The questions that are shown, by their keys on the board.
    private var shown: Set<String> = []
    /// The needs of plugins about which the user has decided, here or elsewhere.
    private var decided: Set<String> = []

    /// The most plugins that are asked about at the same time.
    static let maximum = 3
    private static let othersKey = "consent"

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
    }

    /// Shows what there is to ask. Nothing is asked while the screen is locked: anybody could answer.
    func update() {
        let plugins = context.model.state.plugins.values.map(PluginConsent.init).sorted { $0.id < $1.id }
        // What is away with the daemon comes back with it, and stays decided.
        if context.model.hasBegun { decided.formIntersection(plugins.map(\.needsKey)) }
        // The user who revokes a permission is not asked to grant it.
        for plugin in plugins where plugin.missing.isEmpty { decided.insert(plugin.needsKey) }
        let waiting = plugins.filter { $0.isWaiting && !decided.contains($0.needsKey) }
        let open = context.screenLock.isLocked ? [] : waiting
        let asked = open.prefix(Self.maximum)
        for key in shown.subtracting(asked.map(\.key)) { board.withdraw(key) }
        shown = Set(asked.map(\.key))
        for plugin in asked { ask(plugin) }
        let others = open.count - asked.count
        if others > 0 {
            board.show(Self.othersKey, .morePlugins(others)) { _ in }
        } else {
            board.withdraw(Self.othersKey)
        }
    }

    private func ask(_ plugin: PluginConsent) {
        board.show(plugin.key, .consent(to: plugin)) { [weak self] action in
            switch action {
            case "allow": self?.grant(plugin)
            case "not-now": self?.decide(plugin)
            default: break
            }
        } closed: { [weak self] in
            self?.decide(plugin)
        }
    }

    private func decide(_ plugin: PluginConsent) {
        decided.insert(plugin.needsKey)
        update()
    }

    /// Grants what the notification names, whatever the plugin needs by now.
    private func grant(_ plugin: PluginConsent) {
        context.model.request(plugin.path, Contract.plugin, "Grant", plugin.missing) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.onFailure?("Allowing \(plugin.id.displayable)", error)
            self?.decided.remove(plugin.needsKey)
            self?.update()
            self?.board.showAgain(plugin.key)
        }
    }
}

/// What a plugin needs, and what of that it lacks.
private struct PluginConsent: Readable {
    let path: ObjectPath
    let properties: VariantDictionary

    init(_ record: Record) { (path, properties) = (record.path, record.properties) }

    var id: String { path.lastElement }
    var isWaiting: Bool { text("State") == "needs-consent" && !missing.isEmpty }
    var missing: [String] {
        let granted = Set(words("Granted"))
        return words("Needs").filter { !granted.contains($0) }
    }
    /// Tells its needs from those of other plugins, and from other needs of its own.
    var needsKey: String { ([id] + words("Needs")).joined(separator: "\n") }
    /// Tells the question from others: a click on an earlier one grants nothing that is new in this one.
    var key: String { (["consent", id] + missing).joined(separator: "\n") }

    /// The plugin's own words about a permission.
    func reason(for permission: String) -> String {
        let reasons: [String: String] = value("Reasons") ?? [:]
        return (reasons[permission] ?? "").displayable
    }
}

extension DesktopNotification {
    /// The most permissions that are listed, and the longest name of one and the longest reason, in characters.
    private static var maximumListed: Int { 6 }
    private static var longestName: Int { 100 }
    private static var longestReason: Int { 80 }

    /// What cannot be shown whole cannot be allowed here.
    fileprivate static func consent(to plugin: PluginConsent) -> DesktopNotification {
        let names = plugin.missing.map { Permission.inWords($0) }
        let isWhole = names.count <= maximumListed && names.allSatisfy { $0.count <= longestName }
        let lines = zip(plugin.missing, names).map { permission, name in
            let reason = plugin.reason(for: permission).prefix(longestReason)
            return reason.isEmpty ? "• \(name)" : "• \(name), it says: “\(reason)”"
        }
        return DesktopNotification(
            title: "Allow the plugin \(plugin.id.displayable)?",
            body: isWhole
                ? "It needs\n" + lines.joined(separator: "\n") : "It needs \(names.count) permissions.",
            actions: (isWhole ? [Action(key: "allow", label: "Allow")] : [])
                + [Action(key: "not-now", label: "Not Now")],
            command: "callctl plugins show \(plugin.id.displayable)", category: "x-opencallkit.consent",
            icon: "dialog-question", isLasting: true)
    }

    fileprivate static func morePlugins(_ count: Int) -> DesktopNotification {
        DesktopNotification(
            title: count == 1 ? "Another plugin needs permissions" : "\(count) other plugins need permissions",
            command: "callctl plugins", category: "x-opencallkit.consent", icon: "dialog-question", isLasting: true)
    }
}

extension Permission {
    /// A permission for people; a text that is none stays as it is.
    fileprivate static func inWords(_ text: String) -> String {
        switch try? Permission(text) {
        case .network: "the network"
        case .audio: "the microphone and the sound server"
        case .sessionBus(let name): "the service \(name) of your session"
        case .systemBus(let name): "the service \(name) of the system"
        case .files(let path): "to read \(path.displayable)"
        case .devices(.serial): "serial devices, such as modems"
        case .devices(.sound): "sound devices"
        case .devices(.camera): "cameras"
        case nil: text.displayable
        }
    }
}
