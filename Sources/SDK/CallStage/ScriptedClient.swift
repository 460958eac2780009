// A client that makes scripted requests, over a bus or any other channel.

package import CallCore
package import CallModel
import CallWire
package import DBus
package import EventLoop

/// Makes requests and passes on each outcome.
@LoopActor
package final class ScriptedClient {
    package let channel: any MessageChannel
    /// The host's name on a bus; nil on a link.
    let host: String?
    /// Called for a second reply to a request.
    package var onSecondReply: (@LoopActor () -> Void)?

    package init(on channel: any MessageChannel, host: String?) {
        self.channel = channel
        self.host = host
        channel.onUnmatchedReply = { [weak self] _ in self?.onSecondReply?() }
    }

    package func request(_ request: Request, then: @escaping @LoopActor (RequestOutcome) -> Void) {
        let outcome: @LoopActor (Result<Message, DBusError>) -> Void = { RequestOutcome($0).map(then) }
        if request.requiredState != nil, case .end(let call, let reason)? = request.actions.first {
            return channel.ask(host, at: ObjectPath.call(call), Contract.call, "Reject", reason, then: outcome)
        }
        let options = RequestOptions(
            conflict: request.conflict, replyMode: request.replyMode, timeout: request.timeout)
        channel.ask(
            host, at: ObjectPath.system, Contract.callSystem, ProviderMember.System.requestTransaction,
            TransactionWire.entries(of: request.actions), options.wire, then: outcome)
    }

    package func silence() {
        channel.ask(host, at: ObjectPath.system, Contract.callSystem, "SilenceRinging") { _ in }
    }

    package func setDoNotDisturb(_ value: Bool) {
        set("DoNotDisturb", Variant.bool(value))
    }

    package func setDoNotDisturbRules(_ rules: DoNotDisturbRules) {
        let wire: VariantDictionary = [
            "allow-favorites": .bool(rules.allowsFavorites), "allow-repeated": .bool(rules.allowsRepeated),
            "providers-allowed": Variant(rules.allowedProviders.map(\.rawValue).sorted()),
        ]
        set("DoNotDisturbRules", Variant(wire))
    }

    package func setDefaultProviders(_ choice: [String: ProviderID]) {
        set("DefaultProviders", Variant(choice.mapValues(\.rawValue)))
    }

    package func setEmergencyProviders(_ choice: Set<ProviderID>) {
        set("EmergencyProviders", Variant(choice.map(\.rawValue).sorted()))
    }

    private func set(_ name: String, _ value: Variant) {
        channel.ask(
            host, at: ObjectPath.system, StandardInterface.properties, "Set", Contract.callSystem, name, value
        ) { _ in }
    }

    /// Whether a request is made by Reject, whose answer has no values.
    nonisolated package static func isReject(_ request: Request) -> Bool { request.requiredState != nil }
}
