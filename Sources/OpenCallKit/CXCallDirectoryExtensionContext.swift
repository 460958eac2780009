// CXCallDirectoryExtensionContext: takes the entries of a call directory.

internal import CallModel

/// One request for the entries of a directory (CallKit: CXCallDirectoryExtensionContext). Not for use on several threads
/// at once.
///
/// What is blocked has to be added in ascending order without repetition; what is identified in ascending order too, where
/// a number may come again with another label. The first entry that breaks a rule fails the whole request:
/// `entriesOutOfOrder`, `duplicateEntries`, `maximumEntriesExceeded` or `unexpectedIncrementalRemoval`. The delegate hears
/// of it when the request is completed; later entries are passed over.
public final class CXCallDirectoryExtensionContext {
    /// Hears that the request came to nothing; referred to weakly.
    public weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?

    private let incremental: Bool
    private var isIncrementalRead = false
    private(set) var entries = DirectoryEntries()
    private var failure: CXErrorCodeCallDirectoryManagerError?
    private var isOver = false
    private let finish: (DirectoryEntries) -> Void

    /// A request of one's own, to try a provider's entries by the system's rules; they are thrown away in the end. Not in
    /// CallKit.
    /// - Parameter isIncremental: whether changes are asked for instead of all entries.
    public convenience init(rehearsing isIncremental: Bool) {
        self.init(isIncremental: isIncremental) { _ in }
    }

    /// - Parameter finish: takes the entries of a request that was completed and has broken no rule.
    init(isIncremental: Bool, finish: @escaping (DirectoryEntries) -> Void) {
        incremental = isIncremental
        self.finish = finish
    }

    /// Whether changes to the entries that the system has are asked for, instead of all entries. Read it before anything
    /// is added: one that was not read does not count, and nothing can be removed then.
    public var isIncremental: Bool {
        isIncrementalRead = isIncrementalRead || entries.isEmpty
        return incremental
    }

    /// Calls from this number are to be refused.
    public func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        attempt { () throws(CXErrorCodeCallDirectoryManagerError) in try entries.block(phoneNumber) }
    }

    /// Calls from this number are to be shown with this label. Control characters are left out, and what is beyond 256
    /// characters.
    public func addIdentificationEntry(
        withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
    ) {
        attempt { () throws(CXErrorCodeCallDirectoryManagerError) in
            try entries.identify(phoneNumber, label.displayable)
        }
    }

    /// Calls from this number are no longer to be refused. Only in an incremental request.
    public func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        remove("a blocked number") { $0.unblocked.append(phoneNumber) }
    }

    /// Removes all labels of a number. Only in an incremental request.
    public func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        remove("an identified number") { $0.unidentified.append(phoneNumber) }
    }

    /// No number is to be refused any longer. Only in an incremental request.
    public func removeAllBlockingEntries() {
        remove("all blocked numbers") { entries in
            entries.unblocksAll = true
            entries.blocked = []
            entries.unblocked = []
        }
    }

    /// Removes all labels of all numbers. Only in an incremental request.
    public func removeAllIdentificationEntries() {
        remove("all identified numbers") { entries in
            entries.unidentifiesAll = true
            entries.identified = []
            entries.unidentified = []
        }
    }

    /// Says that all entries were added.
    /// - Parameter completionHandler: called at once. True means that nothing was taken: the request had failed, or was over
    ///   before.
    public func completeRequest(completionHandler: ((Bool) -> Void)? = nil) {
        guard !isOver else {
            completionHandler?(true)
            return
        }
        isOver = true
        if let failure { delegate?.requestFailed(for: self, withError: failure) } else { finish(entries) }
        completionHandler?(failure != nil)
    }

    /// Gives the request up: the delegate hears of `error`, and the system keeps the entries that it has.
    public func cancelRequest(withError error: any Error) {
        guard !isOver else { return }
        isOver = true
        delegate?.requestFailed(for: self, withError: error)
    }

    private func attempt(_ body: () throws(CXErrorCodeCallDirectoryManagerError) -> Void) {
        guard failure == nil, !isOver else { return }
        do throws(CXErrorCodeCallDirectoryManagerError) {
            try body()
        } catch {
            failure = error
        }
    }

    private func remove(_ what: String, _ body: (inout DirectoryEntries) -> Void) {
        attempt { () throws(CXErrorCodeCallDirectoryManagerError) in
            guard incremental, isIncrementalRead else {
                throw CXErrorCodeCallDirectoryManagerError(
                    .unexpectedIncrementalRemoval,
                    message: incremental
                        ? "\(what) cannot be removed: isIncremental was not read before"
                        : "\(what) cannot be removed: all entries were asked for, not changes")
            }
            body(&entries)
        }
    }
}
