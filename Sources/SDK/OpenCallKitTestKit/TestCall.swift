// TestCall: a call as the user sees it.

internal import CallCore
internal import CallModel
public import OpenCallKit

/// A call of a ``TestHost``: what it is now, and the buttons beside it. It can still be looked at when it has ended.
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

    /// The call's identifier, as the providers know it.
    public var uuid: UUID { UUID(id) }

    /// Where it stands; `ended` for a call that never came about.
    public var state: CXCall.State { call.flatMap { CXCall.State(rawValue: $0.state.rawValue) } ?? .ended }

    /// The id of its provider.
    public var provider: String { call?.provider.rawValue ?? "" }

    /// Whether it was started here.
    public var isOutgoing: Bool { call?.direction == .outgoing }

    /// Who is called, or calls.
    public var handle: CXHandle? { call?.handle.map(CXHandle.init) }

    /// The name that is shown; empty if none is known.
    public var callerName: String { call?.callerName ?? "" }

    /// Whether it is on hold, or is being taken back.
    public var isOnHold: Bool { call?.isOnHold ?? false }

    /// Who put it on hold: `user`, `provider`, or `arbiter` for the system, to make room. Nil if it is not on hold.
    public var heldBy: String? { call?.heldBy?.rawValue }

    /// Whether the microphone is off.
    public var isMuted: Bool { call?.muted ?? false }

    /// Into which languages it is translated, as `local` and `remote`, and by whom. Nil if it is not translated.
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

    /// Whether it has video.
    public var hasVideo: Bool { call?.video ?? false }

    /// Whether the far side has put us on hold.
    public var isRemoteHeld: Bool { call?.remoteHeld ?? false }

    /// How a ringing call rings: `audible`, `waiting`, which is a tone in a call, or `silent`. Nil if it does not ring.
    public var ringing: String? { call?.ringMode?.rawValue }

    /// The calls that it is grouped with, itself among them; empty if it is alone.
    public var group: [TestCall] {
        guard let group = call?.group else { return [] }
        return host.snapshot.calls.filter { $0.group == group && !$0.hasEnded }.map { TestCall(host, $0.id) }
    }

    /// What the user can do with it now, out of `hold`, `resume`, `group`, `ungroup`, `dtmf`, `mute`,
    /// `translate`, `answer`, `end`.
    public var can: [String] { call?.can.words ?? [] }

    /// Why it has ended, such as `local-ended`, `declined`, `remote-ended`, `timed-out`, `provider-crashed`. Nil before.
    public var endReason: String? { call?.endReason?.rawValue }

    /// Who ended it: `user`, `remote`, `provider`, `arbiter`, `deadline`, `policy` or `system`. Nil before.
    public var endedBy: String? { call?.endedBy?.rawValue }

    /// When it began.
    public var dateStarted: Date? { date(\.startedAt) }

    /// When the two sides could talk first.
    public var dateConnected: Date? { date(\.connectedAt) }

    /// When it ended.
    public var dateEnded: Date? { date(\.endedAt) }
}

extension TestCall: Hashable, CustomStringConvertible {
    public static func == (one: TestCall, other: TestCall) -> Bool { one.host === other.host && one.id == other.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The identifier, the provider and the state.
    public var description: String { "call \(id) of \(provider) \(state)" }
}
