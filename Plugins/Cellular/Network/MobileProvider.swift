// MobileProvider: the calls of one modem, between the modem and the system.

import EventLoop
import OpenCallKit

/// One modem as a provider. The modem's list of calls is the truth: whenever it changes, what the system has been told is
/// compared with it, and the difference is reported.
@LoopActor
final class MobileProvider {
    let modem: any VoiceModem
    let provider: CXProvider
    private let delegate = MobileProviderDelegate()
    private let controller = CXCallController()

    /// What the system has been told, by the modem's names of calls.
    var told: [String: ToldCall] = [:]
    /// The waits for the numbers of new calls, also those that are over, by the modem's names of calls.
    private var numberWaits: [String: LoopTimer] = [:]
    /// The system's actions on these calls.
    private(set) lazy var actions = MobileActions(of: self)
    private var shownCondition: ModemCondition?
    private var watchdog: LoopTimer?
    private var isClosed = false

    /// How often the modem is asked whether it is there, while it has calls.
    private static let probeInterval = Duration.seconds(2)

    init(_ modem: any VoiceModem) {
        self.modem = modem
        let configuration = CXProviderConfiguration(localizedName: modem.name)
        configuration.key = modem.key
        configuration.supportedHandleTypes = [.phoneNumber]
        configuration.supportedSchemes = ["tel"]
        configuration.supportsHidingNumber = true
        configuration.holdModel = .swap
        configuration.maximumCallGroups = 2
        configuration.maximumCallsPerCallGroup = 5
        Self.show(modem.condition, in: configuration)
        shownCondition = modem.condition
        provider = CXProvider(configuration: configuration)
        delegate.mobile = self
        provider.setDelegate(delegate, queue: nil)
        modem.onChange = { [weak self] in self?.modemChanged() }
        reconcile()
    }

    private static func show(_ condition: ModemCondition, in configuration: CXProviderConfiguration) {
        configuration.availability = condition.availability
        configuration.status = condition.status
        configuration.emergencyNumbers = condition.allEmergencyNumbers
    }

    private func modemChanged() {
        if modem.condition != shownCondition {
            shownCondition = modem.condition
            let configuration = provider.configuration
            Self.show(modem.condition, in: configuration)
            provider.configuration = configuration
        }
        reconcile()
    }

    /// The modem's calls, as far as they can be true.
    var network: BelievableCalls {
        BelievableCalls(modem.calls, heard: Set(told.filter { $0.value.stage == .connected && !$0.value.isHeld }.keys))
    }

    func isEmergency(_ number: String) -> Bool { modem.condition.allEmergencyNumbers.contains(number) }

    // MARK: the life of the modem

    /// Looks after the modem while it has calls. Its service may not notice that it was unplugged.
    func watch() {
        guard watchdog == nil, !isClosed, !told.isEmpty || !network.isWhole else { return }
        watchdog = LoopTimer(after: Self.probeInterval) { [weak self] in
            Task { @LoopActor in await self?.lookAfter() }
        }
    }

    private func lookAfter() async {
        do throws(ModemFailure) {
            try await modem.probe()
            if !network.isWhole || hasDifferences { await modem.refresh() }
            for call in told.filter({ $0.value.mustEnd }).keys.sorted() { await refuse(call) }
        } catch {
            if error == .gone { modemIsLost() }
        }
        watchdog = nil
        watch()
    }

    /// Whether the modem's list and what the system knows differ, which a report or an action will change.
    private var hasDifferences: Bool { actions.isWaiting || told.keys.contains { modem.calls[$0] == nil } }

    /// The modem does not answer any more: its calls are lost, whatever its list says.
    func modemIsLost() {
        for call in told.keys.sorted() { end(call, .modemGone) }
        actions.reconciled()
    }

    /// The modem was unplugged, or its service has ended.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        watchdog?.cancel()
        numberWaits = [:]
        modem.onChange = nil
        modem.close()
        for call in told.keys.sorted() { end(call, .modemGone) }
        actions.reconciled()
        provider.invalidate()
    }

    /// The system forgets all calls. An emergency call goes on.
    func reset() {
        guard !isClosed else { return }
        let calls = told.filter { !$0.value.isEmergency && $0.value.stage != .refused }.keys.sorted()
        actions.reset()
        Task { @LoopActor in for call in calls { await refuse(call) } }
    }
}

