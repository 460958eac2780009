// What a push registry's delegate is told: the type of a message, the message, the token.

/// A type of push message (PushKit: PKPushType).
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Messages about calls.
    public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
    /// Messages about changes of files.
    public static let fileProvider = PKPushType(rawValue: "PKPushTypeFileProvider")
}

/// A push message (PushKit: PKPushPayload).
public final class PKPushPayload {
    /// The type of the message.
    public let type: PKPushType
    /// The contents of the message.
    public let dictionaryPayload: [AnyHashable: Any]

    /// Creates a message from what the app's own connection received, for the methods of ``PKPushRegistryDelegate``. Not
    /// in PushKit, where only the system creates messages.
    public init(dictionaryPayload: [AnyHashable: Any], type: PKPushType = .voIP) {
        self.dictionaryPayload = dictionaryPayload
        self.type = type
    }
}

/// A token for push messages (PushKit: PKPushCredentials). Linux has no push service, hence no object of this class.
public final class PKPushCredentials {
    /// The type of messages that the token is for.
    public let type: PKPushType
    /// The token.
    public let token: Data

    private init(type: PKPushType, token: Data) {
        self.type = type
        self.token = token
    }
}
