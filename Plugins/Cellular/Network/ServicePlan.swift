// ServicePlan: from the actions of a transaction to the services of the network. It is one pure function.

/// An action of a transaction, with the modem's names of calls.
enum ModemAction: Hashable, Sendable {
    case hold(String)
    case resume(String)
    case answer(String)
    case end(String)
    case join(String, with: String)
    case leave(String)
    /// An action that asks for no supplementary service, such as a start.
    case other
    /// An action on a call that the modem does not have.
    case unknown
}

/// One step of a transaction: some actions that follow one another, and what performs them together.
struct ServiceStep: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        case service(SupplementaryService)
        /// The network is so already.
        case nothing
        case other
        case refused(ServiceRefusal)
    }

    var work: Work
    var actions: Range<Int>
}

/// Makes steps out of actions. Actions that the network can only perform together become one step; what it can not do is
/// refused, and nothing is asked for that would exchange, accept or end a call which nobody named.
struct ServicePlan {
    private var calls: [MobileCall]
    private let actions: [ModemAction]
    private var next = 0
    private(set) var steps: [ServiceStep] = []

    init(_ actions: [ModemAction], among calls: [MobileCall]) {
        self.actions = actions
        self.calls = calls
        while next < actions.count { step() }
    }

    private mutating func step() {
        switch actions[next] {
        case .hold, .resume: exchange()
        case .answer(let call): add(answer(call), 1)
        case .end: end()
        case .join(let one, let other): add(join(one, other), 1)
        case .leave(let call): add(leave(call), 1)
        case .other: add(.other, 1)
        case .unknown: add(.refused(.unknownCall), 1)
        }
    }

    private mutating func add(_ work: ServiceStep.Work, _ count: Int) {
        steps.append(ServiceStep(work: work, actions: next..<next + count))
        next += count
        if case .service(let service) = work { calls = service.applied(to: calls) }
    }

    /// Holds, resumes, and the answer behind them.
    private mutating func exchange() {
        var holds: Set<String> = []
        var resumes: Set<String> = []
        var count = 0
        loop: for action in actions[next...] {
            switch action {
            case .hold(let call): holds.insert(call)
            case .resume(let call): resumes.insert(call)
            default: break loop
            }
            count += 1
        }
        let (active, held) = (calls.ids(.active), calls.ids(.held))
        if resumes.isEmpty, holds == active, next + count < actions.count,
            case .answer(let call) = actions[next + count], calls.ids(.incoming, .waiting) == [call]
        {
            return add(.service(.exchange), count + 1)
        }
        add(exchange(holds.subtracting(held), resumes.subtracting(active), active, held), count)
    }

    private func exchange(
        _ holds: Set<String>, _ resumes: Set<String>, _ active: Set<String>, _ held: Set<String>
    ) -> ServiceStep.Work {
        if holds.isEmpty, resumes.isEmpty { return .nothing }
        guard holds.isSubset(of: active), resumes.isSubset(of: held) else { return .refused(.unknownCall) }
        if !calls.ids(.dialing, .alerting).isEmpty { return .refused(.dialing) }
        if !calls.ids(.incoming, .waiting).isEmpty { return .refused(.callWaits) }
        // The service holds all that is active and resumes all that is held.
        return holds == active && resumes == held ? .service(.exchange) : .refused(.wouldExchangeOthers)
    }

    private func answer(_ call: String) -> ServiceStep.Work {
        guard let phase = calls[call]?.phase else { return .refused(.unknownCall) }
        if phase == .active { return .nothing }
        if !calls.ids(.dialing, .alerting).isEmpty { return .refused(.dialing) }
        guard calls.ids(.incoming, .waiting).contains(call) else { return .refused(.noService) }
        guard calls.ids(.active).isEmpty else { return .refused(.wouldExchangeOthers) }
        if phase == .incoming { return .service(.accept(call)) }
        // A waiting call beside a held one. With nothing active, this holds nothing.
        return calls.ids(.waiting) == [call] ? .service(.exchange) : .refused(.noService)
    }

    /// Ends, and the answer behind them if they end all that is active.
    private mutating func end() {
        var ends: Set<String> = []
        var count = 0
        for case .end(let call) in actions[next...].prefix(while: { if case .end = $0 { true } else { false } }) {
            ends.insert(call)
            count += 1
        }
        if ends == calls.ids(.active), next + count < actions.count, case .answer(let call) = actions[next + count],
            calls.ids(.incoming, .waiting) == [call], calls.ids(.dialing, .alerting).isEmpty
        {
            return add(.service(.releaseAndAccept), count + 1)
        }
        guard case .end(let call) = actions[next] else { return }
        add(calls[call] == nil ? .nothing : .service(.hangUp(call)), 1)
    }

    private func join(_ one: String, _ other: String) -> ServiceStep.Work {
        guard let first = calls[one], let second = calls[other] else { return .refused(.unknownCall) }
        if first.phase == second.phase, first.isMultiparty, second.isMultiparty { return .nothing }
        guard first.isConnected, second.isConnected, first.phase != second.phase else { return .refused(.noService) }
        return .service(.join(first.phase == .held ? one : other))
    }

    private func leave(_ call: String) -> ServiceStep.Work {
        guard let leaving = calls[call] else { return .refused(.unknownCall) }
        if !leaving.isMultiparty { return .nothing }
        guard leaving.phase == .active else { return .refused(.noService) }
        guard calls.ids(.held).isEmpty else { return .refused(.wouldExchangeOthers) }
        return .service(.leave(call))
    }
}

extension SupplementaryService {
    /// Returns the calls as they are once the service has been performed.
    func applied(to calls: [MobileCall]) -> [MobileCall] {
        let hasWaiting = !calls.ids(.incoming, .waiting).isEmpty
        return calls.compactMap { call in
            var call = call
            switch (self, call.phase) {
            case (.exchange, .active), (.leave, .active): call.phase = .held
            case (.exchange, .waiting), (.exchange, .incoming), (.releaseAndAccept, .waiting),
                (.releaseAndAccept, .incoming), (.accept, .incoming):
                call.phase = .active
            case (.exchange, .held): if !hasWaiting { call.phase = .active }
            case (.releaseAndAccept, .active): return nil
            case (.join, .held), (.join, .active): (call.phase, call.isMultiparty) = (.active, true)
            default: break
            }
            switch self {
            case .hangUp(call.id): return nil
            case .leave(call.id): (call.phase, call.isMultiparty) = (.active, false)
            default: return call
            }
            return call
        }
    }
}
