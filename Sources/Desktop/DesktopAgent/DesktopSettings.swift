// DesktopSettings: what the user chooses, kept in desktop.conf.

import CallModel
import DBus
package import EventLoop
import Files

/// The settings of the agent. They follow the file when somebody edits it.
@LoopActor
package final class DesktopSettings {
    /// The name of the file in the folders of configurations.
    package static let fileName = "opencallkit/desktop.conf"

    package private(set) var values = Values()
    /// What is wrong with the file, each as a sentence with its place: that it cannot be read, or invalid lines.
    package private(set) var problems: [String] = []
    /// Called when `problems` have changed.
    package var onProblems: (@LoopActor () -> Void)?

    /// The user's own file; nil without a home: then nothing is kept.
    private let path: String?
    private let searched: [String]
    /// The file that could not be read last.
    private var unreadable = fileName
    private var observers: [@LoopActor () -> Void] = []
    private var follower: FileFollower?
    /// Whether the settings are those of the user, and not only the defaults.
    private var wasRead = false

    /// Reads the settings, and follows the user's file.
    package init(environment: [String: String]) {
        searched = ConfigurationText.paths(of: Self.fileName, in: environment)
        path = BaseFolder.config.path(in: environment) == nil ? nil : searched.first
        read()
        follower = path.map { FileFollower($0) { [weak self] in self?.read() } }
    }

    /// Adds an observer of changes, for as long as the settings live.
    package func observe(_ observer: @escaping @LoopActor () -> Void) { observers.append(observer) }

    /// Writes the settings that differ to the user's file, and puts them in force. Comments and other lines stay.
    ///
    /// - Throws: the failed call, if the file cannot be read or written; nothing has changed then.
    package func change(_ body: (inout Values) -> Void) throws(SystemError) {
        var new = values
        body(&new)
        guard new != values else { return }
        if let path {
            // Of the system's file, the user's takes over all lines.
            var text = try firstText()?.text ?? ConfigurationText("")
            let (old, lines) = (values.lines, new.lines)
            for key in Set(old.keys).union(lines.keys).sorted() where old[key] != lines[key] {
                text.set(key, to: lines[key])
            }
            var file = KeptFile(path, longest: ConfigurationText.longest)
            let bytes = try file.read() ?? []
            // Comments may be in another encoding, which would be lost.
            if String(validating: bytes, as: UTF8.self) == nil { file.noteDamage() }
            try file.replace(with: Array(text.text.utf8))
        }
        values = new
        for observer in observers { observer() }
    }

    /// The error of a request whose change cannot be kept: `StoreUnavailable`.
    func unavailable(_ error: SystemError) -> DBusError {
        let file = path ?? Self.fileName
        return DBusError(ErrorCode.storeUnavailable.busName, "the settings cannot be kept in \(file): \(error)")
    }

    private func firstText() throws(SystemError) -> (path: String, text: ConfigurationText)? {
        for path in searched {
            do throws(SystemError) {
                if let text = try ConfigurationText.read(path) { return (path, text) }
            } catch {
                unreadable = path
                throw error
            }
        }
        return nil
    }

    /// If the file cannot be read, what was read before remains in force, and at the start what tells the least.
    private func read() {
        var new = Values()
        var problems: [String] = []
        do throws(SystemError) {
            if let (path, text) = try firstText() {
                for entry in text.entries {
                    if let complaint = new.apply(entry) { problems.append("\(path):\(entry.line): \(complaint)") }
                }
            }
            wasRead = true
        } catch {
            problems = ["\(unreadable) cannot be read: \(error)"]
            new = wasRead ? values : .unknown
        }
        if problems != self.problems {
            self.problems = problems
            onProblems?()
        }
        guard new != values else { return }
        values = new
        for observer in observers { observer() }
    }
}
