// CXErrorCodeCallDirectoryManagerError: why a call directory was not loaded.

/// The domain of ``CXErrorCodeCallDirectoryManagerError``.
public let CXErrorDomainCallDirectoryManager = "com.apple.CallKit.error.calldirectorymanager"

/// Why the entries of a call directory were refused (CallKit: CXErrorCodeCallDirectoryManagerError).
public struct CXErrorCodeCallDirectoryManagerError: CXErrorType {
    /// The codes of ``CXErrorCodeCallDirectoryManagerError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// Another error.
        case unknown = 0
        /// No directory has this identifier.
        case noExtensionFound = 1
        /// The extension exited, or timed out, before it had added all its entries.
        case loadingInterrupted = 2
        /// The numbers were not added in ascending order.
        case entriesOutOfOrder = 3
        /// A number was blocked twice, or identified twice with the same label.
        case duplicateEntries = 4
        /// The request has too many entries.
        case maximumEntriesExceeded = 5
        /// The user has disabled the extension.
        case extensionDisabled = 6
        /// The extension is being loaded already.
        case currentlyLoading = 7
        /// Entries were removed in a request that is not incremental, or before `isIncremental` was read.
        case unexpectedIncrementalRemoval = 8
    }

    public static var errorDomain: String { CXErrorDomainCallDirectoryManager }
    /// Short for `Code.unknown`.
    public static let unknown = Code.unknown
    /// Short for `Code.noExtensionFound`.
    public static let noExtensionFound = Code.noExtensionFound
    /// Short for `Code.loadingInterrupted`.
    public static let loadingInterrupted = Code.loadingInterrupted
    /// Short for `Code.entriesOutOfOrder`.
    public static let entriesOutOfOrder = Code.entriesOutOfOrder
    /// Short for `Code.duplicateEntries`.
    public static let duplicateEntries = Code.duplicateEntries
    /// Short for `Code.maximumEntriesExceeded`.
    public static let maximumEntriesExceeded = Code.maximumEntriesExceeded
    /// Short for `Code.extensionDisabled`.
    public static let extensionDisabled = Code.extensionDisabled
    /// Short for `Code.currentlyLoading`.
    public static let currentlyLoading = Code.currentlyLoading
    /// Short for `Code.unexpectedIncrementalRemoval`.
    public static let unexpectedIncrementalRemoval = Code.unexpectedIncrementalRemoval

    public let details: CXErrorDetails<Code>
    public init(_ details: CXErrorDetails<Code>) { self.details = details }
}
