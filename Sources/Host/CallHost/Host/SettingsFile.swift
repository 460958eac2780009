// SettingsFile: a file with what the user has set, and what is known of it.

import CallModel
import CallWire
import DBus
import EventLoop
import Files
import Logging

/// Reads settings when the daemon starts, and when another session of the user has changed them. A change is written first
/// and in force then; if it cannot be written, it is refused. What is wrong with the file stands in `Health`.
@LoopActor
final class SettingsFile<Settings: SettingsText> {
    private let name: String
    private let what: String
    private let context: HostContext
    /// Nil if there is nowhere to keep settings.
    private var file: KeptFile?
    /// What the file has, as far as this session has taken it over.
    private var kept = Settings()
    /// Whether all that the user has set is known, as far as one can tell.
    private(set) var isWhole = true
    /// What is wrong with the file; nil for nothing.
    private var damage: String?
    private var lastLogged = ""
    private var follower: FileFollower?
    /// How long to wait for another session that writes settings: the loop waits, too.
    private static var turnTimeout: Duration { .milliseconds(100) }

    /// - Parameters:
    ///   - name: The file's name in the settings folder.
    ///   - what: Names the settings in errors, such as "the tiers of apps".
    init(_ name: String, of what: String, for context: HostContext) {
        self.name = name
        self.what = what
        self.context = context
        file = context.configuration.settingsFolder.map { KeptFile("\($0)/\(name)", longest: Settings.longest) }
    }

    /// The file's name, with its folder.
    var path: String { file?.path ?? name }

    /// Returns what was set when the daemon ran the last time, as far as it can be read.
    func read() -> Settings {
        guard var file else { return kept }
        do throws(SystemError) {
            if let bytes = try file.read() {
                let reading = SettingsReading<Settings>(bytes)
                (kept, isWhole) = (reading.settings, reading.isWhole)
                if let complaint = reading.complaint {
                    file.noteDamage()
                    tell("is damaged", "what can be read of \(what) counts", complaint)
                }
            }
        } catch {
            isWhole = false
            tell("cannot be read (\(error))", "\(what) are unknown and cannot be changed")
        }
        self.file = file
        return kept
    }

    /// Passes what another session of the user writes from now on. What cannot be read as a whole changes nothing.
    func follow(_ apply: @escaping @LoopActor (Settings) -> Void) {
        guard let path = file?.path else { return }
        follower = FileFollower(path) { [weak self] in
            var file = KeptFile(path, longest: Settings.longest)
            guard let self, let bytes = try? file.read() else { return }
            let reading = SettingsReading<Settings>(bytes)
            guard reading.complaint == nil, reading.settings != kept else { return }
            (self.file, kept, isWhole) = (file, reading.settings, true)
            apply(kept)
        }
    }

    /// Writes settings, and puts them in force. What another session of the user has written meanwhile stays.
    ///
    /// - Parameters:
    ///   - isAdopting: Whether `apply` takes over what another session has written.
    ///   - lesser: What is in force if the file cannot be written, because it only takes something away; nil for nothing new.
    ///   - apply: Puts settings in force.
    /// - Throws: `StoreUnavailable` if they cannot be written.
    func keep(
        _ new: Settings, isAdopting: Bool = true, orHold lesser: Settings? = nil, _ apply: (Settings) -> Void
    ) throws(CallError) {
        do throws(SystemError) {
            try write(new, isAdopting)
        } catch {
            let obstacle = file?.obstacle == error ? "\(path) cannot be read (\(error))" : "\(error)"
            note("\(what) cannot be kept: \(obstacle)")
            guard let lesser else {
                throw CallError(.storeUnavailable, "\(what) cannot be kept, and nothing has changed: \(obstacle)")
            }
            apply(lesser)
            let text =
                "\(what) cannot be kept; the change is in force until callkitd ends, and undone then: \(obstacle)"
            context.noteProblem(text, ofFile: name)
            throw CallError(.storeUnavailable, text)
        }
        apply(kept)
    }

    private func write(_ new: Settings, _ isAdopting: Bool) throws(SystemError) {
        guard var file, let folder = context.configuration.settingsFolder else { return kept = new }
        if new != kept || file.obstacle != nil {
            try FileWriter.makeFolder(folder)
            let joined = try FolderTurn.take(in: folder, within: Self.turnTimeout) { () throws(SystemError) in
                let joined = join(new)
                try file.replace(with: Array(joined.text.utf8))
                return joined
            }
            damage = file.copy.map { "\(path) was damaged and is set aside as \($0)" }
            (self.file, kept, lastLogged) = (file, isAdopting ? joined : new, "")
        }
        context.noteProblem(damage, ofFile: name)
    }

    /// Changes what another session has written since the file was read.
    private func join(_ new: Settings) -> Settings {
        var file = KeptFile(path, longest: Settings.longest)
        guard let bytes = try? file.read() else { return new }
        let reading = SettingsReading<Settings>(bytes)
        guard reading.complaint == nil else { return new }
        return reading.settings.changed(from: kept, to: new)
    }

