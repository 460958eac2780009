// A workload for the core: what clients, providers and the clock do around two calls.

import CallCore
import CallModel

/// Plays the events against a machine and keeps every input, so that they can be played again with nothing else to do.
struct Workload {
    private(set) var inputs: [(input: Input, at: Instant)] = []
    private(set) var machine: CallMachine
    /// The machine before the first input.
    private(set) var start = CallMachine()
    private var now = Instant(uptime: 1_000_000_000, date: 1_700_000_000_000_000)
    private var reply: UInt64 = 0
    private var nextCall: UInt64 = 0
    private var owed: [ActionID] = []
    private var releasing: [ProviderID] = []
    private var refusal: CallError?
    private let first: CallID
    private let second: CallID
    private let phone: ProviderID
    private let chat: ProviderID

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A machine with an active call of one provider, a held one of another, and `bystanders` more calls: held and
    /// ringing ones in equal numbers, of eight other providers that have room for one more call each.
    init(bystanders: Int) throws {
        var limits = Limits()
        limits.calls = bystanders + 8
        limits.ringingCallsPerProvider = bystanders + 8
        machine = CallMachine(limits: limits)
        phone = try Self.provider("Phone")
        chat = try Self.provider("Chat")
        first = CallID(high: 0, low: 1 << 40)
        second = CallID(high: 0, low: 1 << 41)
        let others = try (0..<8).map { try Self.provider("Provider\($0)") }
        for id in [phone, chat] { play(.providerRegistered(id, Self.configuration(groups: 3))) }
        let held = bystanders / 2
        for (index, id) in others.enumerated() {
            let share = held / 8 + (index < held % 8 ? 1 : 0)
            play(.providerRegistered(id, Self.configuration(groups: UInt32(share + 1))))
        }
        for index in 0..<held {
            let call = come(others[index % 8])
            request(.answer(call))
            // Half of them are held by the arbiter for the next one, half by the user.
            if index % 2 == 0 { request(.setHeld(call, true)) }
        }
        for index in held..<bystanders where held > 0 { _ = come(others[index % 8]) }
        for (call, provider) in [(second, chat), (first, phone)] {
            report(.incoming(call, CallUpdate()), by: provider)
            request(.answer(call))
        }
        try check(bystanders)
    }

    /// What was played until now only made the calls.
    mutating func begin() {
        start = machine
        inputs = []
    }

    private func check(_ bystanders: Int) throws {
        if let refusal { throw Failure(description: "refused: \(refusal)") }
        let states = machine.calls.values.filter { $0.state != .ended }
        guard states.count == bystanders + 2, machine.activeCall == first, machine.isIdle else {
            throw Failure(description: "\(states.count) calls, \(bystanders + 2) were to be there")
        }
        if let violation = machine.violations().first { throw Failure(description: violation) }
    }

    /// Everything once: a swap and back, mute, tones, reports, and a call that comes, is answered, ends and is gone.
    mutating func round() throws {
        request(.setHeld(second, false))
        request(.setHeld(first, false))
        request(.setMuted(first, true))
        request(.setMuted(first, false))
        request(.playDTMF(first, digits: "1", tone: .singleTone))
        for value in [true, false] {
            var update = CallUpdate()
            update.remoteHeld = value
            report(.updated(first, update), by: phone)
            update = CallUpdate()
            update.canHoldNow = !value
            report(.updated(second, update), by: chat)
        }
        let call = come(chat)
        request(.answer(call))
        request(.end(call, reason: ""))
        now.uptime += 5_000_000
        now.date += 5_000_000
        play(.timerFired(.linger(call)))
        // While others ring nothing comes back by itself.
        if machine.activeCall != first { request(.setHeld(first, false)) }
        if let refusal { throw Failure(description: "refused: \(refusal)") }
        guard machine.activeCall == first else { throw Failure(description: "the first call is not active again") }
    }

    private mutating func come(_ provider: ProviderID) -> CallID {
        nextCall += 1
        // As far apart as random identifiers are.
        let call = CallID(high: nextCall &* 0x9E37_79B9_7F4A_7C15, low: nextCall &* 0xD1B5_4A32_D192_ED03)
        report(.incoming(call, CallUpdate()), by: provider)
        return call
    }

    private mutating func report(_ report: Report, by provider: ProviderID) {
        reply += 1
        play(.reported(report, by: provider, reply: ReplyID(reply)))
    }

    /// Asks, and lets every provider do as it is told.
    private mutating func request(_ action: CallAction) {
        reply += 1
        play(.requested(Request([action], by: .client(":1.42")), reply: ReplyID(reply)))
        while true {
            if let provider = releasing.popLast() {
                play(.audioReleased(provider))
            } else if !owed.isEmpty {
                play(.actionFulfilled(owed.removeFirst(), date: 0))
            } else {
                return
            }
        }
    }

    private mutating func play(_ input: Input) {
        now.uptime += 100
        now.date += 100
        inputs.append((input, now))
        let made = machine.apply(input, at: now)
        for effect in made {
            switch effect {
            case .perform(let action): owed.append(action.id)
            case .deactivateAudio(let provider): releasing.append(provider)
            case .reply(_, .failed(let error)): refusal = error
            default: break
            }
        }
    }

    private static func provider(_ name: String) throws -> ProviderID {
        guard let id = ProviderID(name) else { throw Failure(description: "\(name) names no provider") }
        return id
    }

    private static func configuration(groups: UInt32) -> ProviderConfiguration {
        var configuration = ProviderConfiguration()
        configuration.supportedHandleTypes = [.generic]
        configuration.maximumCallGroups = groups
        return configuration
    }
}
