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
        Property("Inbound") { !$0.record.isOutgoing }
        Property("State") { $0.state.rawValue }
        Property("Id") { $0.isAnonymous ? "" : $0.record.handle.value.displayable }
        Property("DisplayName") { $0.displayName }
        Property("ImagePath") { $0.isAnonymous ? "" : $0.record.text("Image") }
        Property("Protocol") { $0.record.handle.type == HandleType.phoneNumber.rawValue ? "tel" : "callkit" }
        Property("Encrypted") { !$0.record.text("Encryption").isEmpty }
        Property("CanDtmf") { $0.canDtmf }
    }

    var record: Record
    /// Whether to leave out who calls.
    var isAnonymous: Bool
    private let model: CallSystemModel

    init(_ record: Record, isAnonymous: Bool, _ model: CallSystemModel) {
        self.record = record
        self.isAnonymous = isAnonymous
        self.model = model
    }

    private var state: State {
        switch record.state {
        case "ringing": record.text("RingMode") == "waiting" ? .waiting : .incoming
        case "held", "holding", "resuming": .held
        case "starting", "started", "connecting": record.text("Progress") == "alerting" ? .alerting : .dialing
        case "ending", "ended": .disconnected
        default: .active
        }
    }

    /// Who calls, or what is going on while that is left out.
    private var displayName: String {
        guard isAnonymous else { return record.caller.displayable }
        return record.state == "ringing" ? "Incoming call" : "Call"
    }

    /// Phosh reads this only once, when the call is announced. So it is true until the daemon knows better.
    private var canDtmf: Bool { state != .active || record.can("dtmf") }

    private func accept() { request("Answer") }
    private func hangUp() { request("End") }
    private func send(_ key: String) { request("PlayDTMF", key) }

    /// The daemon refuses what is not possible; whoever asked sees no change.
    private func request<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument) {
        model.request(record.path, Contract.call, member, repeat each arguments) { _ in }
    }
}
