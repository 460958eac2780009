// The sandbox of a program, in the log.

internal import CallModel
public import Logging
public import WorkerLaunch

extension SandboxReport {
    /// Tells how a program is confined: as a warning if files and sockets are not.
    public func log(_ program: String, to log: Logger) {
        let words = [
            "\(program) is in a sandbox of level \(level.rawValue)",
            gaps.isEmpty ? nil : "not enforced: \(gaps.joined(separator: ", "))",
            failures.isEmpty ? nil : "failed: \(failures.joined(separator: ", "))",
        ]
        let text = words.compactMap { $0 }.joined(separator: "; ")
        if level < .landlock { log.warning("\(text)") } else { log.info("\(text)") }
    }
}
