// KeyFile: the accounts file of another program, whose passwords leave no copy behind.

import EventLoop
import Files
import Glibc

/// How a program writes values.
enum KeyFileDialect: Sendable {
    /// GLib's key files: spaces before a value do not count, and `\s`, `\n`, `\t`, `\r` and `\\` stand for characters.
    case glib
    /// Linphone's: spaces behind a value do not count, and nothing is escaped.
    case linphone
}

/// A file of groups, `[name]`, with lines `key=value`. Lines that are neither, and lines before the first group, are left
/// out; of a key that a group has twice, the last counts. The file is overwritten in memory when it is dropped.
final class KeyFile {
    /// A group with all lines below headers of its name.
    struct Group: Sendable {
        let name: String
        fileprivate var values: [String: Range<Int>] = [:]

        func has(_ key: String) -> Bool { values[key].map { !$0.isEmpty } ?? false }
    }

    /// The largest file, in bytes.
    static let largest = 1 << 20

    /// In the order of the file.
    private(set) var groups: [Group] = []
    private var bytes: [UInt8]

    /// Reads a regular file.
    ///
    /// - Throws: `unknown` if there is none, `malformed` if it is too large or has NULs.
    convenience init(_ path: String) throws(Failure) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.largest + Self.portion)
        defer { ProcessMemory.erase(&bytes) }
        do throws(SystemError) {
            try Self.read(path, into: &bytes)
        } catch {
            let isAbsent = error.code == ENOENT || error.code == ENOTDIR
            throw isAbsent
                ? Failure(.unknown, "no file \(path)")
                : Failure(.refused, "\(path) cannot be read: \(error)")
        }
        guard bytes.count <= Self.largest else {
            throw Failure(.malformed, "\(path) has more than \(Self.largest) bytes")
        }
        guard !bytes.contains(0) else { throw Failure(.malformed, "\(path) is not a text file") }
        self.init(&bytes)
    }

    /// Takes the bytes of a file over.
    init(_ bytes: inout [UInt8]) {
        self.bytes = []
        swap(&self.bytes, &bytes)
        readLines()
    }

    deinit { ProcessMemory.erase(&bytes) }

    /// Returns the value of a key; nil if it is missing or empty, or not UTF-8.
    func text(_ key: String, in group: Group, _ dialect: KeyFileDialect) -> String? {
        guard let range = group.values[key] else { return nil }
        var text: [UInt8] = []
        forEachByte(of: range, dialect) { text.append($0) }
        guard let text = String(validating: text, as: UTF8.self) else { return nil }
        let trimmed = text.trimmed
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Returns the secret that a key has; nil if it is missing or empty.
    ///
    /// - Throws: `InvalidArguments` if it is too long.
    @LoopActor func secret(_ key: String, in group: Group, _ dialect: KeyFileDialect) throws(Failure) -> SecretBytes? {
        guard let range = group.values[key] else { return nil }
        let secret = SecretBytes()
        forEachByte(of: range, dialect) { _ = secret.append($0) }
        guard secret.count > 0 else { return nil }
        try secret.check(for: key)
        return secret
    }

    /// The number of bytes that are read at once.
    private static let portion = 65_536

    private static func read(_ path: String, into bytes: inout [UInt8]) throws(SystemError) {
        let reader = try FileReader(path)
        var part = [UInt8](repeating: 0, count: portion)
        defer { ProcessMemory.erase(&part) }
        while bytes.count <= largest {
            let count = pread(reader.descriptor, &part, part.count, off_t(bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(call: "read", code: errno) }
            if count == 0 { break }
            bytes += part[..<count]
        }
    }

    private func readLines() {
        var places: [String: Int] = [:]
        var group: Int?
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            defer { start = end + 1 }
            let line = trimmed(start..<end)
            guard let first = line.first.map({ bytes[$0] }), first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "["), let close = bytes[line].lastIndex(of: UInt8(ascii: "]")) {
                let name = String(decoding: bytes[(line.lowerBound + 1)..<close], as: UTF8.self)
                group = places[name] ?? groups.count
                if places.updateValue(group ?? 0, forKey: name) == nil { groups.append(Group(name: name)) }
            } else if let group, let equals = bytes[line].firstIndex(of: UInt8(ascii: "=")) {
                let key = String(decoding: bytes[trimmed(line.lowerBound..<equals)], as: UTF8.self)
                // Spaces at the end may belong to the value.
                let isReturned = end > equals + 1 && bytes[end - 1] == UInt8(ascii: "\r")
                groups[group].values[key] = (equals + 1)..<(isReturned ? end - 1 : end)
            }
        }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, bytes[first].isSpace { range = (first + 1)..<range.upperBound }
        while let last = range.last, bytes[last].isSpace { range = range.lowerBound..<last }
        return range
    }

    private func forEachByte(of range: Range<Int>, _ dialect: KeyFileDialect, _ body: (UInt8) -> Void) {
        var range = range
        switch dialect {
        case .linphone:
            while let last = range.last, bytes[last] == UInt8(ascii: " ") { range = range.lowerBound..<last }
            for place in range { body(bytes[place]) }
        case .glib:
            while let first = range.first, bytes[first].isSpace { range = (first + 1)..<range.upperBound }
            var isEscaped = false
            for place in range {
                let byte = bytes[place]
                if isEscaped {
                    body(Self.escapes[byte] ?? byte)
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    body(byte)
                }
            }
        }
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "s"): UInt8(ascii: " "), UInt8(ascii: "n"): UInt8(ascii: "\n"),
        UInt8(ascii: "t"): UInt8(ascii: "\t"), UInt8(ascii: "r"): UInt8(ascii: "\r"),
    ]
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || (9...13).contains(self) }
}

extension StringProtocol {
    /// This text without spaces at its ends.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
