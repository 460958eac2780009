// CXCallDirectoryExtensionContext: a request for the entries of a call directory.

internal import CallModel

/// One request for the entries of a directory (CallKit: CXCallDirectoryExtensionContext). Do not use it on several
/// threads at once.
///
/// Add blocked numbers in ascending order without repetition. Add identified numbers in ascending order too; a number
/// may be repeated with another label. The first invalid entry fails the whole request with `entriesOutOfOrder`,
/// `duplicateEntries`, `maximumEntriesExceeded` or `unexpectedIncrementalRemoval`. The delegate is told when the
/// request is completed; later entries are ignored.
public final class CXCallDirectoryExtensionContext {
    /// The delegate, which is told if the request fails; referenced weakly.
    public weak var delegate: (any CXCallDirectoryExtensionContextDelegate)?

    private let incremental: Bool
    private var isIncrementalRead = false
    private var order: DirectoryOrder
    private var batch = DirectoryBatch()
    private var hasEntries = false
    private var failure: CXErrorCodeCallDirectoryManagerError?
    private var isOver = false
    private var leftOut: UInt64 = 0
    private var complaints: [String] = []
    private let sink: any DirectorySink

    /// Creates a request for testing a provider: the entries are checked by the system's rules and then discarded. Not
    /// in CallKit.
    /// - Parameter isIncremental: true to request changes instead of all entries.
    public convenience init(testing isIncremental: Bool) {
        self.init(isIncremental: isIncremental, sink: DiscardingSink())
    }

    /// - Parameters:
    ///   - maximumEntries: the maximum number of entries of the request.
    ///   - sink: takes the entries as they are added, and the end of the request.
    init(
        isIncremental: Bool, maximumEntries: Int = DirectoryOrder.maximumEntries, sink: any DirectorySink
    ) {
        incremental = isIncremental
        order = DirectoryOrder(maximum: maximumEntries)
        self.sink = sink
    }

    /// Whether the system requests changes to its present entries instead of all entries. Read it before you add
    /// entries: otherwise the request is not incremental, and entries cannot be removed.
    public var isIncremental: Bool {
        isIncrementalRead = isIncrementalRead || !hasEntries
        return incremental
    }

    /// Adds a number whose calls are refused.
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

    /// Adds a range of numbers whose calls are refused, in any order, at most 1,000,000 of them. Callers are compared with it
    /// by their whole number, so its ends have the country code. Not in CallKit.
    public func addBlockingRange(_ phoneNumbers: ClosedRange<CXCallDirectoryPhoneNumber>) {
        guard failure == nil, !isOver else { return }
        hasEntries = true
        batch.block(phoneNumbers)
        if batch.isFull { flush() }
    }

    /// Tells the user of a part of your sources that the directory leaves out, such as a line that is no number. The
    /// user is told how many there are, and of the first hundred with your words. Not in CallKit.
    /// - Parameter complaint: the place and the reason, such as `spam.txt:3: no number`; without words of the source,
    ///   which may be a name or a number.
    public func leaveOut(_ complaint: String) {
        guard !isOver else { return }
        leftOut += 1
        if complaints.count < 100 { complaints.append(complaint) }
    }

    /// Adds a number whose calls are shown with a label. Control characters are removed from the label, and it is cut
    /// to 256 characters and 1,024 bytes.
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

    /// Removes a number from the blocked entries that the system had before. Only in an incremental request.
    public func removeBlockingEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        remove("a blocked number") { $0.unblock(phoneNumber) }
    }

    /// Removes all labels of a number from the entries that the system had before. Only in an incremental request.
    public func removeIdentificationEntry(withPhoneNumber phoneNumber: CXCallDirectoryPhoneNumber) {
        remove("an identified number") { $0.unidentify(phoneNumber) }
    }

    /// Removes all blocked entries that the system had before. Only in an incremental request.
    public func removeAllBlockingEntries() { remove("all blocked numbers") { $0.unblockAll() } }

    /// Removes all identified entries that the system had before. Only in an incremental request.
    public func removeAllIdentificationEntries() { remove("all identified numbers") { $0.unidentifyAll() } }

    /// Completes the request, and waits until its entries are in force.
    /// - Parameter completionHandler: called before this method returns. True means that no entry was accepted: the
    ///   request failed, or was already completed.
    public func completeRequest(completionHandler: ((Bool) -> Void)? = nil) {
        guard !isOver else {
            completionHandler?(true)
            return
        }
        isOver = true
        tellLeftOut()
        if failure == nil, !batch.isEmpty { flush() }
        if let failure { sink.cancel(failure) } else { failure = sink.complete(incremental: isForChanges) }
        if let failure { delegate?.requestFailed(for: self, withError: failure) }
        completionHandler?(failure != nil)
        sink.close()
    }

    /// Cancels the request: the delegate gets `error`, and the system keeps its present entries.
    public func cancelRequest(withError error: any Error) {
        guard !isOver else { return }
        isOver = true
        tellLeftOut()
        sink.cancel(error)
        delegate?.requestFailed(for: self, withError: error)
        sink.close()
    }

    private var isForChanges: Bool { incremental && isIncrementalRead }

    private func tellLeftOut() {
        if leftOut > 0 { sink.leaveOut(leftOut, complaints) }
    }

    private func flush() {
        failure = sink.send(batch, incremental: isForChanges)
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
