// DesktopSettings: what the user chooses, kept in desktop.conf.

package import EventLoop
import Files

/// The settings of the agent. They follow the file when somebody edits it.
@LoopActor
package final class DesktopSettings {
    /// The name of the file in the folders of configurations.
    package static let fileName = "opencallkit/desktop.conf"

    package private(set) var values = Values()
    /// The lines of the file that are invalid, each as a sentence with its place.
    package private(set) var problems: [String] = []

    /// The user's own file; nil without a home: then nothing is kept.
    private let path: String?
    private let searched: [String]
    private var observers: [@LoopActor () -> Void] = []
    private var watch: DirectoryWatch?

    /// Reads the settings, and follows the user's file.
    package init(environment: [String: String]) {
        searched = ConfigurationText.paths(of: Self.fileName, in: environment)
        path = BaseFolder.config.path(in: environment) == nil ? nil : searched.first
        read()
        follow()
    }

    /// Adds an observer of changes, for as long as the settings live.
    package func observe(_ observer: @escaping @LoopActor () -> Void) { observers.append(observer) }

    /// Changes the settings, and writes those that differ to the user's file. Comments and other lines stay.
    ///
    /// - Throws: the failed call, if the file cannot be written; the change counts until the agent ends.
    package func change(_ body: (inout Values) -> Void) throws(SystemError) {
        let before = values
        body(&values)
        guard values != before else { return }
        for observer in observers { observer() }
        guard let path else { return }
        // Of the system's file, the user's takes over all lines.
        var text = try firstText()?.text ?? ConfigurationText("")
        let (old, new) = (before.lines, values.lines)
        for key in Set(old.keys).union(new.keys).sorted() where old[key] != new[key] {
            text.set(key, to: new[key])
        }
        try FileWriter.makeFolder(Self.folder(of: path))
        try FileWriter.replace(path, with: Array(text.text.utf8))
        if watch == nil { follow() }
    }

    private func firstText() throws(SystemError) -> (path: String, text: ConfigurationText)? {
        for path in searched {
            if let text = try ConfigurationText.read(path) { return (path, text) }
        }
        return nil
    }

    private func read() {
        var values = Values()
        problems = []
        do throws(SystemError) {
            if let (path, text) = try firstText() {
                for entry in text.entries {
                    if let complaint = values.take(entry) { problems.append("\(path):\(entry.line): \(complaint)") }
                }
            }
        } catch {
            problems = ["\(searched.first ?? Self.fileName): \(error)"]
        }
        guard values != self.values else { return }
        self.values = values
        for observer in observers { observer() }
    }

    /// A folder that does not exist is followed once a change has made it.
    private func follow() {
        guard let path else { return }
        let name = path.split(separator: "/").last.map(String.init)
        watch = try? DirectoryWatch(Self.folder(of: path)) { [weak self] event, entry in
            if event == .folderGone { self?.watch = nil }
            if entry == name || event == .overflowed { self?.read() }
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    }
}
