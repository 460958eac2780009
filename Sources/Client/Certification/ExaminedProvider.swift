// ExaminedProvider: the object to which a provider of the plugin reports.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class ExaminedProvider {
    private unowned let host: ExaminingHost
    let path: ObjectPath
    let delegate: ObjectPath
    private(set) var configuration: ProviderConfiguration

    init(
        _ host: ExaminingHost, at path: ObjectPath, _ delegate: ObjectPath, _ configuration: ProviderConfiguration
    ) {
        self.host = host
        self.path = path
        self.delegate = delegate
        self.configuration = configuration
    }

    static let interface = Interface<ExaminedProvider>(Contract.providerHost) {
        Method(ProviderMember.Host.reportNewIncomingCall, in: ["uuid", "update"], out: ["call"]) {
            (provider: ExaminedProvider, _, uuid: String, update: VariantDictionary) -> ObjectPath in
            try provider.receive(ProviderMember.Host.reportNewIncomingCall) { host throws(CallError) in
                try host.ring(try callID(uuid), try CallUpdate(wire: update))
            }
        }
        Method(
            ProviderMember.Host.reportOngoingCall, in: ["uuid", "direction", "state", "since", "update"], out: ["call"]
        ) {
            (
                provider: ExaminedProvider, _, uuid: String, direction: String, state: String, _: UInt64,
                update: VariantDictionary
            ) -> ObjectPath in
            try provider.receive(ProviderMember.Host.reportOngoingCall) { host throws(CallError) in
                try host.adopt(
                    try callID(uuid), try VariantDictionary.word(direction, of: "direction"), state,
                    try CallUpdate(wire: update), from: provider)
            }
        }
        Method(ProviderMember.Host.reportCallUpdated, in: ["uuid", "update"]) {
            (provider: ExaminedProvider, _, uuid: String, update: VariantDictionary) in
            try provider.report(ProviderMember.Host.reportCallUpdated, uuid) { (call) throws(CallError) in
                let update = try CallUpdate(wire: update)
                call.update(update)
                if let onHold = update.onHold, let id = CallID(uuid) {
                    provider.host.holds.append(HoldNews(id, onHold))
                }
            }
        }
        Method(ProviderMember.Host.reportCallEnded, in: ["uuid", "at", "reason", "details"]) {
            (provider: ExaminedProvider, _, uuid: String, _: UInt64, reason: String, details: VariantDictionary) in
            _ = try NetworkEnd(wire: details)
            try provider.report(ProviderMember.Host.reportCallEnded, uuid) { (call) throws(CallError) in
                guard EndReason(rawValue: reason)?.isReportable == true else {
                    throw CallError(.invalidArguments, "\"\(reason)\" is not a reason that a provider may report")
                }
                call.isEnded = true
                call.isOver = true
            }
        }
        Method(ProviderMember.Host.reportOutgoingCallStartedConnecting, in: ["uuid", "at", "details"]) {
            (provider: ExaminedProvider, _, uuid: String, _: UInt64, _: VariantDictionary) in
            try provider.report(ProviderMember.Host.reportOutgoingCallStartedConnecting, uuid) {
                (call) throws(CallError) in try requireOutgoing(call)
            }
        }
        Method(ProviderMember.Host.reportOutgoingCallConnected, in: ["uuid", "at", "details"]) {
            (provider: ExaminedProvider, _, uuid: String, _: UInt64, _: VariantDictionary) in
            try provider.report(ProviderMember.Host.reportOutgoingCallConnected, uuid) { (call) throws(CallError) in
                try requireOutgoing(call)
                call.isConnected = true
            }
        }
        Method(ProviderMember.Host.updateConfiguration, in: ["configuration"]) {
            (provider: ExaminedProvider, _, wire: VariantDictionary) in
            try provider.receive(ProviderMember.Host.updateConfiguration) { _ throws(CallError) in
                try provider.configuration.update(wire: wire)
            }
        }
        Method(ProviderMember.Host.invalidate) { (provider: ExaminedProvider, _) in provider.host.invalidated(provider)
        }
    }

    /// Receives a report about one call.
    private func report(
        _ member: String, _ uuid: String, _ change: (inout ExaminedCall) throws(CallError) -> Void
    ) throws(CallError) {
        try receive(member) { host throws(CallError) in try host.note(try Self.callID(uuid), change) }
    }

    private func receive<Value>(
        _ member: String, _ body: (ExaminingHost) throws(CallError) -> Value
    ) throws(CallError) -> Value {
        host.log.reports += 1
        defer { host.somethingHappened() }
        do throws(CallError) {
            return try body(host)
        } catch {
            // A report and an end can cross, and some refusals are part of a point.
            switch error.code {
            case .alreadyEnded, .filteredByBlockList: throw error
            case .limitsExceeded where member == ProviderMember.Host.reportOngoingCall: throw error
            default: throw host.refuse(member, error)
            }
        }
    }

    private static func callID(_ text: String) throws(CallError) -> CallID {
        guard let id = CallID(text) else { throw CallError(.invalidArguments, "\"\(text)\" is not a UUID") }
        return id
    }

    private static func requireOutgoing(_ call: ExaminedCall) throws(CallError) {
        guard call.isOutgoing else {
            throw CallError(.invalidAction, "the call is incoming, expected an outgoing one")
        }
    }
}

