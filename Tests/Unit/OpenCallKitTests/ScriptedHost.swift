// The other end of the link: a host that does what a test tells it to.

import CallModel
import CallWire
import DBus
import EventLoop
import TestSupport

@testable import OpenCallKit

/// What the SDK said.
enum Heard: Equatable, Sendable {
    case hello(protocol: UInt32, sdk: String, toolchain: String)
    case registered(delegate: ObjectPath, VariantDictionary)
    case requested([TransactionWire.Entry], VariantDictionary)
    case incoming(String, VariantDictionary)
    case updated(String, VariantDictionary)
    case ended(String, at: UInt64, String, VariantDictionary)
    case connecting(String, at: UInt64)
    case connected(String, at: UInt64)
    case reconfigured(VariantDictionary)
    case invalidated
    case observing(Bool)
    case secondAnswer(to: String)
}

/// Serves the host's side of the provider protocol on a private link or on a bus, and notes what it hears.
@LoopActor
final class ScriptedHost {
    static let providerPath: ObjectPath = "/org/opencallkit/CallSystem1/providers/Test"
    private static var existing: ScriptedHost?
    /// The SDK's end of its link.
    private static var own: PrivateLink?

    private(set) var heard = Inbox<Heard>()
    /// What a worker is told about itself.
    var place: VariantDictionary = [:]
    /// What the next call is answered with, instead of success.
    var refusal: CallError?
    private(set) var delegate: ObjectPath = .root
    private let channel: any MessageChannel
    /// Who registered last, on a bus.
    private(set) var peer: String?
    private let tree = ObjectTree()

    /// The host of this process, having heard nothing yet. The process has one, as an app does; tests take turns.
    static func fresh() throws -> ScriptedHost {
        if let existing {
            existing.heard = Inbox()
            existing.refusal = nil
            if let own { SDKSession.current.connection.attach(own) }
            return existing
        }
        let (link, other) = try PrivateLink.pair()
        let host = ScriptedHost(link)
        let own = try PrivateLink(descriptor: other)
        SDKSession.current.connection.attach(own)
        (existing, self.own) = (host, own)
        return host
    }

    init(_ channel: any MessageChannel) {
        self.channel = channel
        tree.export(self, at: "/org/opencallkit/CallSystem1", Self.worker)
        tree.export(self, at: "/org/opencallkit/CallSystem1", Self.root)
        tree.export(self, at: Self.providerPath, Self.provider)
        tree.serve(on: channel)
    }

    func close() { (channel as? PrivateLink)?.close() }

    /// Waits for a provider's registration and begins.
    func begin() async throws -> VariantDictionary {
        while true {
            guard case .registered(let delegate, let configuration) = try await heard.next() else { continue }
            self.delegate = delegate
            tell(ProviderMember.Delegate.begin)
            return configuration
        }
    }

    func tell<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument) {
        do {
            let message = try Message.call(
                to: peer, at: delegate, Contract.providerDelegate, member, repeat each arguments)
            message.expectsReply = false
            channel.send(message)
        } catch {
            assertionFailure("\(error)")
        }
    }

    /// Calls a method of the delegate that has no result.
    func ask<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) async -> Result<Message, DBusError> {
        await withCheckedContinuation { continuation in
            do {
                let message = try Message.call(
                    to: peer, at: delegate, Contract.providerDelegate, member, repeat each arguments)
                channel.call(message, timeout: .seconds(60)) { continuation.resume(returning: $0) }
            } catch {
                assertionFailure("\(error)")
            }
        }
    }

    func signal<each Argument: DBusType>(
        from path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument
    ) {
        do {
            channel.send(try Message.signal(from: path, interface, member, repeat each arguments))
        } catch {
            assertionFailure("\(error)")
        }
    }

    func pressButton(
        _ identifier: String, _ arguments: VariantDictionary
    ) async throws(DBusError) -> VariantDictionary {
        try await ask(ProviderMember.Delegate.customAction, identifier, arguments).get().read(VariantDictionary.self)
    }

    func perform(
        _ action: CallAction, id: String = UUID().uuidString, of transaction: String = UUID().uuidString,
        part: ActionPart = .single
    ) async throws(DBusError) -> VariantDictionary {
        let wire = PerformWire(
            id: id, action: action, transaction: transaction, deadline: 1_900_000_000_000_000, part: part)
        return try await ask(wire).get().read(VariantDictionary.self)
    }

    func ask(_ wire: PerformWire) async -> Result<Message, DBusError> {
        await ask(
            ProviderMember.Delegate.perform, wire.id, wire.kind, wire.call, wire.transaction, wire.deadline,
            wire.details)
    }

    private func hear(_ event: Heard) throws {
        heard.put(event)
        if let refusal {
            self.refusal = nil
            throw refusal
        }
    }
}

