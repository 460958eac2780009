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
    private var order: DirectoryOrder
    private var batch = DirectoryBatch()
    private var hasEntries = false
    private var failure: CXErrorCodeCallDirectoryManagerError?
    private var isOver = false
    private let sink: any DirectorySink

    /// A request of one's own, to try a provider's entries by the system's rules; they are thrown away in the end. Not in
    /// CallKit.
    /// - Parameter isIncremental: whether changes are asked for instead of all entries.
    public convenience init(rehearsing isIncremental: Bool) {
        self.init(isIncremental: isIncremental, sink: RehearsalSink())
    }

    /// - Parameters:
    ///   - maximumEntries: the most that the request may bring.
    ///   - sink: takes the entries as they come, and hears of the end.
    init(
        isIncremental: Bool, maximumEntries: Int = DirectoryOrder.maximumEntries, sink: any DirectorySink
    ) {
        incremental = isIncremental
        order = DirectoryOrder(maximum: maximumEntries)
        self.sink = sink
    }

    /// Whether changes to the entries that the system has are asked for, instead of all entries. Read it before anything
    /// is added: one that was not read does not count, and nothing can be removed then.
    public var isIncremental: Bool {
        isIncrementalRead = isIncrementalRead || !hasEntries
        return incremental
    }

    /// Calls from this number are to be refused.
    public func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        guard failure == nil, !isOver else { return }
        hasEntries = true
        guard order.isNextBlocked(phoneNumber) else {
            failure = CXErrorCodeCallDirectoryManagerError(order.refusalToBlock(phoneNumber))
            return
        }
        batch.block(phoneNumber)
        if batch.isFull { flush() }
    }

    /// Calls from this number are to be shown with this label. Control characters are left out, and what is beyond 256
    /// characters or 1,024 bytes.
    public func addIdentificationEntry(
        withNextSequentialPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber, label: String
    ) {
        guard failure == nil, !isOver else { return }
        hasEntries = true
        let label = label.directoryLabel
        do throws(CallError) {
            try order.identify(phoneNumber, label)
        } catch {
            failure = CXErrorCodeCallDirectoryManagerError(error)
            return
        }
        batch.identify(phoneNumber, label)
        if batch.isFull { flush() }
    }

    /// Of what the system had before this request, takes one number away. Only in an incremental request.
    public func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        remove("a blocked number") { $0.unblock(phoneNumber) }
    }

    /// Of what the system had before this request, takes all labels of a number away. Only in an incremental request.
    public func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        remove("an identified number") { $0.unidentify(phoneNumber) }
    }

    /// Takes away all that the system had before this request. Only in an incremental request.
    public func removeAllBlockingEntries() {
        remove("all blocked numbers") { $0.unblockAll() }
    }

    /// Takes away all that the system had before this request. Only in an incremental request.
    public func removeAllIdentificationEntries() {
        remove("all identified numbers") { $0.unidentifyAll() }
    }

    /// Says that all entries were added, and waits until they are in force.
    /// - Parameter completionHandler: called before this returns. True means that nothing was taken: the request had
    ///   failed, or was over before.
    public func completeRequest(completionHandler: ((Bool) -> Void)? = nil) {
        guard !isOver else {
            completionHandler?(true)
            return
        }
        isOver = true
        if failure == nil, !batch.isEmpty { flush() }
        if let failure { sink.cancel(failure) } else { failure = sink.complete(incremental: isForChanges) }
        if let failure { delegate?.requestFailed(for: self, withError: failure) }
        completionHandler?(failure != nil)
        sink.close()
    }

    /// Gives the request up: the delegate hears of `error`, and the system keeps the entries that it has.
    public func cancelRequest(withError error: any Error) {
        guard !isOver else { return }
        isOver = true
        sink.cancel(error)
        delegate?.requestFailed(for: self, withError: error)
        sink.close()
    }

    private var isForChanges: Bool { incremental && isIncrementalRead }

    private func flush() {
        failure = sink.take(batch, incremental: isForChanges)
        batch = DirectoryBatch()
    }

    private func remove(_ what: String, _ body: (inout DirectoryBatch) -> Void) {
        guard failure == nil, !isOver else { return }
        guard isForChanges else {
            failure = CXErrorCodeCallDirectoryManagerError(
                .unexpectedIncrementalRemoval,
                message: incremental
                    ? "\(what) cannot be removed: isIncremental was not read before"
                    : "\(what) cannot be removed: all entries were asked for, not changes")
            return
        }
        hasEntries = true
        body(&batch)
        if batch.isFull { flush() }
    }
}