extension ExaminingHost {
    fileprivate func ring(_ id: CallID, _ update: CallUpdate) throws(CallError) -> ObjectPath {
        guard calls.values.count(where: { !$0.isEnded && !$0.isOutgoing }) < Self.maximumIncoming else {
            throw CallError(.limitsExceeded, "\(Self.maximumIncoming) calls have come in already")
        }
        guard log.usedIDs.insert(id).inserted else {
            throw CallError(.callUUIDAlreadyExists, "\(id) was used before")
        }
        if let refusal = refusalOfNextIncoming {
            refusalOfNextIncoming = nil
            refusedIncoming = id
            throw refusal
        }
        var call = ExaminedCall(isOutgoing: false)
        call.update(update)
        calls[id] = call
        return ObjectPath.call(id)
    }

    /// Takes an ongoing call over as callkitd does while another call is active: it asks for the hold first, and then
    /// answers the report. One that outlived its worker finds the line free.
    fileprivate func adopt(
        _ id: CallID, _ direction: CallDirection, _ state: String, _ update: CallUpdate, from reporter: ExaminedProvider
    ) throws(CallError) -> ObjectPath {
        guard state == "active" || state == "held" else {
            throw CallError(.invalidArguments, "state is \"\(state.excerpt)\", expected active or held")
        }
        guard !log.usedIDs.contains(id) else { throw CallError(.callUUIDAlreadyExists, "\(id) was used before") }
        guard reporter === provider, takesOngoing || isExpected(id, update) else {
            log.ownCalls.insert(id)
            throw CallError(.limitsExceeded, "a plugin that is being certified keeps its own calls")
        }
        log.usedIDs.insert(id)
        var call = ExaminedCall(isOutgoing: direction == .outgoing)
        (call.isConnected, call.isOngoing) = (true, true)
        call.update(update)
        calls[id] = call
        if expected != nil {
            expected?.successor = id
        } else {
            holdOfOngoing = state == "active" && call.canBeHeld ? put(.setHeld(id, true)) : nil
        }
        return ObjectPath.call(id)
    }

    /// Whether an ongoing call is the one that was made before the worker was started. The user's own calls are others:
    /// they have another handle, or an earlier worker reported them.
    private func isExpected(_ id: CallID, _ update: CallUpdate) -> Bool {
        guard let expected, expected.successor == nil, !log.ownCalls.contains(id) else { return false }
        return update.remoteHandle == expected.handle
    }

    fileprivate func note(
        _ id: CallID, _ change: (inout ExaminedCall) throws(CallError) -> Void
    ) throws(CallError) {
        guard var call = calls[id] else { throw CallError(.unknownCall, "no call \(id)") }
        guard !call.isEnded else {
            if call.isForgotten || call.isOver { calls[id]?.afterlife += 1 }
            if call.isOver, call.afterlife == 1 {
                log.add(.reportAfterEnd(id))
            }
            throw CallError(.alreadyEnded, "call \(id) has ended")
        }
        try change(&call)
        calls[id] = call
    }

    fileprivate func invalidated(_ provider: ExaminedProvider) {
        registered.removeAll { $0 === provider }
        somethingHappened()
    }
}
