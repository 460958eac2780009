// Transcript: plays inputs to a table of calls and writes down what it does.

import OpenCallKit

@testable import SIPCalls

/// Calls and actions have short names: `A` is a call, `a1` an action.
struct Transcript {
    private(set) var table = SIPCallTable(account: 0, home: SIPServer("example.org").map { SIPHome(domain: $0) })
    private var names: [UUID: String] = [:]
    private var uuids: [String: UUID] = [:]

    mutating func uuid(_ name: String) -> UUID {
        if let uuid = uuids[name] { return uuid }
        let uuid = UUID()
        (uuids[name], names[uuid]) = (uuid, name)
        return uuid
    }

    /// Returns what the table does, with a comma between the effects.
    mutating func apply(_ input: SIPCallTable.Input) -> String {
        table.apply(input).map(text).joined(separator: ", ")
    }

    mutating func action(_ action: String, on call: String, _ what: SIPAction) -> String {
        apply(.action(uuid(action), call: uuid(call), what))
    }

    mutating func event(_ event: SIPCallEvent, of number: UInt64, _ call: String = "") -> String {
        apply(.event(event, of: number, uuid: uuid(call)))
    }

    mutating func done(_ token: UInt64, of number: UInt64, code: UInt16 = 0, _ failure: SIPFailure? = nil) -> String {
        event(.done(token: token, code: code, failure: failure), of: number)
    }

    /// An outgoing call that is connected; its number is that of the call in order.
    mutating func connect(_ call: String, _ number: UInt64) {
        _ = action("start-" + call, on: call, .start(CXHandle(type: .generic, value: "bob")))
        _ = event(.connected, of: number)
    }

    private func text(_ effect: SIPCallTable.Effect) -> String {
        switch effect {
        case .command(let command): text(command)
        case .report(let call, let report): "\(name(call)) \(text(report))"
        case .fulfil(let action): "fulfil \(name(action))"
        case .fail(let action, let refusal):
            "fail \(name(action))" + (refusal.word.map { " \($0)" } ?? "") + ": \(refusal.text)"
        }
    }

    private func name(_ uuid: UUID) -> String { names[uuid] ?? "?" }

    private func text(_ command: SIPCommand) -> String {
        switch command {
        case .start(let call, let uri, let hidesNumber): "start \(call) \(uri)\(hidesNumber ? " hidden" : "")"
        case .ring(let call): "ring \(call)"
        case .answer(let call, let token): "answer \(call) #\(token)"
        case .end(let call, let code): "end \(call) \(code)"
        case .hold(let call, let isOn, let token): "\(isOn ? "hold" : "resume") \(call) #\(token)"
        case .mute(let call, let isOn): "\(isOn ? "mute" : "unmute") \(call)"
        case .digits(let call, let digits, let token): "digits \(call) \(digits) #\(token)"
        case .group(let call, let group): "group \(call) \(group)"
        case .transfer(let call, let uri, let token): "transfer \(call) \(uri) #\(token)"
        case .transferTo(let call, let other, let token): "transfer \(call) to \(other) #\(token)"
        case .takeTransfer(let call, let uri, let replaces): "take \(call) \(uri)\(replaces.map { " for \($0)" } ?? "")"
        case .refuseTransfer(let call, let code): "refuse \(call) \(code)"
        case .answerTransfer(let call, let yes, let token): "\(yes ? "accept" : "decline") \(call) #\(token)"
        }
    }

    private func text(_ report: SIPReport) -> String {
        switch report {
        case .incoming(let caller): "comes in from \(caller.handle?.value ?? "nobody") \(caller.name ?? "")"
        case .startedConnecting: "connecting"
        case .connected: "connected"
        case .progress(let progress): progress.rawValue
        case .media(let codec, let encryption): "\(codec) \(encryption)"
        case .remoteHeld(let isHeld): isHeld ? "remote-held" : "remote-resumed"
        case .transferRequest(let handle): "asks for \(handle.value)"
        case .transferRequestWithdrawn: "asks no more"
        case .replaced(let handle, let name): "is \(handle?.value ?? "nobody") \(name ?? "")"
        case .quality: "quality"
        case .key(let key): "far side presses \(key)"
        case .ended(let end):
            "ended \(end.reason.name) \(end.details.reason?.rawValue ?? "-") \(end.details.code)"
        }
    }
}

extension SIPCaller {
    /// A caller of whom From alone says something.
    init(_ uri: String, _ name: String = "") { self.init(headers: "From: \"\(name)\" <\(uri)>", isTrusted: false) }
}
