// SettingsFile: a file with what the user has set, and what is known of it.

import CallModel
import CallWire
import DBus
import EventLoop
import Files
import Logging

/// Reads settings once, when the daemon starts. A change is written first and in force then; if it cannot be written, it is
/// refused. What is wrong with the file stands in `Health`.
@LoopActor
final class SettingsFile<Settings: SettingsText> {
    private let name: String
    private let what: String
    private unowned let host: CallSystemHost
    /// Nil if there is nowhere to keep settings.
    private var file: KeptFile?
    /// What the file has.
    private var kept = Settings()
    /// Whether all that the user has set is known, as far as one can tell.
    private(set) var isWhole = true
    /// What is wrong with the file; nil for nothing.
    private var damage: String?
    private var lastLogged = ""

    /// - Parameters:
    ///   - name: The file's name in the settings folder.
    ///   - what: Names the settings in errors, such as "the tiers of apps".
    init(_ name: String, of what: String, for host: CallSystemHost) {
        self.name = name
        self.what = what
        self.host = host
        file = host.configuration.settingsFolder.map { KeptFile("\($0)/\(name)", longest: Settings.longest) }
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

    /// Writes settings, and puts them in force.
    ///
    /// - Parameters:
    ///   - lesser: What is in force if the file cannot be written, because it only takes something away; nil for nothing new.
    ///   - apply: Puts settings in force.
    /// - Throws: `StoreUnavailable` if they cannot be written.
    func keep(
        _ new: Settings, orHold lesser: Settings? = nil, _ apply: (Settings) -> Void
    ) throws(CallError) {
        do throws(SystemError) {
            try write(new)
        } catch {
            let obstacle = file?.obstacle == error ? "\(path) cannot be read (\(error))" : "\(error)"
            note("\(what) cannot be kept: \(obstacle)")
            guard let lesser else {
                throw CallError(.storeUnavailable, "\(what) cannot be kept, and nothing has changed: \(obstacle)")
            }
            apply(lesser)
            let text =
                "\(what) cannot be kept; the change is in force until callkitd ends, and undone then: \(obstacle)"
            host.settingsProblems[name] = text
            throw CallError(.storeUnavailable, text)
        }
        apply(new)
    }

    private func write(_ new: Settings) throws(SystemError) {
        guard var file else { return kept = new }
        if new != kept || file.obstacle != nil {
            try file.replace(with: Array(new.text.utf8))
            damage = file.copy.map { "\(path) was damaged and is set aside as \($0)" }
            (self.file, kept, lastLogged) = (file, new, "")
        }
        host.settingsProblems[name] = damage
    }

    /// Tells of a file that was read.
    ///
    /// - Parameter complaint: Quotes the file, which may have anything that the user has written there.
    private func tell(_ trouble: String, _ consequence: String, _ complaint: CallError? = nil) {
        let quotation = complaint.map { host.configuration.logsIdentities ? ": \($0)" : "; --log-identities quotes it" }
        note("\(path) \(trouble): \(consequence)\(quotation ?? "")")
        damage = "\(path) \(trouble): \(consequence)"
        host.settingsProblems[name] = damage
        host.emitAnomaly("bad-settings", .system, "the file \(name) of settings \(trouble): \(consequence)", by: nil)
    }

    /// Logs an error, once until the file has been written.
    private func note(_ text: String) {
        guard text != lastLogged else { return }
        lastLogged = text
        host.log.error("\(text)")
    }
}
