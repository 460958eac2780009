// org.opencallkit.WorkerHost1: what only a worker says, on its private link.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// Served at the root's path on each worker's link by a tree of its own, so that the bus does not show it.
@LoopActor
final class WorkerHostObject {
    private unowned let context: HostContext
    private unowned let plugins: PluginSupervisor
    private unowned let accounts: AccountSupervisor
    private unowned let calls: Calls

    init(_ context: HostContext, _ plugins: PluginSupervisor, _ accounts: AccountSupervisor, _ calls: Calls) {
        self.context = context
        self.plugins = plugins
        self.accounts = accounts
        self.calls = calls
    }

    static let interface = Interface<WorkerHostObject>(Contract.workerHost) {
        Method(ProviderMember.System.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["host"]) {
            (object: WorkerHostObject, context, version: UInt32, sdkVersion: String, toolchain: String)
                -> VariantDictionary in
            try object.greet(version, sdkVersion, toolchain, context)
        }
        Method(ProviderMember.System.observe, in: ["observing"], out: []) {
            (object: WorkerHostObject, context, observing: Bool) in
            object.calls.observe(observing, on: context.channel)
        }
        Method(ProviderMember.System.reportSecondAnswer, in: ["action_id"], out: []) {
            (object: WorkerHostObject, context, id: String) in
            let plugin = object.plugins.plugin(on: context.channel)?.id ?? "a worker"
            object.context.notices.log(.warning, "\(plugin) answered an action a second time", by: .plugin(plugin))
        }
        Method(ProviderMember.System.reportAccount, in: ["account", "state", "problem", "text"], out: []) {
            (object: WorkerHostObject, context, account: String, state: String, problem: String, text: String) in
            guard let plugin = object.plugins.plugin(on: context.channel) else { return }
            try object.accounts.note(
                AccountStanding(reported: state, problem, text), of: account, from: plugin.id)
        }
    }

    private func greet(
        _ version: UInt32, _ sdkVersion: String, _ toolchain: String, _ caller: CallContext
    ) throws(CallError) -> VariantDictionary {
        guard let plugin = plugins.plugin(on: caller.channel) else {
            throw CallError(.accessDenied, "only a worker says hello, on its own link")
        }
        guard !plugin.saidHello else { throw CallError(.invalidAction, "plugin \(plugin.id) said hello before") }
        guard version == Contract.protocolVersion else {
            let reason = "speaks protocol \(version), this host speaks \(Contract.protocolVersion)"
            plugin.refuse(reason)
            throw CallError(.notSupported, "plugin \(plugin.id) \(reason)")
        }
        plugin.greeted(sdkVersion: sdkVersion.displayable)
        context.log.info("plugin \(plugin.id): SDK \(plugin.sdkVersion), built with \(toolchain.displayable)")
        return [
            "protocol": .uint32(Contract.protocolVersion), "host-version": .string(OpenCallKitVersion.text),
            "plugin-id": .string(plugin.id), "resource-directory": .string(plugin.resourceFolder),
            "permissions": Variant(plugin.sandbox.held.sorted().map(\.text)),
        ]
    }
}
