// CXHandle: how a person is reached.

internal import CallModel

/// A typed address of the other party of a call (CallKit: CXHandle).
public final class CXHandle: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What sort of address a handle has (CallKit: CXHandle.HandleType).
    public enum HandleType: Int, Sendable, Hashable, CaseIterable, Codable {
        /// Anything that is neither of the others, such as a user name or a SIP address.
        case generic = 1
        /// A telephone number, in any notation.
        case phoneNumber = 2
        /// An e-mail address.
        case emailAddress = 3
    }

    /// What sort of address `value` is.
    public let type: HandleType
    /// 1 to 256 characters without control and bidirectional-override characters; anything else is refused when it is
    /// used.
    public let value: String

    /// Makes a handle. Nothing is checked here.
    /// - Parameters:
    ///   - type: what sort of address it is.
    ///   - value: the address, as the property says.
    public init(type: HandleType, value: String) {
        self.type = type
        self.value = value
    }

    /// Whether both have the same type and value, character by character.
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
    convenience init(_ handle: Handle) {
        self.init(type: HandleType(handle.type), value: handle.value)
    }

    /// - Throws: `InvalidArguments` for a value that is not acceptable.
    func model() throws(CallError) -> Handle { try Handle(type: type.model, value: value) }
}

extension CXHandle.HandleType {
    /// The type of this name on the bus: `generic`, `phone-number` or `email-address`. Not in CallKit.
    public init?(name: String) {
        guard let type = CallModel.HandleType(rawValue: name) else { return nil }
        self.init(type)
    }

    /// The name on the bus. Not in CallKit.
    public var name: String { model.rawValue }
}
