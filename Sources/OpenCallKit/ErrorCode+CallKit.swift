// The one table from the contract's error names to CallKit's codes.

internal import CallModel
internal import DBus
internal import ProviderLink

extension ErrorCode {
    typealias CallKitCodes = (
        incoming: CXErrorCodeIncomingCallError.Code, request: CXErrorCodeRequestTransactionError.Code
    )

    /// What this refusal is called when an incoming call is reported, and when a transaction is requested.
    var callKit: CallKitCodes {
        switch self {
        case .unknownCall, .alreadyEnded: (.unknown, .unknownCallUUID)
        case .unknownProvider: (.unknown, .unknownCallProvider)
        case .emptyTransaction: (.unknown, .emptyTransaction)
        case .callUUIDAlreadyExists: (.callUUIDAlreadyExists, .callUUIDAlreadyExists)
        case .maximumCallGroupsReached, .limitsExceeded: (.unknown, .maximumCallGroupsReached)
        case .emergencyInProgress: (.callIsProtected, .callIsProtected)
        case .filteredByBlockList: (.filteredByBlockList, .unknown)
        case .filteredByDoNotDisturb: (.filteredByDoNotDisturb, .unknown)
        case .accessDenied: (.unentitled, .unentitled)
        case .invalidAction, .invalidArguments, .cannotHoldActiveCall, .outgoingCallInProgress, .notSameProvider,
            .notSupported:
            (.unknown, .invalidAction)
        case .unknownPlugin, .actionFailed, .actionTimedOut, .providerCrashed: (.unknown, .unknown)
        }
    }
}

extension CXErrorCodeIncomingCallError {
    init(_ error: CallError) { self.init(error.code.callKit.incoming, message: error.message) }

    init(_ error: DBusError) {
        if let refusal = CallError(error) { self.init(refusal) } else { self.init(.unknown, message: error.message) }
    }
}

extension CXErrorCodeRequestTransactionError {
    init(_ error: CallError) { self.init(error.code.callKit.request, message: error.message) }

    init(_ error: DBusError) {
        if let refusal = CallError(error) { self.init(refusal) } else { self.init(.unknown, message: error.message) }
    }
}
