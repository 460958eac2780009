// The one table of CallKit's codes and the contract's error names, in both directions.

internal import CallModel
internal import DBus

extension ErrorCode {
    typealias CallKitCodes = (
        incoming: CXErrorCodeIncomingCallError.Code, request: CXErrorCodeRequestTransactionError.Code,
        directory: CXErrorCodeCallDirectoryManagerError.Code,
        push: CXErrorCodeNotificationServiceExtensionError.Code, other: CXError.Code
    )

    /// CallKit's codes for this refusal: of a reported incoming call, of a requested transaction, of a request to a
    /// directory, of a push message, and of anything else.
    var callKit: CallKitCodes {
        var codes: CallKitCodes = (.unknown, .unknown, .unknown, .unknown, .unknownError)
        switch self {
        case .unknownCall, .alreadyEnded: codes.request = .unknownCallUUID
        case .unknownProvider: codes.request = .unknownCallProvider
        case .unknownPlugin, .noExtensionFound: codes.directory = .noExtensionFound
        case .emptyTransaction: (codes.request, codes.other) = (.emptyTransaction, .invalidArgument)
        case .callUUIDAlreadyExists:
            (codes.incoming, codes.request) = (.callUUIDAlreadyExists, .callUUIDAlreadyExists)
            codes.other = .invalidArgument
        case .maximumCallGroupsReached: codes.request = .maximumCallGroupsReached
        case .limitsExceeded: (codes.request, codes.directory) = (.maximumCallGroupsReached, .maximumEntriesExceeded)
        case .emergencyInProgress: (codes.incoming, codes.request) = (.callIsProtected, .callIsProtected)
        case .accessDenied: (codes.incoming, codes.request, codes.other) = (.unentitled, .unentitled, .unentitled)
        case .invalidArguments: (codes.request, codes.other) = (.invalidAction, .invalidArgument)
        case .invalidAction, .cannotHoldActiveCall, .outgoingCallInProgress, .notSameProvider, .notSupported:
            codes.request = .invalidAction
        case .filteredByBlockList: codes.incoming = .filteredByBlockList
        case .filteredByDoNotDisturb: codes.incoming = .filteredByDoNotDisturb
        case .filteredDuringRestrictedSharingMode: codes.incoming = .filteredDuringRestrictedSharingMode
        case .filteredBySensitiveParticipants: codes.incoming = .filteredBySensitiveParticipants
        case .loadingInterrupted: codes.directory = .loadingInterrupted
        case .entriesOutOfOrder: codes.directory = .entriesOutOfOrder
        case .duplicateEntries: codes.directory = .duplicateEntries
        case .maximumEntriesExceeded: codes.directory = .maximumEntriesExceeded
        case .extensionDisabled: codes.directory = .extensionDisabled
        case .currentlyLoading: codes.directory = .currentlyLoading
        case .unexpectedIncrementalRemoval: codes.directory = .unexpectedIncrementalRemoval
        case .missingVoIPBackgroundMode: codes.other = .missingVoIPBackgroundMode
        case .invalidClientProcess: codes.push = .invalidClientProcess
        case .missingNotificationFilteringEntitlement: codes.push = .missingNotificationFilteringEntitlement
        case .actionFailed, .actionTimedOut, .providerCrashed, .storeUnavailable, .unknown: break
        }
        return codes
    }

    /// - Parameter anyName: an error's name. If its policy forbids a message, the bus itself refuses it, under another
    ///   name.
    init?(anyName: String) {
        if anyName == DBusError.Name.accessDenied { self = .accessDenied } else { self.init(busName: anyName) }
    }
}

extension CXErrorTypeCode {
    init(_ error: ErrorCode) { self.init(busName: error.busName) }
}

extension CXErrorCodeIncomingCallError.Code {
    public init(busName: String) { self = ErrorCode(anyName: busName)?.callKit.incoming ?? .unknown }

    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .unknown
        case .unentitled: .accessDenied
        case .callUUIDAlreadyExists: .callUUIDAlreadyExists
        case .filteredByDoNotDisturb: .filteredByDoNotDisturb
        case .filteredByBlockList: .filteredByBlockList
        case .filteredDuringRestrictedSharingMode: .filteredDuringRestrictedSharingMode
        case .callIsProtected: .emergencyInProgress
        case .filteredBySensitiveParticipants: .filteredBySensitiveParticipants
        }
    }
}

extension CXErrorCodeRequestTransactionError.Code {
    public init(busName: String) { self = ErrorCode(anyName: busName)?.callKit.request ?? .unknown }

    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .unknown
        case .unentitled: .accessDenied
        case .unknownCallProvider: .unknownProvider
        case .emptyTransaction: .emptyTransaction
        case .unknownCallUUID: .unknownCall
        case .callUUIDAlreadyExists: .callUUIDAlreadyExists
        case .invalidAction: .invalidAction
        case .maximumCallGroupsReached: .maximumCallGroupsReached
        case .callIsProtected: .emergencyInProgress
        }
    }
}

extension CXErrorCodeCallDirectoryManagerError.Code {
    public init(busName: String) { self = ErrorCode(anyName: busName)?.callKit.directory ?? .unknown }

    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .unknown
        case .noExtensionFound: .noExtensionFound
        case .loadingInterrupted: .loadingInterrupted
        case .entriesOutOfOrder: .entriesOutOfOrder
        case .duplicateEntries: .duplicateEntries
        case .maximumEntriesExceeded: .maximumEntriesExceeded
        case .extensionDisabled: .extensionDisabled
        case .currentlyLoading: .currentlyLoading
        case .unexpectedIncrementalRemoval: .unexpectedIncrementalRemoval
        }
    }
}

extension CXErrorCodeNotificationServiceExtensionError.Code {
    public init(busName: String) { self = ErrorCode(anyName: busName)?.callKit.push ?? .unknown }

    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .unknown
        case .invalidClientProcess: .invalidClientProcess
        case .missingNotificationFilteringEntitlement: .missingNotificationFilteringEntitlement
        }
    }
}

extension CXError.Code {
    public init(busName: String) { self = ErrorCode(anyName: busName)?.callKit.other ?? .unknownError }

    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknownError: .unknown
        case .unentitled: .accessDenied
        case .invalidArgument: .invalidArguments
        case .missingVoIPBackgroundMode: .missingVoIPBackgroundMode
        }
    }
}

extension CXErrorType {
    /// Creates an error from a reply of the bus; errors outside the contract keep their names.
    init(_ error: DBusError) {
        self.init(Code(busName: error.name), message: error.message, busName: error.name)
    }
}
