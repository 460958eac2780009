// CXHandle: the address of a call's other party.

package import CallModel

/// A typed address of the other party of a call (CallKit: CXHandle).
public final class CXHandle: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The type of a handle's address (CallKit: CXHandle.HandleType).
    public enum HandleType: Int, Sendable, Hashable, CaseIterable, Codable {
        /// Any other address, such as a user name or a SIP address.
        case generic = 1
        /// A telephone number, in any notation.
        case phoneNumber = 2
        /// An e-mail address.
        case emailAddress = 3
    }

    /// The type of the address.
    public let type: HandleType
    /// The address: 1 to 256 characters without control and bidirectional-override characters. Using an invalid value
    /// in a request or a report fails.
    public let value: String

    /// Creates a handle. The value is checked when the handle is used.
    /// - Parameters:
    ///   - type: the type of the address.
    ///   - value: the address: 1 to 256 characters without control and bidirectional-override characters.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
    }

    /// Returns the text of a phone number without visual separators, spaces and invisible characters. Digits of any script
    /// become ASCII digits. The system reads all numbers in this way. Not in CallKit.
    public static func plainPhoneNumber(_ text: String) -> String { text.withoutNumberFormatting }

    /// Whether it is a service code such as `*100#`, which a network obeys instead of calling it (3GPP TS 22.030, 6.5). The system
    /// starts no call with it. Not in CallKit.
    public var isServiceCode: Bool { (try? model())?.isServiceCode ?? false }

    /// Returns whether both handles have the same type and value, character by character.
    public func isEqual(to handle: CXHandle) -> Bool { self == handle }

    public static func == (one: CXHandle, other: CXHandle) -> Bool {
        one.type == other.type && one.value == other.value
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(value)
    }

    public var description: String { "\(type.name):\(value)" }
}

extension CXHandle.HandleType {
    init(_ type: CallModel.HandleType) {
        switch type {
        case .generic: self = .generic
        case .phoneNumber: self = .phoneNumber
        case .emailAddress: self = .emailAddress
        }
    }

    var model: CallModel.HandleType {
        switch self {
        case .generic: .generic
        case .phoneNumber: .phoneNumber
        case .emailAddress: .emailAddress
        }
    }
}

extension CXHandle {
    package convenience init(_ handle: Handle) {
        self.init(type: HandleType(handle.type), value: handle.value)
    }

    /// - Throws: `InvalidArguments` for an invalid value.
    func model() throws(CallError) -> Handle { try Handle(type: type.model, value: value) }
}

extension CXHandle.HandleType {
    /// Creates the type with this name on the bus: `generic`, `phone-number` or `email-address`. Not in CallKit.
    public init?(name: String) {
        guard let type = CallModel.HandleType(rawValue: name) else { return nil }
        self.init(type)
    }

    /// The name on the bus. Not in CallKit.
    public var name: String { model.rawValue }
}
