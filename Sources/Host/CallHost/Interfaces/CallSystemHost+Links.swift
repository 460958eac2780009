// Applies the rules for links: on a private link there is a plugin, which is the owner of its own calls and no client.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    /// Refuses what a plugin may not do over its link, and what a client of the bus may not do. A guest may use every
    /// member.
    ///
    /// - Throws: `AccessDenied`.
    func permit(_ use: MemberUse, _ context: CallContext) throws(DBusError) {
        if context.channel is Bus { return try permitClient(use, context) }
        guard context.channel is PrivateLink else { return }
        // The link of a plugin that was removed belongs to nobody any more.
        let plugin = plugins.plugin(on: context.channel)
        guard let plugin, use.kind != .write, allows(use, plugin, context) else {
            let member = "\(use.kind == .write ? "set " : "")\(use.member) of \(use.interface)"
            throw CallError(
                .accessDenied,
                "plugin \(plugin?.id ?? "") may not \(use.kind == .call ? "call" : "read") \(member) on \(context.path): "
                    + "over its link a plugin is served for its own calls only"
            ).dbusError
        }
    }

    private func allows(_ use: MemberUse, _ plugin: Plugin, _ context: CallContext) -> Bool {
        switch LinkAccess.of(use.member, use.interface) ?? .nobody {
        case .everyPlugin: true
        case .ownCall:
            (tree.object(at: context.path) as? CallObject).map { object in
                owns((machine.calls[object.id] ?? object.call).provider, plugin)
            } ?? false
        case .ownProvider: (tree.object(at: context.path) as? ProviderObject).map { owns($0.id, plugin) } ?? false
        case .nobody: false
        }
    }

    private func owns(_ provider: ProviderID, _ plugin: Plugin) -> Bool {
        providers[provider]?.owner == .plugin(plugin.id)
    }
}
