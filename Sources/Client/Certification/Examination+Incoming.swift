// The points about incoming calls, of a plugin that can simulate them.

import CallModel
import DBus
import EventLoop

extension Examination {
    func examineIncoming() async throws(Unmet) -> String {
        let host = try await stage()
        try requireButton(on: host)
        let id = try await ring(on: host)
        guard let handle = host.calls[id]?.facts.remoteHandle else { throw .failed("reported without a handle") }
        let declared = host.provider?.configuration.supportedHandleTypes ?? []
        return declared.contains(handle.type)
            ? "reported with a \(handle.type.rawValue) handle"
            : "reported with a \(handle.type.rawValue) handle, a type that is not declared"
    }

    /// - Throws: `notApplicable` for a plugin that cannot simulate an incoming call.
    private func requireButton(on host: ExaminingHost) throws(Unmet) {
        let buttons = host.provider?.configuration.customActions ?? []
        guard buttons.contains(where: { $0.id == Self.incomingButton }) else {
            throw .notApplicable("reports no incoming call by itself: no custom action \(Self.incomingButton)")
        }
    }

    func examineRefusedIncoming() async throws(Unmet) -> String {
        try await require(.incoming)
        let host = try await stage()
        host.refusalOfNextIncoming = CallError(.filteredByBlockList, "the user blocks this handle")
        let answer = try await pressIncoming(on: host)
        guard answer.isGiven else { throw .failed(await describe(answer, Self.incomingButton, host)) }
        guard let id = host.refusedIncoming else { throw .failed("no call was reported") }
        try await refused(host.put(.answer(id)), on: host)
        return "dropped"
    }

    func examineAnswer() async throws(Unmet) -> String {
        try await require(.incoming)
        let host = try await stage()
        let id = try await ring(on: host)
        return try await fulfilled(.answer(id), on: host)
    }

    func examineReject() async throws(Unmet) -> String {
        try await require(.incoming)
        let host = try await stage()
        let id = try await ring(on: host)
        return try await fulfilled(.end(id, reason: "busy"), on: host)
    }
}
