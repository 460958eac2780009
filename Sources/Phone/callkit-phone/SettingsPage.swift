// SettingsPage: Do Not Disturb, whom the user blocks, and the plugins with what they may use.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class SettingsPage {
    let widget: Scrolled
    private unowned let phone: Phone
    private let blocked: Group
    private let plugins: Group
    private let block: Entry
    /// What the rows of plugins show.
    private var shown: [Record] = []
    private lazy var quiet = Toggle { [weak self] in self?.setQuiet($0) }

    init(_ phone: Phone) {
        self.phone = phone
        let calls = Group(phone.localized("Ringing"))
        blocked = Group(
            phone.localized("Blocked"),
            text: phone.localized("Numbers, beginnings such as +4690*, or “withheld” for callers without a number."))
        plugins = Group(phone.localized("Plugins"))
        block = Entry(hint: phone.localized("Number to block")) { _ in }
        let column = Box(.vertical, spacing: 18).add(calls, blocked, plugins)
        widget = Scrolled(Clamp(column.margin(16), width: 600))
        let row = TitledRow(
            title: phone.localized("Do Not Disturb"),
            subtitle: phone.localized(
                "Calls do not ring, and are listed as missed. Emergency calls and favorites ring."))
        calls.add(row.trailing(quiet).acting(on: quiet))
        block.onEnter { [weak self] in self?.blockTyped() }
    }

    func update() {
        quiet.isOn = phone.model.state.root.flag("DoNotDisturb")
        showPlugins()
    }

    private func setQuiet(_ isOn: Bool) {
        phone.request(
            phone.localized("Do Not Disturb"), DaemonPath.system, StandardInterface.properties, "Set",
            Contract.callSystem, "DoNotDisturb", Variant.bool(isOn))
    }

    // MARK: blocked

    func reloadLists() {
        phone.model.ask(DaemonPath.directory, Contract.rules, "Blocked") { [weak self] answer in
            self?.show((try? answer.read([String].self)) ?? [])
        }
    }

    private func show(_ rules: [String]) {
        blocked.removeAll()
        let add = TitledRow(title: "")
        let button = PushButton(phone.localized("Block")) { [weak self] in self?.blockTyped() }
        blocked.add(add.leading(block.expand(horizontally: true).align(vertically: .center)).trailing(button))
        for rule in rules.prefix(Self.most) {
            let remove = PushButton("", icon: "user-trash-symbolic") { [weak self] in
                guard let self else { return }
                phone.request(phone.localized("Unblock"), DaemonPath.directory, Contract.rules, "Unblock", rule)
            }
            remove.named(phone.localized("Unblock {number}", ["number": rule.displayable])).style("flat")
            blocked.add(TitledRow(title: rule.displayable).trailing(remove))
        }
        if rules.count > Self.most {
            blocked.add(
                TitledRow(title: phone.localized("{count} more", ["count": String(rules.count - Self.most)])))
        }
    }

    /// The most rules that are listed.
    private static let most = 200

    private func blockTyped() {
        guard !block.text.isEmpty else { return }
        phone.request(phone.localized("Block"), DaemonPath.directory, Contract.rules, "Block", block.text) {
            [weak self] _ in self?.block.text = ""
        }
    }

    // MARK: plugins

    private func showPlugins() {
        let records = phone.model.state.plugins.values.sorted { $0.id < $1.id }
        guard records != shown else { return }
        shown = records
        plugins.removeAll()
        for plugin in records { plugins.add(row(for: plugin)) }
    }

    private func row(for plugin: Record) -> TitledRow {
        let missing = plugin.permissions.filter { $0.isNeeded && !$0.isGranted }
        let waits = plugin.state == "needs-consent" || plugin.text("Upgrade") == "needs-consent"
        var lines = [plugin.text("Error").displayable].filter { !$0.isEmpty }
        if waits {
            lines.append(
                phone.localized(
                    "It needs {permissions}", ["permissions": missing.map(\.text.displayable).joined(separator: ", ")]))
        }
        let row = TitledRow(title: plugin.id.displayable, subtitle: lines.joined(separator: "\n"))
        if waits {
            let allow = PushButton(phone.localized("Allow")) { [weak self] in
                guard let self else { return }
                phone.request(phone.localized("Allow"), plugin.path, Contract.plugin, "Grant", missing.map(\.text))
            }
            row.trailing(allow.named(phone.localized("Allow {plugin}", ["plugin": plugin.id.displayable])))
        }
        let isEnabled = Toggle { [weak self] isOn in
            self?.phone.request(
                plugin.id.displayable, plugin.path, StandardInterface.properties, "Set", Contract.plugin, "Enabled",
                Variant.bool(isOn))
        }
        isEnabled.isOn = plugin.flag("Enabled")
        return row.trailing(isEnabled).acting(on: isEnabled)
    }
}
