// TraceLog: what people who look for a fault want to read.

import EventLoop
import OpenCallKit
import SIPCalls

/// Writes SIP messages of one account to standard error, which the system keeps as the plugin's log. Names and secrets are
/// not in it.
@LoopActor
struct TraceLog {
    private let trace: SIPTrace
    private let account: String

    init(_ account: String) {
        // A hash with the key of this process: the same name has the same word until the plugin ends.
        let word: @Sendable (String) -> String = { name in
            var hasher = Hasher()
            hasher.combine(name)
            return "~" + String(UInt32(truncatingIfNeeded: hasher.finalize()), radix: 36)
        }
        trace = SIPTrace(word: word)
        self.account = word(account)
    }

    func write(_ message: String, isSent: Bool) {
        var lines = "\(account) \(isSent ? "sends" : "receives"):\n"
        for line in trace.shown(message).split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            lines += "    \(line)\n"
        }
        LogFile.write(lines)
    }

    func note(_ text: String) { LogFile.write("\(account): \(text)\n") }
}