    /// Tells of a file that was read.
    ///
    /// - Parameter complaint: Quotes the file, which may have anything that the user has written there.
    private func tell(_ trouble: String, _ consequence: String, _ complaint: CallError? = nil) {
        let quotation = complaint.map {
            context.configuration.logsIdentities ? ": \($0)" : "; --log-identities quotes it"
        }
        note("\(path) \(trouble): \(consequence)\(quotation ?? "")")
        damage = "\(path) \(trouble): \(consequence)"
        context.noteProblem(damage, ofFile: name)
        context.anomaly("bad-settings", .system, "the file \(name) of settings \(trouble): \(consequence)", by: nil)
    }

    /// Logs an error, once until the file has been written.
    private func note(_ text: String) {
        guard text != lastLogged else { return }
        lastLogged = text
        context.log.error("\(text)")
    }
}

/// Settings that are kept in a file of text: a title, and a line for each entry.
protocol SettingsText: Equatable {
    /// The first line, or its first word; "" for a file without a title.
    static var title: String { get }
    /// The longest file, in bytes.
    static var longest: Int { get }
    /// The most lines.
    static var maximumLines: Int { get }

    init()
    /// The file. `parse` reads each of its lines but the title.
    var text: String { get }
    /// Takes over what a line has.
    ///
    /// - Throws: `InvalidArguments` for a line that `text` would not have written.
    mutating func parse(_ line: String) throws(CallError)
    /// Notes a line that cannot be read: what it may have refused remains refused.
    mutating func doubt(_ line: String)
}

extension SettingsText {
    /// Returns these settings with the lines changed that one has changed who began with others. If both have changed one
    /// line, only the last one counts: what it takes away is away.
    func changed(from old: Self, to new: Self) -> Self {
        func lines(_ settings: Self) -> [Substring] { settings.text.split(separator: "\n") }
        let (before, after, mine) = (Set(lines(old)), Set(lines(new)), lines(self))
        guard self != old, before.subtracting(after).isSubset(of: mine) else { return new }
        let kept = mine.filter { !before.contains($0) || after.contains($0) }
        let added = lines(new).filter { !before.contains($0) && !mine.contains($0) }
        var all = kept + added
        // In some files the title is a setting, too.
        if let title = all.firstIndex(where: { !Self.title.isEmpty && $0.hasPrefix(Self.title) }) {
            all.insert(all.remove(at: title), at: 0)
        }
        return (try? Self(text: all.joined(separator: "\n") + "\n")) ?? new
    }

    static var longest: Int { 65_536 }
    static var maximumLines: Int { 1_001 }

    mutating func doubt(_ line: String) {}

    /// - Throws: `InvalidArguments` for anything that `text` would not have written.
    init(text: String) throws(CallError) {
        let reading = SettingsReading<Self>(Array(text.utf8))
        if let complaint = reading.complaint { throw complaint }
        self = reading.settings
    }
}

/// What can be read of a file. A last line without its end counts for nothing: what is missing would make it another one.
struct SettingsReading<Settings: SettingsText> {
    private(set) var settings = Settings()
    /// The first thing that is wrong; nil if nothing is.
    private(set) var complaint: CallError?
    /// Whether no line is missing as far as one can tell: the file has its title, and is not cut off.
    private(set) var isWhole = true

    init(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        let rest = lines.removeLast()
        skipTitle(of: &lines)
        if lines.count > Settings.maximumLines {
            complain("\(lines.count) lines, expected at most \(Settings.maximumLines)")
            isWhole = false
        }
        for line in lines.prefix(Settings.maximumLines) where !line.isEmpty { parse(line) }
        guard !rest.isEmpty else { return }
        settings.doubt(String(decoding: rest, as: UTF8.self))
        complain("the last line is cut off")
        isWhole = false
    }

    private mutating func skipTitle(of lines: inout ArraySlice<ArraySlice<UInt8>>) {
        let title = Settings.title
        guard !title.isEmpty else { return }
        let first = lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if first == title {
            lines.removeFirst()
        } else if !first.hasPrefix(title + " ") {
            complain("the first line is not \"\(title)\"")
            isWhole = false
        }
    }

    private mutating func parse(_ bytes: ArraySlice<UInt8>) {
        guard let line = String(validating: bytes, as: UTF8.self) else {
            settings.doubt(String(decoding: bytes, as: UTF8.self))
            return complain("a line is no text in UTF-8")
        }
        do throws(CallError) {
            try settings.parse(line)
        } catch {
            settings.doubt(line)
            if complaint == nil { complaint = error }
        }
    }

    private mutating func complain(_ text: String) {
        if complaint == nil { complaint = CallError(.invalidArguments, text) }
    }
}
