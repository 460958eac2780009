// The files of the directory: the user's rules, the extensions' records and their compiled lists.

internal import CallDirectory
import CallModel
internal import Dispatch
import EventLoop
import Files
import Logging
internal import Synchronization

/// What is wrong with a file that was read; each text is for people, lower case, no full stop.
enum FileTrouble: Sendable, Equatable {
    /// Nothing of it is known, and it cannot be changed.
    case unreadable(String)
    /// What could be read of it counts.
    case damaged(String)

    var text: String {
        switch self {
        case .unreadable(let text), .damaged(let text): text
        }
    }
}

/// A change of the user's rules.
struct RuleChange: Sendable {
    let rule: HandleRule
    let list: Directories.List
    let isAdding: Bool

    /// - Returns: whether anything has changed.
    func apply(to rules: inout UserRules) throws(CallError) -> Bool {
        try isAdding ? rules[keyPath: list].insert(rule) : rules[keyPath: list].remove(rule)
    }
}

/// Reads the files once, when the store starts, and writes them off the loop.
final class DirectoryFiles: Sendable {
    /// How long to wait for another session that writes the rules.
    private static let turnTimeout = Duration.seconds(1)
    /// The largest file of rules or records that is read.
    private static let maximumBytes = 64 << 20

    private let store: StoreFolder
    private let folder: String
    private let log: Logger
    private let logsIdentities: Bool
    private let rulesFile: Mutex<KeptFile>
    private let recordsFile: Mutex<KeptFile>
    /// The file of the rules as this process has read or written it last, and how often it has read it.
    private let rulesRead = Mutex<(version: FileVersion?, count: Int)>((nil, 0))
    private let queue = DispatchQueue(label: "org.opencallkit.directory-files")

    /// - Parameter folder: the store's folder.
    init(folder: StoreFolder, log: Logger, logsIdentities: Bool) {
        self.logsIdentities = logsIdentities
        store = folder
        self.folder = folder.path + "/directory"
        self.log = log
        rulesFile = Mutex(KeptFile(self.folder + "/rules", longest: Self.maximumBytes))
        recordsFile = Mutex(KeptFile(self.folder + "/extensions.json", longest: Self.maximumBytes))
    }

    var rulesPath: String { folder + "/rules" }
    private var recordsPath: String { folder + "/extensions.json" }
    func compiledPath(of id: String) -> String { "\(folder)/\(id).directory" }

    // MARK: reading

    /// Reads the user's rules. Logs invalid lines; the file that has them is set aside when it is written again.
    func rules(normalize: (String) -> String) -> (UserRules, FileTrouble?) {
        rulesRead.withLock { $0 = (rulesVersion, $0.count + 1) }
        let (bytes, trouble) = read(rulesFile)
        guard let bytes else { return (UserRules(), trouble) }
        let (rules, complaints) = UserRules.read(String(decoding: bytes, as: UTF8.self), normalize: normalize)
        guard !complaints.isEmpty else { return (rules, nil) }
        for complaint in complaints {
            let text = (logsIdentities ? complaint : complaint.withoutQuotation).displayable
            log.warning("\(rulesPath), \(text)")
        }
        return (rules, damage(of: rulesFile, "\(rulesPath) has invalid lines: the rules that can be read count"))
    }

    /// Reads the user's rules again if another session of the user has written them, or if `isDue`; passes nil if not.
    func changedRules(
        isDue: Bool, normalize: @escaping @Sendable (String) -> String,
        then: @escaping @LoopActor ((rules: UserRules, trouble: FileTrouble?, reading: Int)?) -> Void
    ) {
        queue.async { [self] in
            let isNew = isDue || rulesRead.withLock { $0.version != rulesVersion }
            let read = isNew ? rules(normalize: normalize) : nil
            let result = read.map { ($0.0, $0.1, reading) }
            Loop.shared.post { then(result) }
        }
    }

    /// How often the rules have been read.
    var reading: Int { rulesRead.withLock { $0.count } }

    private var rulesVersion: FileVersion? { (try? FileStatus(rulesPath))?.version }

