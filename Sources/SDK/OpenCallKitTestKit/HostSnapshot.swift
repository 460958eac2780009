// HostSnapshot: what the host shows, for any thread.

internal import CallCore
internal import CallHost
internal import CallModel
internal import CallScenario
internal import OpenCallKit
internal import Synchronization

/// A copy of what the host knows, made after each step. Calls that are gone stay as they were last.
final class HostSnapshot: Sendable {
    private struct Content {
        var order: [CallID] = []
        var calls: [CallID: Call] = [:]
        var providers: [String] = []
        var anomalies: [String] = []
        var transcript: [String] = []
        var now = Date.distantPast
    }

    private static let maximumLines = 10_000
    private let content = Mutex(Content())

    subscript(id: CallID) -> Call? { content.withLock { $0.calls[id] } }

    /// Oldest first.
    var calls: [Call] { content.withLock { content in content.order.compactMap { content.calls[$0] } } }
    var providers: [String] { content.withLock { $0.providers } }
    var anomalies: [String] { content.withLock { $0.anomalies } }
    var transcript: [String] { content.withLock { $0.transcript } }
    var now: Date { content.withLock { $0.now } }

    func show(_ now: Date) { content.withLock { $0.now = now } }

    /// - Parameters:
    ///   - step: what the host took in, and what followed.
    ///   - calls: all calls after that.
    ///   - providers: the ids of the providers that can take calls then.
    func show(_ step: Step, _ calls: [Call], _ providers: [String]) {
        let lines = ["\(step.input)"] + step.effects.lines(at: step.moment).map { "  " + $0 }
        content.withLock { content in
            let new = calls.filter { content.calls[$0.id] == nil }
            content.order += new.sorted { $0.startedAt < $1.startedAt }.map(\.id)
            for call in calls { content.calls[call.id] = call }
            content.providers = providers
            for case .anomaly(let anomaly) in step.effects { content.anomalies.append(anomaly.description) }
            content.transcript += lines
            if content.transcript.count > Self.maximumLines {
                content.transcript.removeFirst(content.transcript.count - Self.maximumLines)
            }
        }
    }
}
