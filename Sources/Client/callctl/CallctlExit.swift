// The exit codes: documented in --help, used by scripts, never renumbered.

/// The outcome of a run of callctl, as its exit code. Codes from 64 on have their meaning in sysexits.h.
enum CallctlExit: Int32, CaseIterable {
    case done = 0
    case refused = 1
    /// Only from a replay.
    case differs = 2
    /// Only from a certification.
    case uncertified = 3
    /// ArgumentParser exits with this code, too.
    case usage = 64
    case malformed = 65
    case unknown = 66
    case unreachable = 69
    case outputClosed = 74
    case timedOut = 75

    var meaning: String {
        switch self {
        case .done: "done"
        case .refused: "refused or failed; the error is on stderr as \"callctl: NAME: text\""
        case .differs: "replay: the effects differ from those in the file"
        case .uncertified: "certify: the plugin failed at a point; the error names it"
        case .usage: "wrong usage"
        case .malformed: "the file is not of the expected kind (replay, certify, accounts import)"
        case .unknown: "no such call, provider, plugin, account or file, or several match"
        case .unreachable: "the daemon is not running, or there is no bus"
        case .outputClosed: "the output cannot be written, since its reader has gone"
        case .timedOut: "no answer in time; the request may or may not have been performed"
        }
    }

    static var table: String {
        allCases.map { outcome in
            let code = String(outcome.rawValue)
            return "  " + code + String(repeating: " ", count: 4 - code.count) + outcome.meaning
        }.joined(separator: "\n")
    }
}