    func records() -> ([String: ExtensionRecord], FileTrouble?) {
        let (bytes, trouble) = read(recordsFile)
        guard let bytes else { return ([:], trouble) }
        let (records, isSound) = ExtensionRecord.read(bytes)
        guard !isSound else { return (records, nil) }
        let text = "\(recordsPath) is damaged: only the call directories that can be read in it are enabled"
        return (records, damage(of: recordsFile, text))
    }

    private func read(_ file: borrowing Mutex<KeptFile>) -> ([UInt8]?, FileTrouble?) {
        file.withLock { file in
            do throws(SystemError) {
                return (try file.read(), nil)
            } catch {
                let text = "\(file.path) cannot be read: \(error)"
                log.error("\(text)")
                return (nil, .unreadable(text))
            }
        }
    }

    private func damage(of file: borrowing Mutex<KeptFile>, _ text: String) -> FileTrouble {
        file.withLock { $0.noteDamage() }
        log.error("\(text); it is kept beside as .damaged when it is written again")
        return .damaged(text)
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

    /// Writes a change of the rules. A rule that is added to a file with whole lines is a line more. What another session of
    /// the user has written meanwhile stays.
    ///
    /// - Parameters:
    ///   - rules: those of this session, with the change.
    ///   - reading: how often the file had been read when they were taken over.
    ///   - then: gets whether another session has written something that this one has not taken over.
    func write(
        _ change: RuleChange, in rules: UserRules, since reading: Int,
        normalize: @escaping @Sendable (String) -> String, then: @escaping Completion<Bool>
    ) {
        perform(then) { [self] () throws(SystemError) in
            try FileWriter.makeFolder(folder)
            return try FolderTurn.take(in: folder, within: Self.turnTimeout) { () throws(SystemError) in
                try join(change, rules, since: reading, normalize: normalize)
            }
        }
    }

    /// - Returns: whether another session has written something that this one has not taken over.
    private func join(
        _ change: RuleChange, _ rules: UserRules, since reading: Int, normalize: (String) -> String
    ) throws(SystemError) -> Bool {
        var (whole, isOthers) = (rules, false)
        if let version = rulesVersion, rulesRead.withLock({ $0.version != version || $0.count != reading }) {
            var (others, trouble) = self.rules(normalize: normalize)
            // Of a damaged file, this session knows more. One that cannot be read is not replaced.
            if trouble == nil {
                guard (try? change.apply(to: &others)) == true else { return true }
                (whole, isOthers) = (others, true)
            }
        }
        try rulesFile.withLock { (file) throws(SystemError) in
            let line = UserRules.line(change.rule, in: change.list)
            let isAdded = change.isAdding && !file.isDamaged ? try FileWriter.appendLine(line, to: file.path) : false
            if !isAdded { try file.replace(with: Array(whole.text.utf8)) }
        }
        // What others have written is still to be taken over.
        if !isOthers { rulesRead.withLock { $0.version = rulesVersion } }
        return isOthers
    }

    func write(_ records: [String: ExtensionRecord], then: @escaping Completion<Void>) {
        perform(then) { [self] () throws(SystemError) in
            try recordsFile.withLock { (file) throws(SystemError) in
                try file.replace(with: ExtensionRecord.bytes(of: records))
            }
        }
    }

    /// Makes the folder for compiled directories.
    func makeFolder() {
        do throws(SystemError) {
            try FileWriter.makeFolder(folder)
        } catch {
            queue.async { [store] in store.failed() }
        }
    }

    /// Writes in the order of the requests.
    private func perform<Value: Sendable>(
        _ then: @escaping Completion<Value>, _ work: @escaping @Sendable () throws(SystemError) -> Value
    ) {
        queue.async { [store] in
            let result = Result { () throws(SystemError) in try work() }
            if case .failure = result { store.failed() }
            Loop.shared.post { then(result.mapError { CallError(.storeUnavailable, "\($0)") }) }
        }
    }

    /// Waits until everything is written.
    func finish() { queue.sync {} }
}
