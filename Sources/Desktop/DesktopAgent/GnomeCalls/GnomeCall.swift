// GnomeCall: a call as org.gnome.Calls shows it.

import CallClient
import CallModel
import DBus
import EventLoop

/// The object behind org.gnome.Calls.Call.
@LoopActor
final class GnomeCall {
    /// The states of org.gnome.Calls.
    enum State: UInt32 {
        case active = 1
        case held = 2
        case dialing = 3
        case alerting = 4
        case incoming = 5
        case waiting = 6
        case disconnected = 7
    }

    static let interfaceName = "org.gnome.Calls.Call"

    static let interface = Interface<GnomeCall>(interfaceName) {
        Method("Accept") { (call: GnomeCall, _) in call.accept() }
        Method("Hangup") { (call: GnomeCall, _) in call.hangUp() }
        Method("SendDtmf", in: ["dtmf_key"]) { (call: GnomeCall, _, key: String) in call.send(key) }
        Property("Inbound") { !$0.call.isOutgoing }
        Property("State") { $0.state.rawValue }
        Property("Id") { $0.isAnonymous ? "" : $0.call.handle?.value.displayable ?? "" }
        Property("DisplayName") { $0.displayName }
        Property("ImagePath") { $0.isAnonymous ? "" : $0.call.image }
        Property("Protocol") { $0.call.handle?.type == .phoneNumber ? "tel" : "callkit" }
        Property("Encrypted") { !$0.call.encryption.isEmpty }
        Property("CanDtmf") { $0.canDtmf }
    }

    var call: PublishedCall
    /// Whether to leave out who calls.
    var isAnonymous: Bool
    private let model: CallSystemModel

    init(_ call: PublishedCall, isAnonymous: Bool, _ model: CallSystemModel) {
        self.call = call
        self.isAnonymous = isAnonymous
        self.model = model
    }

    private var state: State {
        switch call.state {
        case .ringing: call.ringMode == .waiting ? .waiting : .incoming
        case .held, .holding, .resuming: .held
        case .starting, .started, .connecting: call.progress == .alerting ? .alerting : .dialing
        case .ending, .ended: .disconnected
        case .answering, .active: .active
        }
    }

    /// Who calls, or what is going on while that is left out.
    private var displayName: String {
        guard isAnonymous else { return call.caller.displayable }
        return call.state == .ringing ? "Incoming call" : "Call"
    }

    /// Phosh reads this only once, when the call is announced. So it is true until the daemon knows better.
    private var canDtmf: Bool { state != .active || call.can.contains(.dtmf) }

    private func accept() { request("Answer") }
    private func hangUp() { request("End") }
    private func send(_ key: String) { request("PlayDTMF", key) }

    /// The daemon refuses what is not possible; whoever asked sees no change.
    private func request<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument) {
        model.request(call.path, Contract.call, member, repeat each arguments) { _ in }
    }
}