extension ScriptedHost {
    private static let worker = Interface<ScriptedHost>(Contract.workerHost) {
        Method(ProviderMember.System.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["host"]) {
            (host: ScriptedHost, _, version: UInt32, sdk: String, toolchain: String) -> VariantDictionary in
            try host.hear(.hello(protocol: version, sdk: sdk, toolchain: toolchain))
            return host.place
        }
        Method(ProviderMember.System.observe, in: ["observing"], out: []) {
            (host: ScriptedHost, _, observing: Bool) in
            try host.hear(.observing(observing))
        }
        Method(ProviderMember.System.reportSecondAnswer, in: ["action_id"], out: []) {
            (host: ScriptedHost, _, id: String) in
            try host.hear(.secondAnswer(to: id))
        }
    }

    private static let root = Interface<ScriptedHost>(Contract.callSystem) {
        Method(ProviderMember.System.registerProvider, in: ["delegate", "configuration"], out: ["provider"]) {
            (host: ScriptedHost, context, delegate: ObjectPath, configuration: VariantDictionary) -> ObjectPath in
            host.peer = context.sender
            try host.hear(.registered(delegate: delegate, configuration))
            return providerPath
        }
        Method(ProviderMember.System.requestTransaction, in: ["actions", "options"], out: ["transaction", "calls"]) {
            (host: ScriptedHost, _, actions: [TransactionWire.Entry], options: VariantDictionary)
                -> (String, [ObjectPath]) in
            try host.hear(.requested(actions, options))
            return ("", [ObjectPath]())
        }
    }

    private static let provider = Interface<ScriptedHost>(Contract.providerHost) {
        Method(ProviderMember.Host.reportNewIncomingCall, in: ["uuid", "update"], out: ["call"]) {
            (host: ScriptedHost, _, uuid: String, update: VariantDictionary) -> ObjectPath in
            try host.hear(.incoming(uuid, update))
            return ObjectPath.root
        }
        Method(ProviderMember.Host.reportCallUpdated, in: ["uuid", "update"]) {
            (host: ScriptedHost, _, uuid: String, update: VariantDictionary) in
            try host.hear(.updated(uuid, update))
        }
        Method(ProviderMember.Host.reportCallEnded, in: ["uuid", "at", "reason", "details"]) {
            (host: ScriptedHost, _, uuid: String, at: UInt64, reason: String, details: VariantDictionary) in
            try host.hear(.ended(uuid, at: at, reason, details))
        }
        Method(ProviderMember.Host.reportOutgoingCallStartedConnecting, in: ["uuid", "at", "details"]) {
            (host: ScriptedHost, _, uuid: String, at: UInt64, _: VariantDictionary) in
            try host.hear(.connecting(uuid, at: at))
        }
        Method(ProviderMember.Host.reportOutgoingCallConnected, in: ["uuid", "at", "details"]) {
            (host: ScriptedHost, _, uuid: String, at: UInt64, _: VariantDictionary) in
            try host.hear(.connected(uuid, at: at))
        }
        Method(ProviderMember.Host.updateConfiguration, in: ["configuration"]) {
            (host: ScriptedHost, _, configuration: VariantDictionary) in
            try host.hear(.reconfigured(configuration))
        }
        Method(ProviderMember.Host.invalidate) { (host: ScriptedHost, _) in try host.hear(.invalidated) }
    }
}
