// Incident: an error of a plugin at any point.

import CallModel
import EventLoop

enum Incident: Sendable {
    case lateAnswer(subject: String, by: Duration)
    case secondAnswer(subject: String)
    /// An answer to a call that the host never made.
    case unaskedAnswer
    /// A report, or a Hello, that the host refused.
    case refusedReport(member: String, CallError)
    /// A second report on a call after the plugin had ended it. One may cross its end.
    case reportAfterEnd(CallID)

    /// The point that reports the incident.
    var point: Point {
        switch self {
        case .lateAnswer: .lateAnswers
        case .secondAnswer, .unaskedAnswer: .doubleAnswers
        case .refusedReport: .reports
        case .reportAfterEnd: .endedCalls
        }
    }
}

extension Incident: CustomStringConvertible {
    var description: String {
        switch self {
        case .lateAnswer(let subject, let lateness): "\(subject), \(lateness.text) after its deadline"
        case .secondAnswer(let subject): "\(subject) was answered before"
        case .unaskedAnswer: "an answer to a call that was never made"
        case .refusedReport(let member, let error): "\(member): \(error)".displayable
        case .reportAfterEnd(let call): "call \(call) had ended, and got two more reports"
        }
    }
}

/// The incidents of an examination, in all its workers. It counts all and keeps a few.
@LoopActor
final class IncidentLog {
    private static let maximumKept = 2

    private var counts: [Point: Int] = [:]
    private var first: [Point: [Incident]] = [:]
    var reports = 0
    var answers = 0
    /// The UUIDs of all calls in all workers; none may be used twice.
    var usedIDs: Set<CallID> = []
    /// The ongoing calls that were not taken over: they are the user's own.
    var ownCalls: Set<CallID> = []

    func add(_ incident: Incident) {
        let point = incident.point
        counts[point, default: 0] += 1
        if first[point, default: []].count < Self.maximumKept { first[point, default: []].append(incident) }
    }

    /// Returns the incidents of a point as text; nil without incidents.
    func summary(of point: Point) -> String? {
        guard let count = counts[point], let first = first[point] else { return nil }
        let words = first.map(\.description).joined(separator: "; ")
        return count > first.count ? "\(words); and \(count - first.count) more" : words
    }
}
