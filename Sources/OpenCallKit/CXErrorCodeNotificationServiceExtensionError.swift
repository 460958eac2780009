// CXErrorCodeNotificationServiceExtensionError: why a push message is no call.

public let CXErrorDomainNotificationServiceExtension = "com.apple.CallKit.error.notificationserviceextension"

/// Why a push message was not turned into a call.
public struct CXErrorCodeNotificationServiceExtensionError: CXErrorType {
    public enum Code: Int, CXErrorTypeCode {
        public typealias Failure = CXErrorCodeNotificationServiceExtensionError

        case unknown = 0
        /// Only a notification service extension may do it. There are none on this system.
        case invalidClientProcess = 1
        case missingNotificationFilteringEntitlement = 2
    }

    public static var errorDomain: String { CXErrorDomainNotificationServiceExtension }
    public static let unknown = Code.unknown
    public static let invalidClientProcess = Code.invalidClientProcess
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
