// ConfigurationFile: callkitd.conf, the options that need no command line.

import ArgumentParser
import EventLoop
import Files
import Glibc

/// A file with one option of callkitd per line: `policy = ios`.
struct ConfigurationFile {
    private static let name = "opencallkit/callkitd.conf"
    /// More bytes than any configuration needs.
    private static let longest = 65_536
    /// The keys that take a value.
    private static let options = [
        "plugin-path", "address", "log-level", "deadline", "policy", "record", "worker", "store", "region", "contacts",
        "bus-timeout",
    ]
    /// The keys that may stand in several lines, a deadline once for each kind.
    private static let repeated = ["plugin-path", "deadline", "contacts"]
    /// The keys that take yes or no.
    private static let switches = ["record-identities", "log-identities", "no-store"]

    let path: String
    private let text: String

    /// Reads the user's file, or else the first of the system's; returns nil if there is none.
    static func first(in environment: [String: String]) throws -> ConfigurationFile? {
        for path in paths(in: environment) {
            do throws(SystemError) {
                let bytes = try FileReader(path).bytes(at: 0, count: longest + 1)
                guard bytes.count <= longest else { throw SystemError(call: "read", code: EFBIG) }
                return ConfigurationFile(path: path, text: String(decoding: bytes, as: UTF8.self))
            } catch {
                if error.code != ENOENT, error.code != ENOTDIR {
                    throw ValidationError("cannot read \(path): \(error)")
                }
            }
        }
        return nil
    }

    private static func paths(in environment: [String: String]) -> [String] {
        func folders(_ variable: String) -> [String]? {
            let all = (environment[variable] ?? "").split(separator: ":").map(String.init)
            let absolute = all.filter { $0.hasPrefix("/") }
            return absolute.isEmpty ? nil : absolute
        }
        let home = folders("XDG_CONFIG_HOME").map { [$0[0]] } ?? environment["HOME"].map { [$0 + "/.config"] } ?? []
        return (home + (folders("XDG_CONFIG_DIRS") ?? ["/etc/xdg"])).map { "\($0)/\(name)" }
    }

    /// Returns the file as arguments of callkitd, without the options that the command line sets itself. A deadline
    /// stays, for the command line replaces only one of its kind.
    func arguments(without commandLine: [String]) throws -> [String] {
        var lineOf: [String: Int] = [:]
        let given = Set(commandLine.map { $0.prefix { $0 != "=" } })
        var arguments: [String] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.trimmed
            if words.isEmpty || words.hasPrefix("#") { continue }
            let place = "\(path):\(index + 1)"
            let (key, argument) = try entry(words, at: place)
            let setting = Self.setting(of: key, argument)
            if let earlier = lineOf[setting] {
                throw ValidationError("\(place): \(setting) is set in line \(earlier) already")
            }
            if key == "deadline" || !Self.repeated.contains(key) { lineOf[setting] = index + 1 }
            guard let argument else { continue }
            do {
                _ = try Callkitd.parse([argument])
            } catch {
                throw ValidationError("\(place): \(Callkitd.message(for: error))")
            }
            let option = argument.prefix { $0 != "=" }
            if option == "--deadline" || !given.contains(option) { arguments.append(argument) }
        }
        return arguments
    }

    /// What a line sets, such as `policy`, or `deadline answer`.
    private static func setting(of key: String, _ argument: String?) -> String {
        let parts = (argument ?? "").split(separator: "=")
        return key == "deadline" && parts.count > 1 ? "\(key) \(parts[1])" : key
    }

    /// Returns the key of a line, and `--key=value`, or `--key` for a switch; nil for a switch that is off.
    private func entry(_ line: Substring, at place: String) throws -> (key: String, argument: String?) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            // The log keeps this. A key is quoted, but no number that has come into the wrong file.
            let key = parts.first?.allSatisfy { !$0.isNumber && !$0.isWhitespace } == true ? "\(parts[0])" : "this"
            throw ValidationError("\(place): \(key) is not a valid line, expected key = value")
        }
        let (key, value) = (String(parts[0]), parts[1])
        if Self.options.contains(key) { return (key, "--\(key)=\(value)") }
        guard Self.switches.contains(key) else {
            let known = (Self.options + Self.switches).sorted().joined(separator: ", ")
            throw ValidationError("\(place): unknown key \(key), expected one of \(known)")
        }
        guard value == "yes" || value == "no" else {
            throw ValidationError("\(place): \(value) is not a valid value of \(key), expected yes or no")
        }
        return (key, value == "yes" ? "--\(key)" : nil)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
