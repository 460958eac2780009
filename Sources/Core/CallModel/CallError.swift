// The closed list of what can be refused, and the one type that carries it.

/// Error names; on the bus each is `org.opencallkit.Error.<name>`.
public enum ErrorCode: String, Sendable, Hashable, CaseIterable {
    case unknownCall = "UnknownCall"
    case unknownProvider = "UnknownProvider"
    case unknownPlugin = "UnknownPlugin"
    case emptyTransaction = "EmptyTransaction"
    case invalidAction = "InvalidAction"
    case invalidArguments = "InvalidArguments"
    case callUUIDAlreadyExists = "CallUUIDAlreadyExists"
    case maximumCallGroupsReached = "MaximumCallGroupsReached"
    case cannotHoldActiveCall = "CannotHoldActiveCall"
    case outgoingCallInProgress = "OutgoingCallInProgress"
    case notSameProvider = "NotSameProvider"
    case notSupported = "NotSupported"
    case actionFailed = "ActionFailed"
    case actionTimedOut = "ActionTimedOut"
    case providerCrashed = "ProviderCrashed"
    case alreadyEnded = "AlreadyEnded"
    case filteredByBlockList = "FilteredByBlockList"
    case filteredByDoNotDisturb = "FilteredByDoNotDisturb"
    case emergencyInProgress = "EmergencyInProgress"
    case accessDenied = "AccessDenied"
    case limitsExceeded = "LimitsExceeded"
    case storeUnavailable = "StoreUnavailable"
    case keyringLocked = "KeyringLocked"
    case keyringUnavailable = "KeyringUnavailable"
    case filteredDuringRestrictedSharingMode = "FilteredDuringRestrictedSharingMode"
    case filteredBySensitiveParticipants = "FilteredBySensitiveParticipants"
    case noExtensionFound = "NoExtensionFound"
    case loadingInterrupted = "LoadingInterrupted"
    case entriesOutOfOrder = "EntriesOutOfOrder"
    case duplicateEntries = "DuplicateEntries"
    case maximumEntriesExceeded = "MaximumEntriesExceeded"
    case extensionDisabled = "ExtensionDisabled"
    case currentlyLoading = "CurrentlyLoading"
    case unexpectedIncrementalRemoval = "UnexpectedIncrementalRemoval"

    public static let busPrefix = "org.opencallkit.Error."

    public var busName: String { Self.busPrefix + rawValue }

    public init?(busName: String) {
        guard busName.hasPrefix(Self.busPrefix) else { return nil }
        self.init(rawValue: String(busName.dropFirst(Self.busPrefix.count)))
    }
}

/// A refusal: which rule of the contract, and a text that names what was wrong, what was expected and which object.
public struct CallError: Error, Sendable, Hashable, CustomStringConvertible {
    public let code: ErrorCode
    public let message: String
    /// The provider's own words about it, shown to the caller only; empty if it gave none.
    public let reason: String

    public init(_ code: ErrorCode, _ message: String, reason: String = "") {
        self.code = code
        self.message = message
        self.reason = reason
    }

    /// The same, said of one action of a list, by its place from 1 and its kind: `action 2 of 3 (end): …`.
    public func ofAction(_ index: Int, of count: Int, _ kind: ActionKind?) -> CallError {
        let name = kind.map { " (\($0.rawValue))" } ?? ""
        return CallError(code, "action \(index + 1) of \(count)\(name): \(message)", reason: reason)
    }

    /// The message, with the provider's words behind it.
    public var messageAndReason: String { reason.isEmpty ? message : "\(message): \(reason)" }

    /// Without the provider's words.
    public var description: String { "\(code.rawValue): \(message)" }
}
