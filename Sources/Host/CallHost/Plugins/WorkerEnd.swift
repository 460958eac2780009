// WorkerEnd: how a worker ended, in words for people.

import CallModel
import EventLoop
import Files
import Glibc
import WorkerLaunch

/// The end of a worker: its status, and what it wrote last.
///
/// A plugin may write who calls. Everybody may read these words, so they repeat only what the loader and the Swift runtime
/// say, and where in the plugin's sources an error is.
struct WorkerEnd {
    let status: ExitStatus
    /// The line with a fatal error, or else the last line, safe to show.
    let words: String

    init(_ status: ExitStatus, words: String) {
        self.status = status
        self.words = words
    }

    /// Why no worker of this file can run, as a sentence about the file; nil for any other end.
    ///
    /// - Parameter entry: the symbol that the worker calls.
    func obstacle(entry: String) -> String? {
        switch status {
        case .exited(ProgramExit.notLoaded.rawValue):
            loadersWords.map { "the file could not be loaded: \($0)" } ?? "the file could not be loaded"
        case .exited(ProgramExit.noEntry.rawValue): "the file has no entry \(entry)"
        default: nil
        }
    }

    /// What the loader says, such as `undefined symbol: name`.
    private var loadersWords: String? {
        guard words.hasPrefix("callkit-worker: "), let range = words.firstRange(of: ".so: ") else { return nil }
        var text = words[range.upperBound...]
        // The library is known to the loader by its descriptor.
        if text.hasPrefix("/proc/self/fd/"), let name = text.firstRange(of: ": ") { text = text[name.upperBound...] }
        return text.isEmpty ? nil : String(text)
    }

    /// What happened, as the end of a sentence about the worker.
    var text: String {
        let text = Self.text(of: status)
        guard let error = fatalError else { return text }
        return "\(text): \(error)"
    }

    /// What the runtime says of a fatal error; nil if there was none.
    private var fatalError: String? {
        guard let range = words.firstRange(of: Self.mark) else { return nil }
        let place = words[..<range.lowerBound]
        // Messages of the runtime itself; those of a plugin may name a caller.
        if place.hasPrefix("Swift/") { return String(words[range.lowerBound...].drop { $0 == ":" || $0 == " " }) }
        let parts = place.split(separator: ":")
        guard parts.count == 2, let file = parts[0].split(separator: "/").last, file.hasSuffix(".swift"),
            Int(parts[1]) != nil, file.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "._-+".utf8.contains($0) })
        else { return "a fatal error, see the log" }
        return "a fatal error at \(file):\(parts[1]), see the log"
    }

    private static let mark = ": Fatal error: "

    /// Signals that the sandbox and bounds cause are explained, others named.
    private static func text(of status: ExitStatus) -> String {
        switch status {
        case .signalled(SIGXCPU): "was ended because it used up its processor time"
        case .signalled(SIGXFSZ): "was ended because it wrote a file that is too large"
        case .signalled(SIGKILL): "was killed by another program, or by the kernel because memory ran out (SIGKILL)"
        case .signalled(SIGSYS): "was ended because it made a system call that the sandbox forbids"
        default: "\(status)"
        }
    }
}
