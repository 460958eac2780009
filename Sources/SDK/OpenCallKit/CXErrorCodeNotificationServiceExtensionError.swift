// CXErrorCodeNotificationServiceExtensionError: why a push message is no call.

/// The domain of ``CXErrorCodeNotificationServiceExtensionError``.
public let CXErrorDomainNotificationServiceExtension = "com.apple.CallKit.error.notificationserviceextension"

/// Why a push message was not turned into a call (CallKit:
/// CXErrorCodeNotificationServiceExtensionError).
public struct CXErrorCodeNotificationServiceExtensionError: CXErrorType {
    /// The codes of ``CXErrorCodeNotificationServiceExtensionError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// The error that has such a code.
        public typealias Failure = CXErrorCodeNotificationServiceExtensionError

        /// None of the others.
        case unknown = 0
        /// Only a notification service extension may do it. There are none on this system.
        case invalidClientProcess = 1
        /// On telephones, an extension without the entitlement. There are none on this system.
        case missingNotificationFilteringEntitlement = 2
    }

    public static var errorDomain: String { CXErrorDomainNotificationServiceExtension }
    /// Short for `Code.unknown`.
    public static let unknown = Code.unknown
    /// Short for `Code.invalidClientProcess`.
    public static let invalidClientProcess = Code.invalidClientProcess
    /// Short for `Code.missingNotificationFilteringEntitlement`.
    public static let missingNotificationFilteringEntitlement = Code.missingNotificationFilteringEntitlement

    public let code: Code
    public let message: String
    public let busName: String

    public init(_ code: Code, message: String, busName: String) {
        self.code = code
        self.message = message
        self.busName = busName
    }
}
