// ConfigurationText: files with one setting per line, and where they are searched.

public import EventLoop
internal import Glibc

/// The lines `key = value` of a configuration file. Empty lines, and lines that begin with #, are comments.
public struct ConfigurationText: Sendable, Equatable {
    public struct Entry: Sendable, Equatable {
        /// The line in the file, from 1.
        public let line: Int
        /// What stands before the first =, or the whole line if it has none.
        public let key: String
        /// Nil if the line is not of the form `key = value`.
        public let value: String?
    }

    /// More bytes than any configuration needs.
    public static let longest = 65_536

    private var lines: [Substring]

    public init(_ text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if lines.last?.isEmpty == true { lines.removeLast() }
    }

    /// Reads a file; returns nil if there is none.
    ///
    /// - Throws: the failed call; `read` with `EFBIG` for a file of more than `longest` bytes.
    public static func read(_ path: String) throws(SystemError) -> ConfigurationText? {
        do throws(SystemError) {
            let bytes = try FileReader(path).bytes(at: 0, count: longest + 1)
            guard bytes.count <= longest else { throw SystemError(call: "read", code: EFBIG) }
            return ConfigurationText(String(decoding: bytes, as: UTF8.self))
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw error
        }
    }

    /// Returns where a file is searched: in the user's configuration folder, then in those of the system. The first one
    /// is the user's, if the user has a home.
    public static func paths(of name: String, in environment: [String: String]) -> [String] {
        let own = BaseFolder.config.path(in: environment)
        return ([own].compactMap { $0 } + BaseFolder.systemConfig(in: environment)).map { "\($0)/\(name)" }
    }

    /// The lines that are not comments.
    public var entries: [Entry] {
        lines.enumerated().compactMap { index, line in
            let text = line.trimmed
            if text.isEmpty || text.hasPrefix("#") { return nil }
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            let isSetting = parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
            return Entry(line: index + 1, key: String(parts[0]), value: isSetting ? String(parts[1]) : nil)
        }
    }

    /// The last value of a key in one section of a file that has sections, such as `[General]`; nil if it has none.
    public func value(of key: String, in section: String) -> String? {
        var (current, found) = ("", String?.none)
        for entry in entries {
            if entry.key.hasPrefix("["), entry.value == nil { current = entry.key }
            if current == section, entry.key == key, let value = entry.value { found = value }
        }
        return found
    }

    /// Replaces the value of a key in its place, or adds a line; nil removes it. Comments and other lines stay.
    public mutating func set(_ key: String, to value: String?) {
        let places = entries.filter { $0.key == key && $0.value != nil }.map { $0.line - 1 }
        if let value {
            let line = "\(key) = \(value)"[...]
            if let place = places.last { lines[place] = line } else { lines.append(line) }
        }
        for place in (value == nil ? places[...] : places.dropLast()).reversed() { lines.remove(at: place) }
    }

    /// The whole file.
    public var text: String { lines.map { $0 + "\n" }.joined() }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
