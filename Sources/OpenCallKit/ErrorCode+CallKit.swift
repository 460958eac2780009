// The one table of CallKit's codes and the contract's error names, in both directions.

internal import CallModel
internal import DBus

extension ErrorCode {
    typealias CallKitCodes = (
        incoming: CXErrorCodeIncomingCallError.Code, request: CXErrorCodeRequestTransactionError.Code,
        directory: CXErrorCodeCallDirectoryManagerError.Code, other: CXError.Code
    )

    /// What this refusal is called when an incoming call is reported, when a transaction is requested, when a directory
    /// is managed, and elsewhere.
    var callKit: CallKitCodes {
        switch self {
        case .unknownCall, .alreadyEnded: (.unknown, .unknownCallUUID, .unknown, .unknownError)
        case .unknownProvider: (.unknown, .unknownCallProvider, .unknown, .unknownError)
        case .unknownPlugin: (.unknown, .unknown, .noExtensionFound, .unknownError)
        case .emptyTransaction: (.unknown, .emptyTransaction, .unknown, .invalidArgument)
        case .callUUIDAlreadyExists: (.callUUIDAlreadyExists, .callUUIDAlreadyExists, .unknown, .invalidArgument)
        case .maximumCallGroupsReached: (.unknown, .maximumCallGroupsReached, .unknown, .unknownError)
        case .limitsExceeded: (.unknown, .maximumCallGroupsReached, .maximumEntriesExceeded, .unknownError)
        case .emergencyInProgress: (.callIsProtected, .callIsProtected, .unknown, .unknownError)
        case .filteredByBlockList: (.filteredByBlockList, .unknown, .unknown, .unknownError)
        case .filteredByDoNotDisturb: (.filteredByDoNotDisturb, .unknown, .unknown, .unknownError)
        case .accessDenied: (.unentitled, .unentitled, .unknown, .unentitled)
        case .invalidArguments: (.unknown, .invalidAction, .unknown, .invalidArgument)
        case .invalidAction, .cannotHoldActiveCall, .outgoingCallInProgress, .notSameProvider, .notSupported:
            (.unknown, .invalidAction, .unknown, .unknownError)
        case .actionFailed, .actionTimedOut, .providerCrashed: (.unknown, .unknown, .unknown, .unknownError)
        }
    }
}

extension CXErrorTypeCode {
    init(_ error: ErrorCode) { self.init(busName: error.busName) }
}

extension CXErrorCodeIncomingCallError.Code {
    public init(busName: String) { self = ErrorCode(busName: busName)?.callKit.incoming ?? .unknown }

    public var busName: String? {
        switch self {
        case .unentitled: ErrorCode.accessDenied.busName
        case .callUUIDAlreadyExists: ErrorCode.callUUIDAlreadyExists.busName
        case .filteredByDoNotDisturb: ErrorCode.filteredByDoNotDisturb.busName
        case .filteredByBlockList: ErrorCode.filteredByBlockList.busName
        case .callIsProtected: ErrorCode.emergencyInProgress.busName
        case .unknown, .filteredDuringRestrictedSharingMode, .filteredBySensitiveParticipants: nil
        }
    }
}

extension CXErrorCodeRequestTransactionError.Code {
    public init(busName: String) { self = ErrorCode(busName: busName)?.callKit.request ?? .unknown }

    public var busName: String? {
        switch self {
        case .unknown: nil
        case .unentitled: ErrorCode.accessDenied.busName
        case .unknownCallProvider: ErrorCode.unknownProvider.busName
        case .emptyTransaction: ErrorCode.emptyTransaction.busName
        case .unknownCallUUID: ErrorCode.unknownCall.busName
        case .callUUIDAlreadyExists: ErrorCode.callUUIDAlreadyExists.busName
        case .invalidAction: ErrorCode.invalidAction.busName
        case .maximumCallGroupsReached: ErrorCode.maximumCallGroupsReached.busName
        case .callIsProtected: ErrorCode.emergencyInProgress.busName
        }
    }
}

extension CXErrorCodeCallDirectoryManagerError.Code {
    public init(busName: String) { self = ErrorCode(busName: busName)?.callKit.directory ?? .unknown }

    public var busName: String? {
        switch self {
        case .noExtensionFound: ErrorCode.unknownPlugin.busName
        case .maximumEntriesExceeded: ErrorCode.limitsExceeded.busName
        case .unknown, .loadingInterrupted, .entriesOutOfOrder, .duplicateEntries, .extensionDisabled,
            .currentlyLoading, .unexpectedIncrementalRemoval:
            nil
        }
    }
}

extension CXErrorCodeNotificationServiceExtensionError.Code {
    /// The bus knows no notification services.
    public init(busName: String) { self = .unknown }
    public var busName: String? { nil }
}

extension CXError.Code {
    public init(busName: String) { self = ErrorCode(busName: busName)?.callKit.other ?? .unknownError }

    public var busName: String? {
        switch self {
        case .unentitled: ErrorCode.accessDenied.busName
        case .invalidArgument: ErrorCode.invalidArguments.busName
        case .unknownError, .missingVoIPBackgroundMode: nil
        }
    }
}

extension CXErrorType {
    /// What the bus answered; errors that are not of the contract keep their names.
    init(_ error: DBusError) {
        self.init(Code(busName: error.name), message: error.message, busName: error.name)
    }
}
