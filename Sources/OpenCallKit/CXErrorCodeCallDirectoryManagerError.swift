// CXErrorCodeCallDirectoryManagerError: why a call directory was not loaded.

public let CXErrorDomainCallDirectoryManager = "com.apple.CallKit.error.calldirectorymanager"

/// Why the entries of a call directory were not taken.
public struct CXErrorCodeCallDirectoryManagerError: CXErrorType {
    public enum Code: Int, CXErrorTypeCode {
        public typealias Failure = CXErrorCodeCallDirectoryManagerError

        case unknown = 0
        /// The system knows no directory of this identifier.
        case noExtensionFound = 1
        case loadingInterrupted = 2
        /// Numbers are to be added in ascending order.
        case entriesOutOfOrder = 3
        /// A number was blocked twice, or identified twice by one label.
        case duplicateEntries = 4
        case maximumEntriesExceeded = 5
        case extensionDisabled = 6
        case currentlyLoading = 7
        /// Entries can be removed only in an incremental request, once `isIncremental` was read.
        case unexpectedIncrementalRemoval = 8
    }

    public static var errorDomain: String { CXErrorDomainCallDirectoryManager }
    public static let unknown = Code.unknown
    public static let noExtensionFound = Code.noExtensionFound
    public static let loadingInterrupted = Code.loadingInterrupted
    public static let entriesOutOfOrder = Code.entriesOutOfOrder
    public static let duplicateEntries = Code.duplicateEntries
    public static let maximumEntriesExceeded = Code.maximumEntriesExceeded
    public static let extensionDisabled = Code.extensionDisabled
    public static let currentlyLoading = Code.currentlyLoading
    public static let unexpectedIncrementalRemoval = Code.unexpectedIncrementalRemoval

    public let code: Code
    public let message: String
    public let busName: String

    public init(_ code: Code, message: String, busName: String) {
        self.code = code
        self.message = message
        self.busName = busName
    }
}
