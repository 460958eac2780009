// MobileLine: the calls of one modem, between the modem and the system.

import EventLoop
import OpenCallKit

/// One modem as a provider. The modem's list of calls is the truth: whenever it changes, what the system has been told is
/// compared with it, and the difference is reported.
@LoopActor
final class MobileLine {
    let modem: any VoiceModem
    let provider: CXProvider
    private let delegate = LineDelegate()
    let controller = CXCallController()

    /// What the system has been told, by the modem's names of calls.
    var told: [String: ToldCall] = [:]
    /// The waits for the numbers of new calls, also those that are over, by the modem's names of calls.
    var numberWaits: [String: LoopTimer] = [:]
    var awaited: [AwaitedPhase] = []
    /// How many services are being performed. While any is, changes of hold are not reported: they may be half of one.
    var servicesUnderWay = 0
    /// Starts that the network has not accepted, and the names of their calls once they have one.
    var starts: [UUID: String?] = [:]
    /// Starts that were ended before they had a name.
    var cancelledStarts: [UUID: [CXCallAction]] = [:]
    /// Calls that the modem is hanging up.
    var hangUps: Set<String> = []
    var onReconciled: [@LoopActor () -> Void] = []
    private var shownCondition: ModemCondition?
    private var watchdog: LoopTimer?
    private var isClosed = false

    /// How often the modem is asked whether it is there, while it has calls.
    private static let probeInterval = 2_000

    init(_ modem: any VoiceModem) {
        self.modem = modem
        let configuration = CXProviderConfiguration(localizedName: modem.name)
        configuration.key = modem.key
        configuration.supportedHandleTypes = [.phoneNumber]
        configuration.supportedSchemes = ["tel"]
        configuration.holdModel = .swap
        configuration.maximumCallGroups = 2
        configuration.maximumCallsPerCallGroup = 5
        Self.show(modem.condition, in: configuration)
        shownCondition = modem.condition
        provider = CXProvider(configuration: configuration)
        delegate.line = self
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

    func name(of uuid: UUID) -> String? {
        told.first { $0.value.uuid == uuid }?.key ?? starts[uuid].flatMap { $0 }
    }

    // MARK: the life of the modem

    /// Looks after the modem while it has calls. Its service may not notice that it was unplugged.
    func watch() {
        guard watchdog == nil, !isClosed, !told.isEmpty || !network.isWhole else { return }
        watchdog = LoopTimer(afterMilliseconds: Self.probeInterval) { [weak self] in
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
    private var hasDifferences: Bool { !awaited.isEmpty || told.keys.contains { modem.calls[$0] == nil } }

    /// The modem does not answer any more: its calls are lost, whatever its list says.
    func modemIsLost() {
        for call in told.keys.sorted() { end(call, .modemGone) }
        reconciled()
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
        reconciled()
        provider.invalidate()
    }

    /// The system forgets all calls. An emergency call goes on.
    func reset() {
        guard !isClosed else { return }
        let calls = told.filter { !$0.value.isEmergency && $0.value.stage != .refused }.keys.sorted()
        awaited = []
        Task { @LoopActor in for call in calls { await refuse(call) } }
    }

    func reconciled() {
        let waiting = onReconciled
        onReconciled = []
        for resume in waiting { resume() }
    }
}
