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
    unowned let host: CallSystemHost

    init(host: CallSystemHost) { self.host = host }

    static let interface = Interface<WorkerHostObject>(Contract.workerHost) {
        Method(ProviderMember.System.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["host"]) {
            (object: WorkerHostObject, context, version: UInt32, sdkVersion: String, toolchain: String)
                -> VariantDictionary in
            try object.greet(version, sdkVersion, toolchain, context)
        }
        Method(ProviderMember.System.observe, in: ["observing"], out: []) {
            (object: WorkerHostObject, context, observing: Bool) in
            object.host.observers.set(observing, for: context.channel, of: object.host)
        }
        Method(ProviderMember.System.reportSecondAnswer, in: ["action_id"], out: []) {
            (object: WorkerHostObject, context, id: String) in
            let plugin = object.host.plugins.plugin(on: context.channel)?.id ?? "a worker"
            object.host.notices.log(.warning, "\(plugin) answered an action a second time", by: .plugin(plugin))
        }
        Method(ProviderMember.System.reportAccount, in: ["account", "state", "problem", "text"], out: []) {
            (object: WorkerHostObject, context, account: String, state: String, problem: String, text: String) in
            guard let plugin = object.host.plugins.plugin(on: context.channel) else { return }
            try object.host.accounts.take(
                AccountStanding(reported: state, problem, text), of: account, from: plugin.id)
        }
    }

    private func greet(
        _ version: UInt32, _ sdkVersion: String, _ toolchain: String, _ context: CallContext
    ) throws(CallError) -> VariantDictionary {
        guard let plugin = host.plugins.plugin(on: context.channel) else {
            throw CallError(.accessDenied, "only a worker says hello, on its own link")
        }
        guard !plugin.saidHello else { throw CallError(.invalidAction, "plugin \(plugin.id) said hello before") }
        guard version == Contract.protocolVersion else {
            let reason = "speaks protocol \(version), this host speaks \(Contract.protocolVersion)"
            plugin.refuse(reason)
            throw CallError(.notSupported, "plugin \(plugin.id) \(reason)")
        }
        plugin.greeted(sdkVersion: sdkVersion.displayable)
        host.log.info("plugin \(plugin.id): SDK \(plugin.sdkVersion), built with \(toolchain.displayable)")
        return [
            "protocol": .uint32(Contract.protocolVersion), "host-version": .string(OpenCallKitVersion.text),
            "plugin-id": .string(plugin.id), "resource-directory": .string(plugin.resourceFolder),
            "permissions": Variant(plugin.held.sorted().map(\.text)),
        ]
    }
}

extension CallSystemHost {
    /// Serves a link: what only links have, and otherwise what the bus has.
    ///
    /// - Parameter announcing: whether the signals of the bus go there too.
    func serveLink(_ link: any MessageChannel, announcing: Bool = false) {
        let introductions = ObjectTree(
            invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
            limitsExceededErrorName: ErrorCode.invalidArguments.busName)
        introductions.permit = { [weak self] use, context throws(DBusError) in try self?.permit(use, context) }
        introductions.export(WorkerHostObject(host: self), at: .system, WorkerHostObject.interface)
        tree.serve(on: link, announcing: announcing)
        link.onCall = { [weak self, weak link] message in
            guard let self, let link else { return }
            let tree = message.interface == Contract.workerHost ? introductions : self.tree
            tree.handle(message, on: link)
        }
    }
}
