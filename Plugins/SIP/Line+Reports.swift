// What the system is told about calls.

import EventLoop
import OpenCallKit
import SIPCalls

extension Line {
    func report(_ report: SIPReport, of call: UUID) {
        switch report {
        case .incoming(let caller): reportIncoming(call, caller)
        case .startedConnecting: provider.reportOutgoingCall(with: call, startedConnectingAt: nil)
        case .connected: provider.reportOutgoingCall(with: call, connectedAt: nil)
        case .ended: break
        default: provider.reportCall(with: call, updated: Self.update(report))
        }
    }

    /// Returns when the system has taken it. It is refused if the system has ended the call meanwhile, or never had it.
    func reportEnd(_ end: SIPEnd, of call: UUID) async {
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
            update.networkName = name ?? ""
        case .quality(let quality):
            update.quality = CXCallUpdate.Quality(
                roundTrip: quality.roundTrip.map { $0 / 1_000 }, jitter: quality.jitter.map { $0 / 1_000 },
                loss: quality.loss)
        case .incoming, .startedConnecting, .connected, .ended: break
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
