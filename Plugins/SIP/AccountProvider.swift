// AccountProvider: one account as a provider, between the engine and the system.

import EventLoop
import OpenCallKit
import SIPCalls

/// One account: its provider, its calls and how it fares. It carries out what `SIPCallTable` decides.
@LoopActor
final class AccountProvider {
    let number: UInt32
    private let provider: CXProvider
    private let account: PluginAccount
    private let settings: SIPSettings?
    private let trace: TraceLog
    private let delegate = AccountProviderDelegate()
    private var calls: SIPCallTable
    /// The actions that the system has not got an answer to.
    private var actions: [UUID: CXCallAction] = [:]
    private var standing: SIPStanding

    /// How many calls there can be that are not in one conference.
    private static let maximumCallGroups = 4

    /// Registers the provider. Settings that cannot be used are reported, and the account stays without calls.
    /// - Parameter number: the account's number for the engine, which no other account ever has.
    init(_ account: PluginAccount, number: UInt32) {
        self.account = account
        self.number = number
        var settings: SIPSettings?
        var standing = SIPStanding.connecting
        do throws(InvalidSIPSettings) {
            settings = try SIPSettings(account.settings, secret: account.secret)
        } catch {
            standing = SIPStanding(error)
        }
        (self.settings, self.standing) = (settings, standing)
        trace = TraceLog(settings?.label ?? "account")
        calls = SIPCallTable(account: number, home: settings?.home)
        let configuration = CXProviderConfiguration(localizedName: settings?.label ?? "SIP")
        configuration.key = account.key
        configuration.supportedHandleTypes = [.generic, .phoneNumber, .emailAddress]
        configuration.supportedSchemes = ["sip", "sips", "tel"]
        configuration.supportsTransfer = true
        configuration.supportsHidingNumber = true
        configuration.emergencyNumbers = account.emergencyNumbers
        configuration.maximumCallGroups = Self.maximumCallGroups
        configuration.availability = standing.availability
        configuration.status = standing.text
        provider = CXProvider(configuration: configuration)
        delegate.account = self
        provider.setDelegate(delegate, queue: nil)
        account.report(standing.state, text: standing.text)
        if let settings { Engine.put(number, settings, instance: account.identifier) }
    }

    /// Only what needs no new connection differs: what the user calls the account, and whether it reaches the emergency
    /// services.
    func change(_ account: PluginAccount) {
        let configuration = provider.configuration
        if let label = account.settings["label"]?.stringValue, !label.isEmpty { configuration.localizedName = label }
        configuration.emergencyNumbers = account.emergencyNumbers
        provider.configuration = configuration
    }

    func close() {
        Engine.remove(number)
        provider.invalidate()
        for action in actions.values { action.fail(as: .unreachable, "the account is not used any more") }
        actions = [:]
    }

    /// Nothing can be done with accounts: the engine has not started.
    func engineIsMissing() { show(.broken) }

    // MARK: the system

    func perform(_ action: CXCallAction) {
        guard let what = SIPAction(action) else { return action.fail(as: .unsupported) }
        guard settings != nil else { return action.fail(as: .unsupported, standing.text) }
        actions[action.uuid] = action
        apply(.action(action.uuid, call: action.callUUID, what))
    }

    func withdraw(_ action: CXAction) {
        actions[action.uuid] = nil
        apply(.withdrawn(action.uuid))
    }

    func reset() {
        actions = [:]
        apply(.reset)
    }

    // MARK: the engine

    func receive(_ event: SIPAccountEvent) {
        switch event {
        case .registered: show(.registered)
        case .notRegistered(let code, let failure):
            show(SIPStanding(code: code, failure: failure, domain: settings?.domain.name ?? ""))
        case .message(let text, let isSent): trace.write(text, isSent: isSent)
        case .note(let text): trace.note(text)
        }
    }

    func receive(_ event: SIPCallEvent, of call: UInt64) { apply(.event(event, of: call, uuid: UUID())) }

    private func show(_ standing: SIPStanding) {
        guard standing != self.standing else { return }
        self.standing = standing
        // An account is ready only when its provider is, and says what is wrong as soon as that is not.
        if standing.state != .ready { account.report(standing.state, text: standing.text) }
        let configuration = provider.configuration
        configuration.availability = standing.availability
        configuration.status = standing.text
        provider.configuration = configuration
        if standing.state == .ready { account.report(standing.state) }
    }

    // MARK: what is to be done

