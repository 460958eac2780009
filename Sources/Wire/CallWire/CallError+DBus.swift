// The refusals of the contract as D-Bus errors, and back.

public import CallModel
public import DBus

extension CallError: DBusErrorConvertible {
    public var dbusError: DBusError { DBusError(code.busName, messageAndReason) }

    /// - Returns: nil if `error` is not one of the contract's.
    public init?(_ error: DBusError) {
        guard let code = ErrorCode(busName: error.name) else { return nil }
        self.init(code, error.message)
    }
}
