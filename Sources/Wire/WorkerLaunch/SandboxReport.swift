// SandboxReport: what became of a sandbox, as the worker tells it.

public import CallModel

/// The report of a worker: how it is confined, and what could not be had.
public struct SandboxReport: Sendable, Hashable {
    public let level: SandboxLevel
    /// What is not enforced on this machine, in the words of docs/trust.md, in order.
    public private(set) var gaps: [String] = []
    /// The steps that failed and why, such as `unshare EPERM`.
    public private(set) var failures: [String] = []
    /// The version of Landlock's interface; nil if there is no Landlock.
    public private(set) var landlock: Int?
    /// What the policy names and the machine does not have: absolute file names, safe to show.
    public private(set) var missing: [String] = []
    /// What the plugin tried and was denied, where the policy asks for that.
    public private(set) var denied: [String] = []
    /// Whether the process that was started is not the worker but its parent.
    public private(set) var hasGuard = false

    /// The longest report, in bytes.
    public static let maximumSize = 64 * 1024
    /// How many lines of one kind are kept.
    private static let maximumLines = 64

    /// Reads a report as far as it has come. What is not known is passed over.
    ///
    /// - Returns: nil if the level has not been told.
    public init?(_ bytes: [UInt8]) {
        let whole = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        let lines = whole.split(separator: UInt8(ascii: "\n")).map(Self.wordAndRest)
        let levels = lines.filter { $0[0] == "level" }.compactMap { SandboxLevel(rawValue: $0[1]) }
        // A worker that tells two is believed the lesser.
        guard let level = levels.min() else { return nil }
        self.level = level
        for line in lines { take(line) }
        gaps = Set(gaps).sorted()
    }

    /// The word of a line, and what stands behind the blank or tab after it.
    private static func wordAndRest(_ line: ArraySlice<UInt8>) -> [String] {
        let line = line.map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        return [parts[0], parts.count > 1 ? parts[1] : []].map { String(decoding: $0, as: UTF8.self).displayable }
    }

    private mutating func take(_ line: [String]) {
        let rest = line[1]
        switch line[0] {
        case "gap": Self.add(rest, to: &gaps)
        case "failed": Self.add(rest, to: &failures)
        case "landlock": landlock = Int(rest)
        case "missing": Self.add(rest, to: &missing)
        case "denied": Self.add(rest, to: &denied)
        case "guard": hasGuard = true
        default: break
        }
    }

    private static func add(_ text: String, to list: inout [String]) {
        if !text.isEmpty, list.count < maximumLines { list.append(text) }
    }
}
