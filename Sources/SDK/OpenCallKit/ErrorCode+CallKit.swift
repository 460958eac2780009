// CallKit's codes and the contract's error names. What only iOS refuses is AccessDenied, and what has no name ActionFailed.

internal import CallModel
internal import DBus

extension ErrorCode {
    /// The errors that include this one, for a domain that has no code for exactly this one.
    var broader: [ErrorCode] {
        switch self {
        case .alreadyEnded: [.unknownCall]
        case .unknownPlugin: [.noExtensionFound]
        case .limitsExceeded: [.maximumCallGroupsReached, .maximumEntriesExceeded]
        case .emptyTransaction, .callUUIDAlreadyExists: [.invalidArguments]
        case .invalidArguments, .cannotHoldActiveCall, .outgoingCallInProgress, .notSameProvider, .notSupported:
            [.invalidAction]
        default: []
        }
    }

    /// - Parameter anyName: an error's name. If its policy forbids a message, the bus itself refuses it, under another
    ///   name.
    init?(anyName: String) {
        if anyName == DBusError.Name.accessDenied { self = .accessDenied } else { self.init(busName: anyName) }
    }
}

extension CXErrorCodeIncomingCallError.Code {
    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .actionFailed
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
    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .actionFailed
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
    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .actionFailed
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
    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknown: .actionFailed
        case .invalidClientProcess, .missingNotificationFilteringEntitlement: .accessDenied
        }
    }
}

extension CXError.Code {
    public var busName: String { error.busName }

    private var error: ErrorCode {
        switch self {
        case .unknownError: .actionFailed
        case .unentitled: .accessDenied
        case .invalidArgument: .invalidArguments
        case .missingVoIPBackgroundMode: .accessDenied
        }
    }
}
