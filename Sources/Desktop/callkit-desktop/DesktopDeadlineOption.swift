// DesktopDeadlineOption: a deadline on the command line.

import ArgumentParser
import DesktopAgent

/// `kind=ms`, as `--deadline` takes it.
struct DesktopDeadlineOption {
    let kind: DesktopDeadlineKind
    let duration: Duration

    init(parsing text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard let kind = parts.first.flatMap({ DesktopDeadlineKind(rawValue: $0) }) else {
            let known = DesktopDeadlineKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(text) is not a valid deadline, expected kind=ms with a kind of \(known)")
        }
        guard parts.count == 2, let milliseconds = Int32(parts[1]), milliseconds > 0 else {
            throw ValidationError("\(text) is not a valid deadline, expected \(kind.rawValue)=ms, at least 1 ms")
        }
        self.kind = kind
        duration = .milliseconds(milliseconds)
    }
}
