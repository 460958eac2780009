// The exit codes: documented in --help, used by scripts, never renumbered.

/// How a run of callctl ended, as its exit code; from 64 on with the meaning that sysexits.h gives them.
enum Outcome: Int32, CaseIterable {
    case done = 0
    case refused = 1
    /// Of a replay.
    case differs = 2
    /// Of a certification.
    case uncertified = 3
    /// Also what ArgumentParser exits with by itself.
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
        case .differs: "replay: what follows now is not what the file says"
        case .uncertified: "certify: the plugin failed at a point; it is named"
        case .usage: "wrong usage"
        case .malformed: "the file is no scenario (replay) or no plugin (certify)"
        case .unknown: "no such call, provider, plugin or file, or more than one fits"
        case .unreachable: "the daemon is not running, or there is no bus"
        case .outputClosed: "nobody reads the output"
        case .timedOut: "no answer in time; whether it was done is not known"
        }
    }

    static var table: String {
        allCases.map { outcome in
            let code = String(outcome.rawValue)
            return "  " + code + String(repeating: " ", count: 4 - code.count) + outcome.meaning
        }.joined(separator: "\n")
    }
}