extension MobileProvider {
    /// Compares the modem's list with what the system has been told, and reports the difference.
    func reconcile() {
        let network = network
        for call in told.keys.sorted() where network.calls[call] == nil { end(call, modem.removeEndCause(of: call)) }
        numberWaits = numberWaits.filter { network.calls[$0.key] != nil }
        actions.fulfil(network)
        for call in network.calls where told[call.id] == nil { meet(call) }
        for call in network.calls where !call.isMultiparty { told[call.id]?.isGrouped = false }
        for call in network.calls {
            reportNumber(call)
            reportProgress(call)
        }
        if !actions.isPerforming {
            for call in network.calls where call.isConnected && told[call.id]?.stage == .ringing { answered(call.id) }
            reportHolds(network)
        }
        watch()
        actions.reconciled()
    }

    // MARK: calls that are new

    private func meet(_ call: MobileCall) {
        switch call.phase {
        case .incoming, .waiting: if !awaitsNumber(call) { reportIncoming(call) }
        case .active, .held:
            // A call that is being dialed here may be connected before the modem has answered.
            if !call.isOutgoing || !actions.isStarting { adopt(call) }
        // One that was dialed elsewhere is adopted once it is connected.
        case .dialing, .alerting: break
        }
    }

    private func note(_ call: MobileCall, _ stage: ToldCall.Stage) -> UUID {
        let uuid = UUID()
        told[call.id] = ToldCall(
            uuid: uuid, isOutgoing: call.isOutgoing, isEmergency: isEmergency(call.number), stage: stage,
            hasNumber: !call.number.isEmpty, isHeld: call.phase == .held)
        return uuid
    }

    func update(for call: MobileCall) -> CXCallUpdate {
        let update = CXCallUpdate()
        if !call.number.isEmpty { update.remoteHandle = CXHandle(type: .phoneNumber, value: call.number) }
        return update
    }

    private func reportIncoming(_ call: MobileCall) {
        let uuid = note(call, .offered)
        Task { @LoopActor in
            do {
                try await provider.reportNewIncomingCall(with: uuid, update: update(for: call))
                if told[call.id]?.stage == .offered { told[call.id]?.stage = .ringing }
                reconcile()
            } catch {
                await refuse(call.id)
            }
        }
    }

    /// The call exists already: it outlived a worker, or was dialed by another program.
    private func adopt(_ call: MobileCall) {
        let uuid = note(call, .connected)
        let isEmergency = isEmergency(call.number)
        // Of a conference, the system is told one call that is heard; the others join it.
        let isMember = told.contains { id, other in
            id != call.id && other.stage == .connected && !other.isHeld && modem.calls[id]?.isMultiparty == true
        }
        let isHeld = call.phase == .held || (call.isMultiparty && isMember)
        told[call.id]?.isHeld = isHeld
        Task { @LoopActor in
            let update = update(for: call)
            update.isEmergency = isEmergency
            do {
                try await provider.reportOngoingCall(
                    with: uuid, isOutgoing: call.isOutgoing, isOnHold: isHeld, connectedAt: nil, update: update)
                reconcile()
            } catch {
                if isEmergency { told[call.id]?.stage = .refused } else { await refuse(call.id) }
            }
        }
    }

    /// Ends a call that the system does not have. If the modem does not do it, it is asked again later.
    func refuse(_ call: String) async {
        guard told[call] != nil else { return }
        told[call]?.stage = .refused
        told[call]?.mustEnd = true
        do throws(ModemFailure) {
            try await actions.ask(.hangUp(call))
        } catch {
            if error == .gone { modemIsLost() }
        }
    }

    // MARK: calls that change

    /// Another program has answered a call that rings. The system is asked to answer it, and makes room for it; if it does
    /// not, the call has been answered elsewhere, and is one that was found.
    private func answered(_ call: String) {
        guard let now = told[call], !now.isAnsweredElsewhere, !actions.isAwaited(call) else {
            return
        }
        told[call]?.isAnsweredElsewhere = true
        let action = CXAnswerCallAction(call: now.uuid)
        controller.request(CXTransaction(action: action)) { [weak self] error in
            guard error != nil else { return }
            Loop.shared.post { self?.leave(call, now.uuid) }
        }
    }

