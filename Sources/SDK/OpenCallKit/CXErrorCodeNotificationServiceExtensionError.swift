// CXErrorCodeNotificationServiceExtensionError: why a push message cannot become a call.

/// The domain of ``CXErrorCodeNotificationServiceExtensionError``.
public let CXErrorDomainNotificationServiceExtension = "com.apple.CallKit.error.notificationserviceextension"

/// Why a push message cannot be turned into a call (CallKit:
/// CXErrorCodeNotificationServiceExtensionError).
public struct CXErrorCodeNotificationServiceExtensionError: CXErrorType {
    /// The codes of ``CXErrorCodeNotificationServiceExtensionError``, with CallKit's raw values.
    public enum Code: Int, CXErrorTypeCode {
        /// Another error.
        case unknown = 0
        /// The process is not a notification service extension. This system has none.
        case invalidClientProcess = 1
        /// On iOS, the extension lacks the entitlement. This system has no such extensions.
        case missingNotificationFilteringEntitlement = 2
    }

    public static var errorDomain: String { CXErrorDomainNotificationServiceExtension }
    /// Short for `Code.unknown`.
    public static let unknown = Code.unknown
    /// Short for `Code.invalidClientProcess`.
    public static let invalidClientProcess = Code.invalidClientProcess
    /// Short for `Code.missingNotificationFilteringEntitlement`.
    public static let missingNotificationFilteringEntitlement = Code.missingNotificationFilteringEntitlement

    public let details: CXErrorDetails<Code>
    public init(_ details: CXErrorDetails<Code>) { self.details = details }
}
