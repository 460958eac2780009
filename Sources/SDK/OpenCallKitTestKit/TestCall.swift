// TestCall: a call as the user sees it.

internal import CallCore
internal import CallModel
public import OpenCallKit

/// A call of a ``TestHost``: its present state, and what the user can do with it. It remains readable after its end.
public struct TestCall: Sendable {
    let host: TestHost
    let id: CallID

    init(_ host: TestHost, _ id: CallID) {
        self.host = host
        self.id = id
    }

    private var call: Call? { host.snapshot[id] }

    private func date(_ property: KeyPath<Call, UInt64>) -> Date? {
        call.map { $0[keyPath: property] }.flatMap { $0 == 0 ? nil : Date(wire: $0) }
    }

    /// The call's identifier, the same as in the providers.
    public var uuid: UUID { UUID(id) }

    /// The state of the call; `ended` for a call that was never created.
    public var state: CXCall.State { call.flatMap { CXCall.State(rawValue: $0.state.rawValue) } ?? .ended }

    /// The id of the call's provider.
    public var provider: String { call?.provider.rawValue ?? "" }

    /// Whether the call was started on this side.
    public var isOutgoing: Bool { call?.direction == .outgoing }

    /// The handle of the other party.
    public var handle: CXHandle? { call?.handle.map(CXHandle.init) }

    /// The party with whom the far side asks to go on; nil if it asks for no transfer.
    public var transferRequest: CXHandle? { call?.transferRequest.map(CXHandle.init) }

    /// The name to show; empty if it is unknown.
    public var callerName: String { call?.callerName ?? "" }

    /// Whether the call is on hold, or is being resumed.
    public var isOnHold: Bool { call?.isOnHold ?? false }

    /// Who held the call: `user`, `provider`, or `arbiter`, the system, for another call. Nil if it is not on hold.
    public var heldBy: String? { call?.heldBy?.rawValue }

    /// Whether this side is muted.
    public var isMuted: Bool { call?.muted ?? false }

    /// The languages of the translation, and the engine that translates. Nil if the call is not translated.
    public var translation: (local: String, remote: String, engine: CXTranslationEngine)? {
        call?.translation.map { translation in
            let engine: CXTranslationEngine =
                switch translation.engine {
                case .default: .default
                case .custom: .custom
                }
            return (translation.languages.local, translation.languages.remote, engine)
        }
    }

    /// Whether the call has video.
    public var hasVideo: Bool { call?.video ?? false }

    /// Whether the far side holds the call.
    public var isRemoteHeld: Bool { call?.remoteHeld ?? false }

    /// How the call rings: `audible`, `waiting` (a tone in another call) or `silent`. Nil if it does not ring.
    public var ringing: String? { call?.ringMode?.rawValue }

    /// The members of the call's group, including the call itself; empty without a group.
    public var group: [TestCall] {
        guard let group = call?.group else { return [] }
        return host.snapshot.calls.filter { $0.group == group && !$0.hasEnded }.map { TestCall(host, $0.id) }
    }

    /// What the user can do with the call now, out of `hold`, `resume`, `group`, `ungroup`, `dtmf`, `mute`,
    /// `translate`, `transfer`, `answer-transfer`, `answer`, `end`.
    public var can: [String] { call?.can.words ?? [] }

    /// Why the call ended, such as `local-ended`, `declined`, `remote-ended`, `transferred`, `timed-out`,
    /// `provider-crashed`. Nil before.
    public var endReason: String? { call?.endReason?.rawValue }

    /// Who ended the call: `user`, `remote`, `provider`, `arbiter`, `deadline`, `policy` or `system`. Nil before.
    public var endedBy: String? { call?.endedBy?.rawValue }

    /// The date at which the call began.
    public var dateStarted: Date? { date(\.startedAt) }

    /// The date at which the call was connected; nil before.
    public var dateConnected: Date? { date(\.connectedAt) }

    /// The date at which the call ended; nil before.
    public var dateEnded: Date? { date(\.endedAt) }
}

extension TestCall: Hashable, CustomStringConvertible {
    public static func == (one: TestCall, other: TestCall) -> Bool { one.host === other.host && one.id == other.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The identifier, the provider and the state.
    public var description: String { "call \(id) of \(provider) \(state)" }
}
