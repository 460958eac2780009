// A layer like that of a SIP softphone: a core of its own that reports the states of its calls. This file stands for the
// core, which on iOS is a library in C; here everything stays in memory.

#if canImport(CallKit)
    import Foundation
#else
    import OpenCallKitPort
#endif

enum SoftphoneCallState {
    case incomingReceived, outgoingProgress, connected, streamsRunning, paused, end, released, error
}

final class SoftphoneCoreCall {
    let callId: String
    let remoteAddress: String
    let isOutgoing: Bool
    fileprivate(set) var state: SoftphoneCallState
    fileprivate(set) var tones = ""
    var microphoneMuted = false

    fileprivate init(callId: String, remoteAddress: String, isOutgoing: Bool, state: SoftphoneCallState) {
        self.callId = callId
        self.remoteAddress = remoteAddress
        self.isOutgoing = isOutgoing
        self.state = state
    }
}

protocol SoftphoneCoreDelegate: AnyObject {
    func onCallStateChanged(core: SoftphoneCore, call: SoftphoneCoreCall, state: SoftphoneCallState)
}

final class SoftphoneCore {
    weak var delegate: SoftphoneCoreDelegate?
    private(set) var calls: [SoftphoneCoreCall] = []
    private(set) var audioSessionIsActive = false
    private(set) var conferenceSize = 0

    func getCallByCallid(callId: String) -> SoftphoneCoreCall? { calls.first { $0.callId == callId } }

    func invite(_ address: String, callId: String) -> SoftphoneCoreCall {
        add(SoftphoneCoreCall(callId: callId, remoteAddress: address, isOutgoing: true, state: .outgoingProgress))
    }
    func receiveInvite(from address: String, callId: String) {
        _ = add(SoftphoneCoreCall(callId: callId, remoteAddress: address, isOutgoing: false, state: .incomingReceived))
    }
    func accept(_ call: SoftphoneCoreCall) { change(call, .connected) }
    func remoteAccepts(_ call: SoftphoneCoreCall) { change(call, .connected) }
    func pause(_ call: SoftphoneCoreCall) { change(call, .paused) }
    func resume(_ call: SoftphoneCoreCall) { change(call, .streamsRunning) }
    func sendDtmfs(_ call: SoftphoneCoreCall, _ tones: String) { call.tones += tones }
    func addAllToConference() { conferenceSize = calls.count }
    func terminate(_ call: SoftphoneCoreCall) {
        change(call, .end)
        calls.removeAll { $0 === call }
        change(call, .released)
    }
    func configureAudioSession() {}
    func activateAudioSession(activated: Bool) { audioSessionIsActive = activated }

    private func add(_ call: SoftphoneCoreCall) -> SoftphoneCoreCall {
        calls.append(call)
        change(call, call.state)
        return call
    }

    private func change(_ call: SoftphoneCoreCall, _ state: SoftphoneCallState) {
        call.state = state
        delegate?.onCallStateChanged(core: self, call: call, state: state)
    }
}