    private func apply(_ input: SIPCallTable.Input) { carryOut(calls.apply(input)[...]) }

    private func carryOut(_ effects: ArraySlice<SIPCallTable.Effect>) {
        for (place, effect) in zip(effects.indices, effects) {
            switch effect {
            case .command(let command): Engine.perform(command, of: number)
            case .report(let call, .ended(let end)):
                // How it has ended must come before the answers to actions that it has ended.
                Task { @LoopActor in
                    await reportEnd(end, of: call)
                    carryOut(effects[(place + 1)...])
                }
                return
            case .report(let call, let report): self.report(report, of: call)
            case .fulfil(let action): actions.removeValue(forKey: action)?.fulfill()
            case .fail(let action, let refusal): actions.removeValue(forKey: action)?.fail(with: refusal)
            }
        }
    }
}

extension PluginAccount {
    /// Only the user knows whether the account's company connects with the emergency services.
    fileprivate var emergencyNumbers: [String] {
        settings["emergency"]?.boolValue == true ? CXProviderConfiguration.wellKnownEmergencyNumbers : []
    }
}

extension CXCallAction {
    fileprivate func fail(with refusal: SIPRefusal) {
        if let word = refusal.word { fail(as: word, refusal.text) } else { fail(refusal.text) }
    }
}

// MARK: what the system is told about calls

extension AccountProvider {
    private func report(_ report: SIPReport, of call: UUID) {
        switch report {
        case .incoming(let caller): reportIncoming(call, caller)
        case .startedConnecting: provider.reportOutgoingCall(with: call, startedConnectingAt: nil)
        case .connected: provider.reportOutgoingCall(with: call, connectedAt: nil)
        case .key(let key): if settings?.isTraced == true { trace.note("The far side has pressed \(key)") }
        case .ended: break
        default: provider.reportCall(with: call, updated: Self.update(report))
        }
    }

    /// Returns when the system has taken it. It is refused if the system has ended the call meanwhile, or never had it.
    private func reportEnd(_ end: SIPEnd, of call: UUID) async {
        try? await provider.report(.ended(nil, end.reason, end.details), for: call)
    }

    private static func update(_ report: SIPReport) -> CXCallUpdate {
        let update = CXCallUpdate()
        switch report {
        case .progress(let progress): update.progress = progress
        case .media(let codec, let encryption): (update.codec, update.encryption) = (codec, encryption)
        case .remoteHeld(let isHeld): update.isRemoteHeld = isHeld
        case .transferRequest(let handle): update.transferRequest = .to(handle)
        case .transferRequestWithdrawn: update.transferRequest = .withdrawn
        case .replaced(let handle, let name):
            update.remoteHandle = handle
            update.isHandleWithheld = handle == nil
            update.networkName = name ?? ""
        case .quality(let quality):
            update.quality = CXCallUpdate.Quality(
                roundTrip: quality.roundTrip.map { $0 / 1_000 }, jitter: quality.jitter.map { $0 / 1_000 },
                loss: quality.loss)
        case .incoming, .startedConnecting, .connected, .key, .ended: break
        }
        return update
    }

    /// The call rings at the far side when the system has accepted it, and not before.
    private func reportIncoming(_ call: UUID, _ caller: SIPCallerDetails) {
        let update = CXCallUpdate()
        update.remoteHandle = caller.handle
        update.networkName = caller.name
        update.divertedBy = caller.divertedBy
        update.verification = caller.verification
        // Not by way of a task: what the engine tells next must not overtake it.
        provider.reportNewIncomingCall(with: call, update: update) { @Sendable [weak self] error in
            Loop.shared.post {
                self?.apply(error.map { .refused(call, Self.code(for: $0)) } ?? .admitted(call))
            }
        }
    }

    /// The SIP response for a call that must not ring.
    private static func code(for error: any Error) -> UInt16 {
        guard let error = error as? CXErrorCodeIncomingCallError else { return 480 }
        switch error.code {
        case .filteredByBlockList, .filteredBySensitiveParticipants: return 603
        case .filteredByDoNotDisturb, .filteredDuringRestrictedSharingMode: return 480
        case .callIsProtected: return 486
        case .unknown, .unentitled, .callUUIDAlreadyExists:
            let isFull = ["LimitsExceeded", "MaximumCallGroupsReached"].contains { error.busName.hasSuffix(".\($0)") }
            return isFull ? 486 : 480
        }
    }
}
