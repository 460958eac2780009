// Applies the rules for links: on a private link there is a plugin, which is the owner of its own calls and no client.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    /// Refuses what a plugin may not do over its link. Who calls on a bus, or is a guest, may use every member.
    ///
    /// - Throws: `AccessDenied`.
    func permit(_ use: MemberUse, _ context: CallContext) throws(DBusError) {
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
        case .everyPlugin, .ownActions: true
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

    /// Refuses a plugin's request that is not about its own calls alone. A call that it starts without naming a provider is
    /// started with its own.
    ///
    /// - Throws: `AccessDenied`.
    func requireOwn(_ request: inout Request, from context: CallContext) throws(CallError) {
        guard context.channel is PrivateLink else { return }
        guard let plugin = plugins.plugin(on: context.channel) else {
            throw CallError(.accessDenied, "the plugin is gone")
        }
        for index in request.actions.indices {
            // The other call of a group or a transfer is compared by the core: it must be of the same provider.
            let action = request.actions[index]
            guard case .start(let call, var start) = action else {
                try requireOwn(action.call, plugin)
                continue
            }
            start.provider = start.provider ?? providers.owned(by: .plugin(plugin.id)).first?.id
            guard let provider = start.provider, owns(provider, plugin) else {
                throw CallError(.accessDenied, "plugin \(plugin.id) may start calls with its own providers only")
            }
            request.actions[index] = .start(call, start)
        }
        guard request.conflict != .end else {
            throw CallError(
                .accessDenied, "plugin \(plugin.id) may not end calls of others, conflict is \"end\"")
        }
    }

    /// A call that is not there is nobody's secret; what is asked of it fails by itself.
    private func requireOwn(_ call: CallID, _ plugin: Plugin) throws(CallError) {
        guard let provider = machine.calls[call]?.provider, !owns(provider, plugin) else { return }
        throw CallError(.accessDenied, "plugin \(plugin.id) may act on its own calls only, call \(call) is not its own")
    }
}
