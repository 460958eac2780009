// SandboxReport: how a worker is confined, in its own words.

public import CallModel

/// What a process reports about its sandbox. `CSandbox/include/sandbox.h` lists the lines.
public struct SandboxReport: Sendable, Hashable {
    public let level: SandboxLevel
    /// What this machine does not enforce: the gaps of docs/trust.md, sorted.
    public private(set) var gaps: [String] = []
    /// The steps that failed and why, such as `unshare EPERM`.
    public private(set) var failures: [String] = []
    /// The version of the Landlock ABI; nil without Landlock.
    public private(set) var landlock: Int?
    /// The paths of the policy that do not exist: absolute, safe to show.
    public private(set) var missing: [String] = []
    /// What the plugin tried and was denied, if the policy has `report-denied`.
    public private(set) var denied: [String] = []
    /// Whether the process that was started is the guard, the parent of the worker.
    public private(set) var hasGuard = false

    /// The longest report, in bytes.
    public static let maximumSize = 64 * 1024
    /// How many lines of one kind are kept.
    private static let maximumLines = 64

    /// Reads the part of a report that has arrived. Unknown lines are ignored.
    ///
    /// - Returns: nil if no line `level` has arrived.
    public init?(_ bytes: [UInt8]) {
        let whole = bytes.prefix((bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)
        let lines = whole.split(separator: UInt8(ascii: "\n")).map(Self.wordAndRest)
        let levels = lines.filter { $0[0] == "level" }.compactMap { SandboxLevel(rawValue: $0[1]) }
        // If a worker reports two levels, the lesser one counts.
        guard let level = levels.min() else { return nil }
        self.level = level
        for line in lines { read(line) }
        gaps = Set(gaps).sorted()
    }

    /// The first word of a line, and the text after the space or tab that follows it.
    private static func wordAndRest(_ line: ArraySlice<UInt8>) -> [String] {
        let line = line.map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        return [parts[0], parts.count > 1 ? parts[1] : []].map { String(decoding: $0, as: UTF8.self).displayable }
    }

    private mutating func read(_ line: [String]) {
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
