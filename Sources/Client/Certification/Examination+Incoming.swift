// The points about incoming calls, of a plugin that can simulate them.

import CallModel
import DBus
import EventLoop

extension Examination {
    func examineIncoming() async throws(Unmet) -> String {
        let host = try await stage()
        try require(button: Self.incomingButton, "reports no incoming call by itself", on: host)
        let id = try await ring(on: host)
        guard let handle = host.calls[id]?.facts.remoteHandle else { throw .failed("reported without a handle") }
        let declared = host.provider?.configuration.supportedHandleTypes ?? []
        return declared.contains(handle.type)
            ? "reported with a \(handle.type.rawValue) handle"
            : "reported with a \(handle.type.rawValue) handle, a type that is not declared"
    }

    /// - Throws: `notApplicable` with these words for a plugin without a custom action.
    func require(button: String, _ words: String, on host: ExaminingHost) throws(Unmet) {
        let buttons = host.provider?.configuration.customActions ?? []
        guard buttons.contains(where: { $0.id == button }) else {
            throw .notApplicable("\(words): no custom action \(button)")
        }
    }

    func examineRefusedIncoming() async throws(Unmet) -> String {
        try await require(.incoming)
        let host = try await stage()
        host.refusalOfNextIncoming = CallError(.filteredByBlockList, "the user blocks this handle")
        let answer = try await press(Self.incomingButton, on: host)
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
