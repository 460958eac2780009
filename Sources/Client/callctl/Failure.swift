// Why a command failed: one exit code, one text.

import CallModel
import DBus

/// The error that all commands throw. `message` follows "callctl: " on stderr; it may have several lines.
struct Failure: Error, Equatable {
    let outcome: CallctlExit
    let message: String

    init(_ outcome: CallctlExit, _ message: String) {
        self.outcome = outcome
        self.message = message
    }

    /// Creates a refusal that callctl detects itself, printed like a refusal of the daemon.
    init(_ error: CallError) { self.init(.refused, error.description) }

    /// Creates a failure from an error reply or a missing reply. `outOfTime` is true if the time limit had passed: the
    /// bus also replies NoReply when the daemon leaves it during a call.
    init(_ error: DBusError, of service: BusService = .daemon, outOfTime: Bool) {
        let text = "\(Self.shortName(of: error.name)): \(error.message)"
        switch error.name {
        case DBusError.Name.noReply, DBusError.Name.timeout, "org.freedesktop.DBus.Error.TimedOut":
            self =
                outOfTime
                ? Failure(.timedOut, text) : Failure(.unreachable, "\(service.program) has gone: \(error.message)")
        case DBusError.Name.disconnected:
            self.init(.unreachable, "the bus has gone: \(error.message)")
        case DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner:
            self.init(.unreachable, "\(service.program) is not running: \(error.message)")
        case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
            self.init(.unreachable, "\(service.program) could not be started: \(error.message)")
        case DBusError.Name.unknownObject:
            self.init(.unknown, text)
        case let name:
            switch ErrorCode(busName: name) {
            case .unknownCall, .unknownProvider, .unknownPlugin, .noExtensionFound: self.init(.unknown, text)
            default: self.init(.refused, text)
            }
        }
    }

    /// Whether the daemon refused with this error.
    func isAbout(_ code: ErrorCode) -> Bool {
        outcome == .refused && message.hasPrefix("\(Self.shortName(of: code.busName)): ")
    }

    /// Whether no provider takes what was to be called.
    var isForWantOfProvider: Bool {
        message.hasPrefix("\(Self.shortName(of: ErrorCode.unknownProvider.busName)): ")
            || isAbout(.invalidArguments) && message.contains("no provider takes")
    }

    static func unreachableBus(_ error: DBusError) -> Failure {
        Failure(.unreachable, "no bus: \(error.message)")
    }

    private static func shortName(of name: String) -> String {
        for prefix in [ErrorCode.busPrefix, "org.freedesktop.DBus.Error."] where name.hasPrefix(prefix) {
            return String(name.dropFirst(prefix.count))
        }
        return name
    }
}
