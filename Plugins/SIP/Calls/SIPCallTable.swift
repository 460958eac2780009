// SIPCallTable: all calls of one account.

public import OpenCallKit

/// The calls of an account, by their numbers for the engine and their identifiers for the system. It joins calls, and sees
/// to it that each action is answered once.
public struct SIPCallTable: Sendable {
    public enum Input: Sendable {
        case action(UUID, call: UUID, SIPAction)
        /// The system does not wait for the action any more.
        case withdrawn(UUID)
        /// A call that comes in may ring, or is refused with this code.
        case admitted(UUID)
        case refused(UUID, UInt16)
        /// - Parameter uuid: the identifier of the call if it is a new one.
        case event(SIPCallEvent, of: UInt64, uuid: UUID)
        /// The system has forgotten all calls.
        case reset
    }

    public enum Effect: Hashable, Sendable {
        case command(SIPCommand)
        case report(UUID, SIPReport)
        case fulfil(UUID)
        case fail(UUID, SIPRefusal)
    }

    /// A token's part in an action.
    struct Part: Hashable, Sendable {
        /// Nil if nobody waits for it.
        var action: UUID?
        var call: UInt64
    }

    private let home: SIPHome?
    private let firstNumber: UInt64
    private var count: UInt64 = 0
    private var lastToken: UInt64 = 0
    private var lastConference: UInt64
    var calls: [UInt64: SIPCall] = [:]
    private var uuids: [UInt64: UUID] = [:]
    var parts: [UInt64: Part] = [:]
    /// The calls that end with an attended transfer, by its action.
    private var partners: [UUID: UInt64] = [:]
    /// How calls were before actions that change conferences, which are put back if they fail.
    var before: [UUID: [SIPCall]] = [:]

    /// - Parameters:
    ///   - account: the account's number, which no other one has.
    ///   - home: where names without a domain are; nil means that nobody can be called.
    public init(account: UInt32, home: SIPHome?) {
        firstNumber = UInt64(account & 0x7FFF_FFFF) << 32
        lastConference = firstNumber
        self.home = home
    }

    /// Whether there are no calls, neither for the system nor for the engine.
    public var isEmpty: Bool { calls.isEmpty }

    public mutating func apply(_ input: Input) -> [Effect] {
        switch input {
        case .action(let action, let uuid, let what): return perform(what, action, uuid)
        case .withdrawn(let action):
            let mine = parts.filter { $0.value.action == action }.sorted { $0.key < $1.key }
            for part in mine { parts[part.key]?.action = nil }
            partners[action] = nil
            return mine.flatMap { apply(.withdrawn(token: $0.key), to: $0.value.call) } + restore(action)
        case .admitted(let uuid): return number(of: uuid).map { apply(.admitted, to: $0) } ?? []
        case .refused(let uuid, let code): return number(of: uuid).map { apply(.refused(code), to: $0) } ?? []
        case .event(let event, let number, let uuid): return receive(event, number, uuid)
        case .reset: return calls.keys.sorted().flatMap { apply(.forgotten, to: $0) }
        }
    }

    private mutating func receive(_ event: SIPCallEvent, _ number: UInt64, _ uuid: UUID) -> [Effect] {
        if case .incoming = event, calls[number] == nil {
            calls[number] = SIPCall(number: number, isOutgoing: false, home: home)
            uuids[number] = uuid
        }
        return apply(.event(event), to: number)
    }

    // MARK: actions

    private mutating func perform(_ what: SIPAction, _ action: UUID, _ uuid: UUID) -> [Effect] {
        if case .start(let handle, let hidesNumber) = what { return start(handle, hidesNumber, action, uuid) }
        guard let number = number(of: uuid) else {
            return what == .end ? [.fulfil(action)] : [.fail(action, .noSuchCall)]
        }
        switch what {
        case .start: return []
        case .answer: return request(.answer, of: number, for: action)
        case .end: return request(.end, of: number, for: action)
        case .hold(let isOn): return request(.hold(isOn), of: number, for: action)
        case .mute(let isMuted): return request(.mute(isMuted), of: number, for: action)
        case .digits(let digits): return request(.digits(digits), of: number, for: action)
        case .answerTransfer(let handle): return request(.answerTransfer(handle), of: number, for: action)
        case .transfer(let handle):
            do throws(InvalidSIPAddress) {
                let address = try SIPAddress(dialing: handle, domain: home?.domain)
                return request(.transfer(uri: address.text), of: number, for: action)
            } catch {
                return [.fail(action, SIPRefusal(.unsupported, error.text))]
            }
        case .transferTo(let uuid):
            guard let other = self.number(of: uuid), other != number else { return [.fail(action, .noSuchCall)] }
            partners[action] = other
            return request(.transferTo(other), of: number, for: action)
        case .join(let uuid):
            guard let other = self.number(of: uuid), other != number else { return [.fail(action, .noSuchCall)] }
            return join(number, with: other, for: action)
        case .leave: return leave(number, for: action)
        }
    }

    private mutating func start(
        _ handle: CXHandle, _ hidesNumber: Bool, _ action: UUID, _ uuid: UUID
    ) -> [Effect] {
        do throws(InvalidSIPAddress) {
            let address = try SIPAddress(dialing: handle, domain: home?.domain)
            count += 1
            let number = firstNumber + count
            calls[number] = SIPCall(number: number, isOutgoing: true, home: home)
            uuids[number] = uuid
            return request(.start(uri: address.text, hidesNumber: hidesNumber), of: number, for: action)
        } catch {
            return [.fail(action, SIPRefusal(.unsupported, error.text))]
        }
    }