    private func leave(_ call: String, _ uuid: UUID) {
        guard told[call]?.uuid == uuid, told[call]?.stage == .ringing else { return }
        told[call] = nil
        provider.reportCall(with: uuid, endedAt: nil, reason: .answeredElsewhere)
        reconcile()
    }

    private func reportProgress(_ call: MobileCall) {
        guard let now = told[call.id], now.isOutgoing else { return }
        switch (now.stage, call.phase) {
        case (.dialing, .alerting):
            told[call.id]?.stage = .alerting
            provider.reportOutgoingCall(with: now.uuid, startedConnectingAt: nil)
            let update = CXCallUpdate()
            update.progress = .alerting
            provider.reportCall(with: now.uuid, updated: update)
        // One that is held already was answered, and exchanged, before the list was read.
        case (.dialing, .active), (.alerting, .active), (.dialing, .held), (.alerting, .held):
            told[call.id]?.stage = .connected
            provider.reportOutgoingCall(with: now.uuid, connectedAt: nil)
        default: break
        }
    }

    /// Reports what the network has held and resumed. A resume comes first, so that one of the calls is always heard.
    private func reportHolds(_ network: BelievableCalls) {
        let connected = network.calls.filter { call in
            told[call.id]?.stage == .connected && call.isConnected && !actions.isAwaited(call.id)
        }
        for call in connected where call.phase == .active && told[call.id]?.isHeld == true {
            if let partner = partner(of: call, in: network) {
                join(call.id, with: partner)
            } else {
                report(call.id, isHeld: false)
            }
        }
        for call in connected where call.phase == .held && told[call.id]?.isHeld == false {
            report(call.id, isHeld: true)
        }
    }

    private func report(_ call: String, isHeld: Bool) {
        guard let now = told[call] else { return }
        told[call]?.isHeld = isHeld
        let update = CXCallUpdate()
        update.isOnHold = isHeld
        provider.reportCall(with: now.uuid, updated: update)
    }

    /// A call of the same conference that the system takes to be heard.
    private func partner(of call: MobileCall, in network: BelievableCalls) -> String? {
        guard call.isMultiparty else { return nil }
        return network.calls.first { other in
            other.id != call.id && other.isMultiparty && other.phase == .active
                && told[other.id]?.stage == .connected && told[other.id]?.isHeld == false
        }?.id
    }

    /// The conference was made elsewhere, or outlived a worker: the system groups its calls when it is asked to.
    private func join(_ call: String, with partner: String) {
        guard let one = told[call], let other = told[partner], !one.isGrouped else { return }
        told[call]?.isGrouped = true
        let action = CXSetGroupCallAction(call: one.uuid, callUUIDToGroupWith: other.uuid)
        controller.request(CXTransaction(action: action)) { [weak self] error in
            Loop.shared.post { if error != nil { self?.told[call]?.isGrouped = false } }
        }
    }

    // MARK: calls that end

    /// Reports that a call has ended, unless this side has ended it.
    func end(_ call: String, _ cause: EndCause) {
        guard let last = told.removeValue(forKey: call) else { return }
        let isEndedHere = actions.ended(call)
        guard last.stage != .refused, !isEndedHere else { return }
        let end = ReportedEnd(isOutgoing: last.isOutgoing, wasConnected: last.stage == .connected, cause: cause)
        let details = CXCallEndedDetails(reason: end.detail)
        provider.reportCall(with: last.uuid, endedAt: nil, reason: end.reason, details: details)
    }
}

extension MobileProvider {
    /// How long a new call waits for its number. By the number the system decides whether the call rings.
    private static let numberTimeout = Duration.milliseconds(300)

    /// Whether the number of a new call may still come.
    private func awaitsNumber(_ call: MobileCall) -> Bool {
        guard call.number.isEmpty else { return false }
        if let wait = numberWaits[call.id] { return wait.isPending }
        numberWaits[call.id] = LoopTimer(after: Self.numberTimeout) { [weak self] in self?.reconcile() }
        return true
    }

    /// Reports a number that was told after the call had been reported.
    private func reportNumber(_ call: MobileCall) {
        guard let now = told[call.id], !now.hasNumber, !call.number.isEmpty, !now.isOutgoing else { return }
        guard now.stage == .ringing || now.stage == .connected else { return }
        told[call.id]?.hasNumber = true
        provider.reportCall(with: now.uuid, updated: update(for: call))
    }
}
