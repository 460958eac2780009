// org.opencallkit.Call1: each method is one transaction of one action.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallObject {
    static let callInterface = Interface<CallObject>(Contract.call) {
        DeferredMethod("Answer") { (call: CallObject, invocation: VoidInvocation) in
            try call.request(.answer(call.id), invocation)
        }
        DeferredMethod("AnswerWith", in: ["options"], out: []) {
            (call: CallObject, invocation: VoidInvocation, options: VariantDictionary) in
            let request = try RequestOptions(wire: options)
            call.calls.clients.noteUnknownKeys(in: options, besides: RequestOptions.keys, from: invocation.context)
            try call.request(.answer(call.id), invocation, request)
        }
        DeferredMethod("End") { (call: CallObject, invocation: VoidInvocation) in
            try call.request(.end(call.id, reason: ""), invocation)
        }
        DeferredMethod("Reject", in: ["reason"], out: []) {
            (call: CallObject, invocation: VoidInvocation, reason: String) in
            try call.request(.end(call.id, reason: reason.displayable), invocation, if: .ringing)
        }
        DeferredMethod("SetHeld", in: ["on_hold"], out: []) {
            (call: CallObject, invocation: VoidInvocation, onHold: Bool) in
            try call.request(.setHeld(call.id, onHold), invocation)
        }
        DeferredMethod("SetMuted", in: ["muted"], out: []) {
            (call: CallObject, invocation: VoidInvocation, muted: Bool) in
            try call.request(.setMuted(call.id, muted), invocation)
        }
        DeferredMethod("GroupWith", in: ["call"], out: []) {
            (call: CallObject, invocation: VoidInvocation, path: ObjectPath) in
            try call.request(.setGroup(call.id, with: CallObject.other(at: path)), invocation)
        }
        DeferredMethod("Ungroup") { (call: CallObject, invocation: VoidInvocation) in
            try call.request(.setGroup(call.id, with: nil), invocation)
        }
        DeferredMethod("PlayDTMF", in: ["digits"], out: []) {
            (call: CallObject, invocation: VoidInvocation, digits: String) in
            try CallAction.checkDigits(digits)
            try call.request(.playDTMF(call.id, digits: digits, tone: .singleTone), invocation)
        }
        DeferredMethod("SendWaitingDigits") { (call: CallObject, invocation: VoidInvocation) in
            try call.request(.playDTMF(call.id, digits: "", tone: .hardPause), invocation)
        }
        DeferredMethod("SetTranslating", in: ["translating", "local_language", "remote_language"], out: []) {
            (call: CallObject, invocation: VoidInvocation, isTranslating: Bool, local: String, remote: String) in
            let languages = Languages(local: local, remote: remote)
            try CallAction.check(languages, isTranslating: isTranslating)
            try call.request(.setTranslating(call.id, isTranslating, languages), invocation)
        }
        Method("Explain", out: ["causes"]) { (call: CallObject, _) -> [VariantDictionary] in
            call.calls.explanation(of: call.id)
        }
        PublishedCall.properties(for: .everybody) { (object: CallObject) in object.published }
    }

    private func request(
        _ action: CallAction, _ invocation: VoidInvocation, _ options: RequestOptions = RequestOptions(),
        if state: CallState? = nil
    ) throws(CallError) {
        var request = try calls.clients.request([action], from: invocation.context)
        request.conflict = options.conflict
        request.timeout = options.timeout
        request.requiredState = state
        calls.context.ask(try calls.clients.permitted(request, invocation.context)) { $0.answer(invocation) }
    }

    private static func other(at path: ObjectPath) throws(CallError) -> CallID? {
        guard path != .root else { return nil }
        guard let id = Contract.call(at: path.text) else {
            throw CallError(.unknownCall, "no call \(path.text.excerpt)")
        }
        return id
    }
}
