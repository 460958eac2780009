// A client that makes scripted requests, over a bus or any other channel.

package import CallCore
package import CallModel
package import CallScenario
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

extension ScriptedClient {
    /// Asks the host and passes on the answer, line by line.
    ///
    /// - Parameter start: the date that is shown as 0.
    package func ask(_ question: Question, since start: WallTime, then: @escaping @LoopActor ([String]) -> Void) {
        switch question {
        case .check:
            channel.ask(host, at: ObjectPath.system, StandardInterface.objectManager, "GetManagedObjects") { result in
                then(Self.table(result, start))
            }
        case .plan(let request):
            let options = RequestOptions(
                conflict: request.conflict, replyMode: request.replyMode, timeout: request.timeout)
            channel.ask(
                host, at: ObjectPath.system, Contract.callSystem, "SimulateTransaction",
                TransactionWire.entries(of: request.actions), options.wire
            ) { then(Self.plan($0)) }
        }
    }

    private static func table(_ result: Result<Message, DBusError>, _ start: WallTime) -> [String] {
        do {
            let objects = try result.get().read([ObjectPath: [String: VariantDictionary]].self)
            return try objects.compactMap { path, interfaces in
                guard let call = Contract.call(at: path.text), let values = interfaces[Contract.call] else {
                    return nil
                }
                return call.scenarioText + (try row(values, start))
            }.sorted()
        } catch {
            return ["\(error)"]
        }
    }

    private static func row(_ values: VariantDictionary, _ start: WallTime) throws(DBusError) -> String {
        func text(_ name: String) throws(DBusError) -> String { try values.required(name) }
        let provider = Contract.provider(at: try values.required("Provider", as: ObjectPath.self).text)
        var line = " \(try text("State")) of \(provider?.rawValue ?? "nobody")"
        let holder = try text("HeldBy")
        if !holder.isEmpty { line += " held-by=\(holder)" }
        if let other = Contract.call(at: try values.required("HeldFor", as: ObjectPath.self).text) {
            line += " held-for=\(other.scenarioText)"
        }
        let group = try text("Group")
        if !group.isEmpty { line += " group=\(group)" }
        if try values.required("Muted") { line += " muted" }
        if let translation = Translation(wire: try values.required("Translation")) {
            line += " translation=\(translation)"
        }
        for (name, word) in [("StartedAt", "started"), ("ConnectedAt", "connected"), ("EndedAt", "ended")] {
            let date = try values.required(name, as: WallTime.self)
            if date != 0 { line += " \(word)=\(Int64(bitPattern: date.microseconds &- start.microseconds) / 1_000)" }
        }
        let reason = try text("EndReason")
        if !reason.isEmpty { line += " \(reason) by \(try text("EndedBy"))" }
        return line
    }

    private static func plan(_ result: Result<Message, DBusError>) -> [String] {
        do {
            return try result.get().read([VariantDictionary].self).map(step)
        } catch {
            let refusal = (error as? DBusError).flatMap { CallError($0) }
            return ["would be refused: \(refusal.map { "\($0)" } ?? "\(error)")"]
        }
    }

    private static func step(_ wire: VariantDictionary) throws -> String {
        let path = try wire.required("call", as: ObjectPath.self)
        let provider = Contract.provider(at: try wire.required("provider", as: ObjectPath.self).text)
        var action = try PerformWire.action(
            wire.required("kind"), Contract.call(at: path.text)?.description ?? "", wire.required("args"))
        if case .start(let call, var start) = action {
            start.provider = provider
            action = .start(call, start)
        }
        var line = "would perform on \(provider?.rawValue ?? "nobody"): \(action)"
        line += " rule=\(try wire.required("rule", as: UInt32.self))"
        for key in ["releases-audio", "grants-audio"] {
            guard let path = try wire.value(key, as: ObjectPath.self) else { continue }
            line += " \(key)=\(Contract.provider(at: path.text)?.rawValue ?? "nobody")"
        }
        return line
    }
}
