// The coordinator: CallKit on the main actor, and a task that reads the network's events.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
    import os
#else
    import OpenCallKitPort
#endif

final class CallCoordinator: NSObject {
    struct Line: Identifiable, Equatable {
        enum State { case ringing, dialing, active, held }
        let id: UUID
        let address: String
        var state: State
    }

    private(set) var lines: [Line] = []
    private(set) var hasAudio = false
    let network: CallNetwork
    private let provider: CXProvider
    private let controller = CXCallController()
    private let logger = Logger(subsystem: "com.example.modern", category: "calls")
    private var listening: Task<Void, Never>?

    init(network: CallNetwork) {
        self.network = network
        let configuration = CXProviderConfiguration(localizedName: "Modern")
        configuration.supportedHandleTypes = [.generic]
        configuration.maximumCallsPerCallGroup = 1
        provider = CXProvider(configuration: configuration)
        super.init()
        provider.setDelegate(self, queue: .main)
        listening = Task { [weak self, events = network.events] in
            for await event in events { await self?.handle(event) }
        }
    }

    isolated deinit { listening?.cancel() }

    func start(_ address: String) async throws -> UUID {
        let id = UUID()
        let action = CXStartCallAction(call: id, handle: CXHandle(type: .generic, value: address))
        try await controller.request(CXTransaction(action: action))
        return id
    }

    func setHeld(_ id: UUID, _ isHeld: Bool) async throws {
        try await controller.requestTransaction(with: CXSetHeldCallAction(call: id, onHold: isHeld))
    }

    func end(_ id: UUID) async throws { try await controller.requestTransaction(with: CXEndCallAction(call: id)) }

    private func handle(_ event: NetworkEvent) async {
        switch event {
        case .ringing(let id, let address): await ring(id, address)
        case .answered(let id):
            provider.reportOutgoingCall(with: id, connectedAt: .now)
            set(id, .active)
        case .hungUp(let id):
            provider.reportCall(with: id, endedAt: .now, reason: .remoteEnded)
            lines.removeAll { $0.id == id }
        }
    }

    private func ring(_ id: UUID, _ address: String) async {
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: address)
        do {
            try await provider.reportNewIncomingCall(with: id, update: update)
            lines.append(Line(id: id, address: address, state: .ringing))
        } catch CXErrorCodeIncomingCallError.filteredByDoNotDisturb {
            logger.notice("not to be disturbed")
            await network.hangUp(id)
        } catch {
            logger.error("call from \(address): \(error, privacy: .public)")
            await network.hangUp(id)
        }
    }

    private func set(_ id: UUID, _ state: Line.State) {
        guard let index = lines.firstIndex(where: { $0.id == id }) else { return }
        lines[index].state = state
    }

    /// Performs an action on the network, and answers it when the network has.
    private func perform(_ action: CXCallAction, _ work: @escaping @MainActor () async throws -> Void) {
        Task {
            do {
                try await work()
                action.fulfill()
            } catch {
                logger.error("\(type(of: action), privacy: .public) failed: \(error, privacy: .public)")
                action.fail()
            }
        }
    }
}

extension CallCoordinator: CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) {
        let ids = lines.map(\.id)
        lines = []
        Task { for id in ids { await network.hangUp(id) } }
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let address = action.handle.value
        perform(action) { [self] in
            try await network.dial(address, action.callUUID)
            lines.append(Line(id: action.callUUID, address: address, state: .dialing))
        }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        perform(action) { [self] in
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .voiceChat)
            if await !AVAudioApplication.requestRecordPermission() { logger.notice("answered without a microphone") }
            try await network.accept(action.callUUID)
            set(action.callUUID, .active)
        }
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        let isOnHold = action.isOnHold
        perform(action) { [self] in
            await network.setHeld(action.callUUID, isOnHold)
            set(action.callUUID, isOnHold ? .held : .active)
        }
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        perform(action) { [self] in
            await network.hangUp(action.callUUID)
            lines.removeAll { $0.id == action.callUUID }
        }
    }

    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { hasAudio = true }
    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { hasAudio = false }
}
