// PluginQuestions: asks the user for the permissions that plugins need.

import CallClient
import CallModel
import DBus
import EventLoop

/// A notification for each plugin, and each new version of one, that is not started without permissions which the user has
/// not granted. A plugin is asked about once, and again when it needs others.
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

    func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared, .vanished, .busLost: update()
        case .added(.plugin), .changed(_, Contract.plugin, _, _, _, _): update()
        case .removed(_, let interfaces) where interfaces.contains(Contract.plugin): update()
        default: break
        }
    }

    /// Shows what there is to ask. Nothing is asked while the screen is locked: anybody could answer.
    func update() {
        let plugins = context.model.state.plugins.values.sorted { $0.id < $1.id }.map(PluginConsent.init)
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
        context.model.request(plugin.path, Contract.plugin, "Grant", plugin.missing.map(\.text)) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.onFailure?("Allowing \(plugin.id.displayable)", error)
            self?.decided.remove(plugin.needsKey)
            self?.update()
            self?.board.showAgain(plugin.key)
        }
    }
}

/// The permissions that a plugin needs, and those of them that it lacks.
private struct PluginConsent {
    let path: ObjectPath
    let id: String
    /// The needed permissions that are not granted.
    let missing: [AskedPermission]
    /// Whether the plugin, or its new version, is not started because permissions are missing.
    let isWaiting: Bool
    /// The new version that waits while the old one goes on, "" if it has no name; nil for a plugin that does not run.
    let newVersion: String?
    /// Identifies the plugin together with all its needs.
    let needsKey: String
    /// Identifies the question. A question about other permissions has another key, so that a click on an earlier question
    /// grants nothing that is new in this one.
    let key: String

    init(_ plugin: Record) {
        let needed = plugin.permissions.filter(\.isNeeded)
        (path, id) = (plugin.path, plugin.id)
        missing = needed.filter { !$0.isGranted }
        let isUpgrade = plugin.text("Upgrade") == "needs-consent"
        isWaiting = (isUpgrade || plugin.text("State") == "needs-consent") && !missing.isEmpty
        newVersion = isUpgrade ? plugin.text("UpgradeVersion") : nil
        needsKey = ([id] + needed.map(\.text)).joined(separator: "\n")
        key = (["consent", id] + missing.map(\.text)).joined(separator: "\n")
    }

    var title: String {
        guard let newVersion else { return "Allow the plugin \(id.displayable)?" }
        return newVersion.isEmpty
            ? "Allow the new version of the plugin \(id.displayable)?"
            : "Allow version \(newVersion.displayable) of the plugin \(id.displayable)?"
    }
}

extension DesktopNotification {
    /// The most permissions that are listed, and the longest permission and the longest reason, in characters.
    private static var maximumListed: Int { 6 }
    private static var longestName: Int { 100 }
    private static var longestReason: Int { 80 }

    /// The question has the button Allow only if it shows each permission whole.
    fileprivate static func consent(to plugin: PluginConsent) -> DesktopNotification {
        let count = plugin.missing.count
        let isWhole =
            count <= maximumListed
            && plugin.missing.allSatisfy { $0.text.count <= longestName && $0.text.displayable == $0.text }
        let lines = plugin.missing.map { permission in
            let name = Permission.inWords(permission.text)
            let reason = permission.reason.displayable.prefix(longestReason)
            return reason.isEmpty ? "• \(name)" : "• \(name), it says: “\(reason)”"
        }
        return DesktopNotification(
            title: plugin.title,
            body: isWhole
                ? (plugin.newVersion == nil ? "It needs\n" : "It also needs\n") + lines.joined(separator: "\n")
                : count == 1 ? "It needs a permission." : "It needs \(count) permissions.",
            actions: [Action(key: "not-now", label: "Not Now")]
                + (isWhole ? [Action(key: "allow", label: "Allow")] : []),
            command: "callctl plugins show \(plugin.id.displayable)", category: "x-opencallkit.consent",
            icon: "dialog-question", stay: .waiting)
    }

    fileprivate static func morePlugins(_ count: Int) -> DesktopNotification {
        DesktopNotification(
            title: count == 1 ? "Another plugin needs permissions" : "\(count) other plugins need permissions",
            command: "callctl plugins", category: "x-opencallkit.consent", icon: "dialog-question", stay: .waiting)
    }
}

extension Permission {
    /// Describes a permission in words for people. Another text is returned unchanged.
    fileprivate static func inWords(_ text: String) -> String {
        switch try? Permission(text) {
        case .network: "the network"
        case .audio: "the microphone and the sound server"
        case .sessionBus(let name): "the service \(name) of your session"
        case .systemBus(let name): "the service \(name) of the system"
        case .files(let path): "to read \(path)"
        case .devices(.serial): "serial devices, such as modems"
        case .devices(.sound): "sound devices"
        case .devices(.camera): "cameras"
        case nil: text
        }
    }
}
