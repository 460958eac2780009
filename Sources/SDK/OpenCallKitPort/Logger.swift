// Logger: an app's log, which the journal of systemd reads.

/// Writes messages to standard error (os: Logger). It works on Linux: each line begins with a priority, such as `<6>`,
/// that the journal of systemd understands, and the log's name in brackets. The output of a plugin goes where the
/// output of callkitd goes: read it with `journalctl --user --unit callkitd`.
///
/// Private values are redacted always, also in a debugger.
public struct Logger: Sendable {
    private let name: String

    /// Creates a log without a name.
    public init() { name = "" }

    /// Creates a log.
    /// - Parameters:
    ///   - subsystem: the app's identifier, such as `com.example.phone`.
    ///   - category: a part of the app.
    public init(subsystem: String, category: String) { name = "[\(subsystem):\(category)] " }

    /// Writes a message of the level `default`: priority 5, notice.
    public func log(_ message: OSLogMessage) { write(message, .notice) }

    /// Writes a message of a level.
    public func log(level: OSLogType, _ message: OSLogMessage) { write(message, level.priority) }

    /// Writes a message of the level `debug`: priority 7.
    public func trace(_ message: OSLogMessage) { write(message, .debug) }

    /// Writes a message of the level `debug`: priority 7.
    public func debug(_ message: OSLogMessage) { write(message, .debug) }

    /// Writes a message of the level `info`: priority 6.
    public func info(_ message: OSLogMessage) { write(message, .info) }

    /// Writes a message of the level `default`: priority 5, notice.
    public func notice(_ message: OSLogMessage) { write(message, .notice) }

    /// Writes a message of the level `error`, with the priority 4, warning.
    public func warning(_ message: OSLogMessage) { write(message, .warning) }

    /// Writes a message of the level `error`: priority 3.
    public func error(_ message: OSLogMessage) { write(message, .error) }

    /// Writes a message of the level `fault`: priority 2, critical.
    public func critical(_ message: OSLogMessage) { write(message, .critical) }

    /// Writes a message of the level `fault`: priority 2, critical.
    public func fault(_ message: OSLogMessage) { write(message, .critical) }

    private func write(_ message: OSLogMessage, _ priority: JournalPriority) {
        StandardError.write(priority.lines(of: name + message.text))
    }
}

/// The level of a message (os: OSLogType).
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A message that matters in itself: priority 5, notice.
    public static let `default` = OSLogType(rawValue: 0)
    /// A message that helps to understand others: priority 6.
    public static let info = OSLogType(rawValue: 1)
    /// A message for the developer: priority 7.
    public static let debug = OSLogType(rawValue: 2)
    /// An error: priority 3.
    public static let error = OSLogType(rawValue: 16)
    /// An error in the app itself: priority 2, critical.
    public static let fault = OSLogType(rawValue: 17)

    var priority: JournalPriority {
        switch self {
        case .info: .info
        case .debug: .debug
        case .error: .error
        case .fault: .critical
        default: .notice
        }
    }
}
