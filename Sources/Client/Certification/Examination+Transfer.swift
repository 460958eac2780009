// The points about transfers, blind and attended.

import CallModel
import DBus
import EventLoop

extension Examination {
    func examineTransfer() async throws(Unmet) -> String {
        try await requireTransfers()
        let (host, id) = try await activeCall()
        return try await answered(.transfer(id, .handle(try handle(on: host))), of: [id], on: host)
    }

    func examineAttendedTransfer() async throws(Unmet) -> String {
        try await requireTransfers()
        try await require(.secondCall)
        let (host, held, active) = try await heldAndActiveCall()
        return try await answered(.transfer(active, .call(held)), of: [active, held], on: host)
    }

    private func requireTransfers() async throws(Unmet) {
        guard try await configuration().supportsTransfer else { throw .notApplicable("supports-transfer is false") }
    }

    /// Requests a transfer, which the network may refuse. Its calls are over if it is fulfilled, and go on if not.
    private func answered(
        _ transfer: CallAction, of calls: [CallID], on host: ExaminingHost
    ) async throws(Unmet) -> String {
        let answer = await host.ask(transfer)
        let text = await describe(answer, transfer.kind.rawValue, host)
        guard !calls.contains(where: { host.calls[$0]?.isEnded == true && host.calls[$0]?.isTransferred == false })
        else { throw .failed("\(text), and the plugin reported the end of the call before") }
        switch answer {
        case .fulfilled:
            for call in calls { try await requireForgotten(call, on: host) }
            try await answersPing(host)
        case .refused(let error) where error.name != ErrorCode.notSupported.busName:
            for call in calls { try await fulfilled(.end(call, reason: ""), on: host) }
        case .refused, .silent, .gone: throw .failed(text)
        }
        return text
    }
}
