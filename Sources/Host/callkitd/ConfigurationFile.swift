// ConfigurationFile: callkitd.conf, the options that need no command line.

import ArgumentParser
import EventLoop
import Files
import Glibc

/// A file with one option of callkitd per line: `policy = ios`.
struct ConfigurationFile {
    private static let name = "opencallkit/callkitd.conf"
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
    private let text: ConfigurationText

    /// Reads the user's file, or else the first of the system's; returns nil if there is none.
    static func first(in environment: [String: String]) throws -> ConfigurationFile? {
        for path in ConfigurationText.paths(of: name, in: environment) {
            do throws(SystemError) {
                if let text = try ConfigurationText.read(path) { return ConfigurationFile(path: path, text: text) }
            } catch {
                throw ValidationError("cannot read \(path): \(error)")
            }
        }
        return nil
    }

    /// Returns the file as arguments of callkitd, without the options that the command line sets itself. A deadline
    /// stays, for the command line replaces only one of its kind.
    func arguments(without commandLine: [String]) throws -> [String] {
        var lineOf: [String: Int] = [:]
        let given = Set(commandLine.map { $0.prefix { $0 != "=" } })
        var arguments: [String] = []
        for entry in text.entries {
            let place = "\(path):\(entry.line)"
            let (key, argument) = try option(of: entry, at: place)
            let setting = Self.setting(of: key, argument)
            if let earlier = lineOf[setting] {
                throw ValidationError("\(place): \(setting) is set in line \(earlier) already")
            }
            if key == "deadline" || !Self.repeated.contains(key) { lineOf[setting] = entry.line }
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
    private func option(
        of entry: ConfigurationText.Entry, at place: String
    ) throws -> (key: String, argument: String?) {
        let key = entry.key
        guard let value = entry.value else {
            // The log keeps this. A key is quoted, but no number that has come into the wrong file.
            let word = key.allSatisfy { !$0.isNumber && !$0.isWhitespace } ? key : "this"
            throw ValidationError("\(place): \(word) is not a valid line, expected key = value")
        }
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
