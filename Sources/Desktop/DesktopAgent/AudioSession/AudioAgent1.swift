// AudioAgent1: what the daemon asks of the audio agent.

import CallModel
import DBus
import EventLoop

extension AudioSessionPart {
    /// Where the agent serves org.opencallkit.AudioAgent1.
    static let path: ObjectPath = "/org/opencallkit/Desktop1/audio_agent"

    static let interface = Interface<AudioSessionPart>(Contract.audioAgent) {
        DeferredMethod("Prepare", in: ["call", "details"]) {
            (part: AudioSessionPart, invocation: VoidInvocation, _: ObjectPath, _: VariantDictionary)
                throws(DBusError) in
            try part.check(invocation.context)
            part.prepare { invocation.reply() }
        }
        Method("Finish", annotations: ["org.freedesktop.DBus.Method.NoReply": "true"]) {
            (part: AudioSessionPart, context) throws(DBusError) in
            try part.check(context)
            part.finish()
        }
    }

    private func check(_ context: CallContext) throws(DBusError) {
        guard context.sender != nil, context.sender == daemon else {
            throw DBusError(
                DBusError.Name.accessDenied, "expected the owner of \(Contract.busName) as the caller")
        }
    }
}
