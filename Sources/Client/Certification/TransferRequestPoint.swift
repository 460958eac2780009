// TransferRequestPoint: the point about transfers that the far side asks for, of a plugin that can simulate them.

import CallModel
import DBus
import EventLoop

@LoopActor
struct TransferRequestPoint: PointGroup {
    let examination: Examination

    func examineAnswerTransfer() async throws(Unmet) -> String {
        try require(
            button: Button.transferRequest, "no far side asks for a transfer", on: try await examination.stage())
        let (host, id) = try await activeCall()
        let declined = try await requestTransfer(of: id, on: host)
        let known = host.calls[id]?.reportedHandles.count ?? 0
        try await fulfilled(.answerTransfer(id, to: nil), on: host)
        try await requireUnmoved(id, to: declined, since: known, "it was declined", on: host)

        let handle = try await requestTransfer(of: id, on: host)
        let before = host.calls[id]?.reportedHandles.count ?? 0
        let answer = await host.ask(.answerTransfer(id, to: handle))
        let text = await describe(answer, ActionKind.answerTransfer.rawValue, host)
        switch answer {
        case .fulfilled:
            _ = await host.wait(examination.options.answerTimeout) { [weak host] in
                guard let host, let call = host.calls[id], host.isUp else { return true }
                return call.isEnded || call.reportedHandles.dropFirst(before).contains(handle)
            }
            try await requireGoingOn(id, on: host)
            guard host.calls[id]?.reportedHandles.dropFirst(before).contains(handle) == true else {
                throw .failed(await examination.fate(of: host, "\(text), and the new handle was not reported"))
            }
        case .refused(let error) where error.name != ErrorCode.notSupported.busName:
            try await requireUnmoved(id, to: handle, since: before, text, on: host)
        case .refused, .silent, .gone: throw .failed(text)
        }
        try await fulfilled(.end(id, reason: ""), on: host)
        return text
    }

    /// Lets the far side ask, and returns the handle that it names. The plugin must not transfer the call by itself.
    private func requestTransfer(of id: CallID, on host: ExaminingHost) async throws(Unmet) -> Handle {
        host.calls[id]?.facts.transferRequest = nil
        let known = host.calls[id]?.reportedHandles.count ?? 0
        let arguments: VariantDictionary = [
            "handle": .string(try anotherHandle(on: host).description), "call-uuid": .string(id.description),
        ]
        let answer = await host.put(button: Button.transferRequest, arguments).answer()
        guard case .fulfilled = answer else {
            throw .failed(await describe(answer, Button.transferRequest, host))
        }
        try await answersPing(host)
        guard case .to(let handle)? = host.calls[id]?.facts.transferRequest else {
            try await requireGoingOn(id, on: host)
            throw .failed("\(Button.transferRequest) was answered, and no request reported")
        }
        try await requireUnmoved(id, to: handle, since: known, "the user had not answered", on: host)
        return handle
    }

    /// Returns a handle other than the one that is called, unless the options name one.
    private func anotherHandle(on host: ExaminingHost) throws(Unmet) -> Handle {
        if let handle = examination.options.handle { return handle }
        return try invented("another", on: host)
    }

    /// Expects that a call goes on with the party that it had.
    ///
    /// - Parameter known: the number of handles that were reported before.
    private func requireUnmoved(
        _ id: CallID, to handle: Handle, since known: Int, _ circumstance: String, on host: ExaminingHost
    ) async throws(Unmet) {
        // The plugin's earlier reports come before its answer.
        try await answersPing(host)
        try await requireGoingOn(id, on: host)
        let handles = host.calls[id]?.reportedHandles ?? []
        if handles.dropFirst(known).contains(handle), !handles.prefix(known).contains(handle) {
            throw .failed("the call was transferred, and \(circumstance)")
        }
    }

    private func requireGoingOn(_ id: CallID, on host: ExaminingHost) async throws(Unmet) {
        if host.calls[id]?.isEnded == true { throw .failed("the plugin reported the end of the call") }
    }
}
