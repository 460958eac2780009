// org.opencallkit.ProviderHost1: a provider's reports about its own calls. Only the owner may call.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension ProviderObject {
    static let hostInterface = Interface<ProviderObject>(Contract.providerHost) {
        DeferredMethod(ProviderMember.Host.reportNewIncomingCall, in: ["uuid", "update"], out: ["call"]) {
            (object: ProviderObject, invocation: Invocation<ObjectPath>, uuid: String, update: VariantDictionary) in
            try object.requireOwner(invocation.context)
            let report = Report.incoming(try object.callID(uuid), try object.update(update))
            object.providers.beforeIncomingCall()
            object.submit(report) { $0.answer(invocation) }
        }
        DeferredMethod(
            ProviderMember.Host.reportOngoingCall, in: ["uuid", "direction", "state", "since", "update"], out: ["call"]
        ) {
            (
                object: ProviderObject, invocation: Invocation<ObjectPath>, uuid: String, direction: String,
                state: String, since: WallTime, update: VariantDictionary
            ) in
            try object.requireOwner(invocation.context)
            let ongoing = OngoingCall(
                try VariantDictionary.word(direction, of: "direction"), try VariantDictionary.word(state, of: "state"),
                since: since)
            let report = Report.ongoing(try object.callID(uuid), ongoing, try object.update(update))
            object.submit(report) { $0.answer(invocation) }
        }
        DeferredMethod(ProviderMember.Host.reportCallUpdated, in: ["uuid", "update"], out: []) {
            (object: ProviderObject, invocation: VoidInvocation, uuid: String, update: VariantDictionary) in
            try object.requireOwner(invocation.context)
            try object.providers.requireCalm(object.id)
            object.submit(.updated(try object.callID(uuid), try object.update(update))) { $0.answer(invocation) }
        }
        DeferredMethod(ProviderMember.Host.reportCallEnded, in: ["uuid", "at", "reason", "details"], out: []) {
            (
                object: ProviderObject, invocation: VoidInvocation, uuid: String, date: WallTime, reason: String,
                details: VariantDictionary
            ) in
            try object.requireOwner(invocation.context)
            guard let known = EndReason(rawValue: reason) else {
                let expected = EndReason.allCases.filter(\.isReportable).map(\.rawValue).joined(separator: ", ")
                throw CallError(
                    .invalidArguments, "\"\(reason.displayable)\" is no reason to report, expected one of \(expected)")
            }
            let report = Report.ended(try object.callID(uuid), at: date, known, try NetworkEnd(wire: details))
            object.noteUnknownKeys(in: details, besides: NetworkEnd.keys)
            object.submit(report) { $0.answer(invocation) }
        }
        DeferredMethod(ProviderMember.Host.reportOutgoingCallStartedConnecting, in: ["uuid", "at", "details"], out: [])
        {
            (
                object: ProviderObject, invocation: VoidInvocation, uuid: String, date: WallTime,
                details: VariantDictionary
            )
            in
            try object.requireOwner(invocation.context)
            object.noteUnknownKeys(in: details, besides: [])
            object.submit(.startedConnecting(try object.callID(uuid), at: date)) { $0.answer(invocation) }
        }
        DeferredMethod(ProviderMember.Host.reportOutgoingCallConnected, in: ["uuid", "at", "details"], out: []) {
            (
                object: ProviderObject, invocation: VoidInvocation, uuid: String, date: WallTime,
                details: VariantDictionary
            )
            in
            try object.requireOwner(invocation.context)
            object.noteUnknownKeys(in: details, besides: [])
            object.submit(.connected(try object.callID(uuid), at: date)) { $0.answer(invocation) }
        }
        Method(ProviderMember.Host.updateConfiguration, in: ["configuration"], out: []) {
            (object: ProviderObject, context, wire: VariantDictionary) in
            try object.requireOwner(context)
            try object.providers.requireCalm(object.id)
            var configuration = object.declared
            try configuration.update(wire: wire)
            try ProviderIcons.check(configuration)
            object.noteUnknownKeys(in: wire, besides: ProviderConfiguration.keys)
            if let registered = object.registered { object.providers.icons.store(configuration, of: registered) }
            object.providers.context.submit(.providerReconfigured(object.id, configuration))
        }
        Method(ProviderMember.Host.invalidate) { (object: ProviderObject, context) in
            try object.requireOwner(context)
            object.providers.context.submit(.providerRemoved(object.id))
        }
    }

    private func requireOwner(_ context: CallContext) throws(CallError) {
        guard registered?.peer.isSender(of: context) == true else {
            throw CallError(.accessDenied, "provider \(id) belongs to somebody else, only its owner may report")
        }
    }

    private func update(_ wire: VariantDictionary) throws(CallError) -> CallUpdate {
        noteUnknownKeys(in: wire, besides: CallUpdate.keys)
        return try CallUpdate(wire: wire)
    }

    private func callID(_ text: String) throws(CallError) -> CallID {
        guard let id = CallID(text) else {
            throw CallError(.invalidArguments, "uuid is \"\(text.excerpt)\", expected a UUID")
        }
        return id
    }

    private func submit(_ report: Report, then: @escaping @LoopActor (Reply) -> Void) {
        providers.context.submit(report, by: id, then: then)
    }
}
