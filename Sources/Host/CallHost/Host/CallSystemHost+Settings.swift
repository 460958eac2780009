// Small files of text that keep what the user has set.

import CallModel
import CallWire
import DBus
import EventLoop
import Files
import Logging

extension CallSystemHost {
    /// More than any settings take, in bytes.
    private static var longestSettings: Int { 65_536 }

    /// Returns what was set when the daemon ran the last time; nil if nothing was, or if the file is invalid.
    ///
    /// - Parameters:
    ///   - name: The file's name in the settings folder.
    ///   - loss: What is so while there are no settings, such as "no provider is preferred".
    ///   - longest: In bytes; what comes after them is not read.
    ///   - parse: Reads the text. Throws for anything that `saveSettings` would not have been given.
    func loadSettings<Value>(
        _ name: String, orElse loss: String, longest: Int = longestSettings, parse: (String) throws -> Value
    ) -> Value? {
        guard let folder = configuration.settingsFolder else { return nil }
        let path = "\(folder)/\(name)"
        do {
            let file = try FileReader(path)
            let bytes = try file.bytes(at: 0, count: Int(min(file.status.size, UInt64(longest))))
            return try parse(String(decoding: bytes, as: UTF8.self))
        } catch let error as SystemError where error.isMissing {
            return nil
        } catch {
            // The error quotes the file, which may have anything that the user has written there.
            let quotes = configuration.logsIdentities || error is SystemError
            log.error("\(loss), \(path) is invalid\(quotes ? ": \(error)" : "; --log-identities quotes it")")
            emitAnomaly("bad-settings", .system, "\(loss): the file \(name) of that setting is invalid")
            return nil
        }
    }

    /// Keeps a file of settings that could not be read under another name, for the user to repair.
    func setAsideSettings(_ name: String) {
        guard let folder = configuration.settingsFolder else { return }
        let path = "\(folder)/\(name)"
        if (try? FileWriter.rename(path, to: "\(path).damaged")) != nil { log.error("it is kept as \(path).damaged") }
    }

    /// Replaces a file of settings.
    ///
    /// - Parameters:
    ///   - what: Names the settings in the log, such as "the default providers".
    ///   - durably: Whether they survive a power cut right after this.
    /// - Returns: Whether they are kept. If not, the log tells why.
    @discardableResult
    func saveSettings(_ name: String, _ text: String, of what: String, durably: Bool = false) -> Bool {
        guard let folder = configuration.settingsFolder else { return true }
        do throws(SystemError) {
            try FileWriter.makeFolder(folder)
            try FileWriter.replace("\(folder)/\(name)", with: Array(text.utf8), durably: durably)
            return true
        } catch {
            log.error("what is set of \(what) is forgotten when the daemon ends: \(error)")
            return false
        }
    }
}
