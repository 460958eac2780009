// What is refused on arrival, before it costs anything: too much at once, and answers of strangers.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    /// The most bytes of arguments that one call may have.
    private static let maximumBytes = 64 << 10
    /// The same for calls that bring an icon.
    private static let maximumBytesWithIcon = 256 << 10
    private static let withIcon = [ProviderMember.System.registerProvider, ProviderMember.Host.updateConfiguration]
    /// The most calls and bytes of one program that wait for their turn.
    private static let maximumWaiting = 1_024
    private static let maximumWaitingBytes = 256 << 10
    /// The methods of accounts that take descriptors, with their arguments.
    private static let withDescriptor = ["SetSecret": "sha{sv}"]
    /// A call with a descriptor is refused if the client has so many calls waiting: each may keep descriptors open.
    private static let maximumWaitingWithDescriptor = 16
    /// When all clients together have more waiting than this, each may have a sixteenth of its share.
    private static let manyWaitingBytes = 8 << 20
    private static let maximumForgers = 256

    func watchArrivals(on bus: Bus) {
        bus.group = { [weak self] in self?.holder(of: $0) ?? $0 }
        bus.refusal = { [weak self, weak bus] in
            guard let self, let bus else { return nil }
            return refusal(of: $0, waiting: $1) ?? refusalUnlessIdentified($0, on: bus)
        }
        bus.onForgedReply = { [weak self] in self?.noteForgery($0) }
    }

    private func refusal(of call: Message, waiting: WaitingMessages) -> DBusError? {
        let member = call.member ?? ""
        if call.hasDescriptors {
            guard call.interface == Contract.account, call.has(signature: Self.withDescriptor[member] ?? "") else {
                return refusal(.invalidArguments, "\(member): expected no file descriptors")
            }
            guard waiting.count < Self.maximumWaitingWithDescriptor else {
                return refusal(.limitsExceeded, "\(holder(of: call.sender ?? "")): \(waiting.count) calls are waiting")
            }
        }
        let bytes = call.argumentBytes
        let most = Self.withIcon.contains(member) ? Self.maximumBytesWithIcon : Self.maximumBytes
        guard bytes <= most else {
            return refusal(.invalidArguments, "\(member): \(bytes) bytes of arguments, expected at most \(most)")
        }
        let share = waiting.bytesOfAll > Self.manyWaitingBytes ? 16 : 1
        guard waiting.count < Self.maximumWaiting / share, waiting.bytes <= Self.maximumWaitingBytes / share else {
            return refusal(
                .limitsExceeded,
                "\(holder(of: call.sender ?? "")): \(waiting.count) calls of \(waiting.bytes) bytes are waiting, expected "
                    + "at most \(Self.maximumWaiting / share) calls and \(Self.maximumWaitingBytes / share) bytes")
        }
        return nil
    }

    /// Who has sent what waits: a program, or a client that is not identified yet.
    private func holder(of client: String) -> String {
        clients.identity(of: client)?.owner(client).description ?? "client \(client)"
    }

    /// Has the sender identified; its calls wait for that.
    private func refusalUnlessIdentified(_ call: Message, on bus: Bus) -> DBusError? {
        guard let client = call.sender, !identify(client, on: bus) else { return nil }
        return refusal(.limitsExceeded, "too many clients wait to be identified, client \(client) among them")
    }

    private func refusal(_ code: ErrorCode, _ text: String) -> DBusError {
        refused += 1
        return DBusError(code.busName, text)
    }

    /// Notes an answer to a question that was put to somebody else, once for each program.
    func noteForgery(_ answer: Message) {
        guard let sender = answer.sender else { return }
        let owner = owner(of: sender)
        if forgers.count >= Self.maximumForgers { forgers = [] }
        guard forgers.insert(owner).inserted else { return }
        emitAnomaly(
            "forged-reply", .system, "client \(sender) answered a question that was put to another one; it is ignored",
            by: owner)
    }
}
