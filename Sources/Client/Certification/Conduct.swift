// Conduct: what is noted all the time, whatever point is being examined.

import CallModel
import EventLoop

/// Kept over all workers of an examination. Lists are bounded; numbers are not.
@LoopActor
final class Conduct {
    nonisolated private static let maximumNotes = 2

    private(set) var lateAnswers = Notes()
    private(set) var doubleAnswers = Notes()
    private(set) var refusedReports = Notes()
    private(set) var laterReports = Notes()
    private(set) var reports = 0
    private(set) var answers = 0
    /// A UUID is never used twice, by whichever worker.
    var usedIDs: Set<CallID> = []

    struct Notes: CustomStringConvertible {
        private(set) var count = 0
        private var first: [String] = []

        mutating func add(_ note: String) {
            count += 1
            if first.count < Conduct.maximumNotes { first.append(note) }
        }

        var description: String {
            first.joined(separator: "; ") + (count > first.count ? "; and \(count - first.count) more" : "")
        }
    }

    func answered() { answers += 1 }
    func answeredLate(_ what: String) { lateAnswers.add(what) }
    func answeredTwice(_ what: String) { doubleAnswers.add(what) }
    func reportedAgain(_ what: String) { laterReports.add(what) }
    func reported() { reports += 1 }
    func refused(_ report: String, _ error: CallError) { refusedReports.add("\(report): \(error)".displayable) }
}
