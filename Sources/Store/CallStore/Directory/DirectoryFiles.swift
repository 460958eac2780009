// The files of the directory: the user's rules, the extensions' records and their compiled lists.

internal import CallDirectory
import CallModel
internal import Dispatch
import EventLoop
import Files
import Logging

/// Reads the files once, when the store starts, and writes them off the loop.
final class DirectoryFiles: Sendable {
    /// The largest file of rules or records that is read.
    private static let maximumBytes = 64 << 20

    private let store: StoreFolder
    private let folder: String
    private let log: Logger
    private let logsIdentities: Bool
    private let queue = DispatchQueue(label: "org.opencallkit.directory-files")

    /// - Parameter folder: the store's folder.
    init(folder: StoreFolder, log: Logger, logsIdentities: Bool) {
        self.logsIdentities = logsIdentities
        store = folder
        self.folder = folder.path + "/directory"
        self.log = log
    }

    var rulesPath: String { folder + "/rules" }
    var recordsPath: String { folder + "/extensions.json" }
    func compiledPath(of id: String) -> String { "\(folder)/\(id).directory" }

    // MARK: reading

    /// Reads the user's rules. Logs invalid lines and sets their file aside, because writing it again would lose them.
    func rules(normalize: (String) -> String) -> UserRules {
        guard let bytes = read(rulesPath) else { return UserRules() }
        let (rules, complaints) = UserRules.read(String(decoding: bytes, as: UTF8.self), normalize: normalize)
        if !complaints.isEmpty {
            for complaint in complaints {
                let text = (logsIdentities ? complaint : complaint.withoutQuotation).displayable
                log.warning("\(rulesPath), \(text)")
            }
            setAside(rulesPath, "it has invalid lines")
            write(rules) { _ in }
        }
        return rules
    }

    func records() -> [String: ExtensionRecord] {
        guard let bytes = read(recordsPath) else { return [:] }
        do {
            return try ExtensionRecord.read(bytes)
        } catch {
            setAside(recordsPath, "\(error)")
            return [:]
        }
    }

    /// - Returns: the directory, if it exists, and what was wrong with a file that was set aside.
    func compiled(of id: String) -> (CompiledDirectory?, damage: String?) {
        let path = compiledPath(of: id)
        do throws(CompiledDirectoryError) {
            return (try CompiledDirectory(path), nil)
        } catch {
            if error.isMissing { return (nil, nil) }
            guard case .damaged = error else {
                log.error("\(path) cannot be opened: \(error)")
                return (nil, "\(path) cannot be opened: \(error)")
            }
            let place = setAside(path, "\(error)")
            return (nil, "\(path) was damaged: \(error); \(place)")
        }
    }

    private func read(_ path: String) -> [UInt8]? {
        do throws(SystemError) {
            let file = try FileReader(path)
            guard file.status.size <= UInt64(Self.maximumBytes) else {
                setAside(path, "\(file.status.size) bytes, expected at most \(Self.maximumBytes)")
                return nil
            }
            return try file.bytes(at: 0, count: Int(file.status.size))
        } catch {
            if !error.isMissing { log.error("\(path) cannot be read: \(error)") }
            return nil
        }
    }

    @discardableResult
    private func setAside(_ path: String, _ reason: String) -> String {
        do throws(CompiledDirectoryError) {
            let place = "set aside as \(try CompiledDirectory.setAside(path))"
            log.error("\(path) is damaged (\(reason)) and was \(place)")
            return place
        } catch {
            log.error("\(path) is damaged (\(reason)) and cannot be set aside: \(error)")
            return "it cannot be set aside: \(error)"
        }
    }

    // MARK: writing

    func write(_ rules: UserRules, then: @escaping Completion<Void>) {
        replace(rulesPath, { Array(rules.text.utf8) }, then)
    }

    /// Adds a line to the rules; the others are not written again.
    ///
    /// - Parameter then: gets false if there is no file with whole lines, which must be written as a whole.
    func add(_ line: String, then: @escaping Completion<Bool>) {
        queue.async { [store, rulesPath] in
            let result = Result { () throws(SystemError) in try FileWriter.appendLine(line, to: rulesPath) }
            if case .failure = result { store.failed() }
            Loop.shared.post { then(result.mapError { CallError(.storeUnavailable, "\($0)") }) }
        }
    }

    func write(_ records: [String: ExtensionRecord], then: @escaping Completion<Void>) {
        replace(recordsPath, { ExtensionRecord.bytes(of: records) }, then)
    }

    /// Makes the folder for compiled directories.
    func makeFolder() {
        do throws(SystemError) {
            try FileWriter.makeFolder(folder)
        } catch {
            queue.async { [store] in store.failed() }
        }
    }

    /// Writes a file, in the order of the requests.
    private func replace(
        _ path: String, _ bytes: @escaping @Sendable () -> [UInt8], _ then: @escaping Completion<Void>
    ) {
        queue.async { [store, folder] in
            let result = Result { () throws(SystemError) in
                try FileWriter.makeFolder(folder)
                try FileWriter.replace(path, with: bytes(), durably: true)
            }
            if case .failure = result { store.failed() }
            Loop.shared.post { then(result.mapError { CallError(.storeUnavailable, "\($0)") }) }
        }
    }

    /// Waits until everything is written.
    func finish() { queue.sync {} }
}