    private mutating func request(_ request: SIPCall.Request, of number: UInt64, for action: UUID) -> [Effect] {
        perform([(number, request)], for: action)
    }

    /// Asks calls for all that an action needs. It is fulfilled when all of that is done.
    mutating func perform(_ requests: [(call: UInt64, what: SIPCall.Request)], for action: UUID?) -> [Effect] {
        let first = lastToken + 1
        // All parts are there before one of them can be answered.
        for request in requests {
            lastToken += 1
            parts[lastToken] = Part(action: action, call: request.call)
        }
        return zip(first..., requests).flatMap { token, request in
            apply(.request(request.what, token: token), to: request.call)
        }
    }

    func number(of uuid: UUID) -> UInt64? { uuids.first { $0.value == uuid && calls[$0.key]?.isPresent == true }?.key }

    // MARK: what calls do

    private mutating func apply(_ input: SIPCall.Input, to number: UInt64) -> [Effect] {
        guard var call = calls[number], let uuid = uuids[number] else { return [] }
        let outputs = call.apply(input)
        calls[number] = call
        if call.phase == .gone {
            calls[number] = nil
            uuids[number] = nil
        }
        let effects = outputs.flatMap { self.effects(of: $0, uuid) }
        if !call.isPresent {
            for (token, part) in parts where part.call == number { parts[token] = nil }
        }
        return effects
    }

    private mutating func effects(of output: SIPCall.Output, _ uuid: UUID) -> [Effect] {
        switch output {
        case .command(let command): return [.command(command)]
        case .report(let report): return [.report(uuid, report)]
        case .fulfil(let token): return answer(token, nil)
        case .fail(let token, let refusal): return answer(token, refusal)
        }
    }

    /// An action is fulfilled with its last part, and fails with the first part that does.
    private mutating func answer(_ token: UInt64, _ refusal: SIPRefusal?) -> [Effect] {
        guard let action = parts.removeValue(forKey: token)?.action else { return [] }
        if let refusal {
            for (token, part) in parts where part.action == action { parts[token]?.action = nil }
            partners[action] = nil
            return [.fail(action, refusal)] + restore(action)
        }
        if parts.values.contains(where: { $0.action == action }) { return [] }
        before[action] = nil
        guard let partner = partners.removeValue(forKey: action) else { return [.fulfil(action)] }
        return [.fulfil(action)] + apply(.forgotten, to: partner)
    }
}

extension SIPCallTable {
    /// Puts a call into the conference of another one, and resumes all that hear each other then.
    mutating func join(_ number: UInt64, with other: UInt64, for action: UUID) -> [Effect] {
        guard calls[number]?.phase == .connected, calls[other]?.phase == .connected else {
            return [.fail(action, SIPCall.notConnected)]
        }
        var conference = calls[other]?.conference ?? 0
        if conference == 0 {
            lastConference += 1
            conference = lastConference
        }
        let members = members(of: conference).filter { $0 != number && $0 != other } + [other, number]
        remember(members, for: action)
        let moves = [number, other].flatMap { move($0, to: conference) }
        return moves + change(members.map { ($0, false) }, for: action)
    }

    /// Takes a call out of its conference. It goes on, and the rest of them is held.
    mutating func leave(_ number: UInt64, for action: UUID) -> [Effect] {
        let conference = calls[number]?.conference ?? 0
        guard conference != 0 else { return [.fulfil(action)] }
        let rest = members(of: conference).filter { $0 != number }
        remember(rest + [number], for: action)
        let moves = move(number, to: 0)
        return moves + change(rest.map { ($0, true) } + [(number, false)], for: action)
    }

    private mutating func remember(_ numbers: [UInt64], for action: UUID) {
        before[action] = numbers.compactMap { calls[$0] }
    }

    /// Puts the calls of an action that has failed back to where they were.
    private mutating func restore(_ action: UUID) -> [Effect] {
        let calls = before.removeValue(forKey: action) ?? []
        let present = calls.filter { self.calls[$0.number]?.phase == .connected }
        let moves = present.flatMap { move($0.number, to: $0.conference) }
        let moved = present.filter { self.calls[$0.number]?.isHeld != $0.isHeld }
        return moves + perform(moved.map { ($0.number, .hold($0.isHeld)) }, for: nil)
    }

    private func members(of conference: UInt64) -> [UInt64] {
        calls.values.filter { $0.conference == conference && $0.isPresent }.map(\.number).sorted()
    }

    private mutating func move(_ number: UInt64, to conference: UInt64) -> [Effect] {
        guard calls[number]?.conference != conference else { return [] }
        calls[number]?.conference = conference
        return [.command(.group(number, conference))]
    }

    /// Holds and resumes calls. The action is fulfilled when all of it is done.
    private mutating func change(_ goals: [(call: UInt64, isHeld: Bool)], for action: UUID) -> [Effect] {
        let needed = goals.filter { calls[$0.call]?.isHeld != $0.isHeld }
        if needed.isEmpty {
            before[action] = nil
            return [.fulfil(action)]
        }
        return perform(needed.map { ($0.call, .hold($0.isHeld)) }, for: action)
    }
}
