// Errors of the bus as exit codes.

import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct FailureTests {
    @Test func refusalsKeepTheirNames() {
        let error = DBusError("org.opencallkit.Error.MaximumCallGroupsReached", "Hotline has 2 of 2")
        #expect(
            Failure(error, outOfTime: false) == Failure(.refused, "MaximumCallGroupsReached: Hotline has 2 of 2"))
    }

    @Test func everyErrorOfTheContractIsARefusalOrUnknown() {
        for code in ErrorCode.allCases {
            let outcome = Failure(DBusError(code.busName, "x"), outOfTime: false).outcome
            let isUnknown = [.unknownCall, .unknownProvider, .unknownPlugin, .noExtensionFound].contains(code)
            #expect(outcome == (isUnknown ? .unknown : .refused), "\(code)")
        }
    }

    @Test(arguments: [
        ("org.freedesktop.DBus.Error.ServiceUnknown", CallctlExit.unreachable),
        ("org.freedesktop.DBus.Error.NameHasNoOwner", .unreachable),
        ("org.freedesktop.DBus.Error.Spawn.ChildExited", .unreachable),
        ("org.freedesktop.DBus.Error.Disconnected", .unreachable),
        ("org.freedesktop.DBus.Error.UnknownObject", .unknown),
        ("org.freedesktop.DBus.Error.AccessDenied", .refused),
        ("org.freedesktop.DBus.Error.UnknownMethod", .refused),
        ("com.example.Odd", .refused),
    ])
    func errorsOfTheBus(name: String, outcome: CallctlExit) {
        #expect(Failure(DBusError(name, "x"), outOfTime: false).outcome == outcome)
    }

    @Test func noReplyIsATimeOutOnlyIfTheTimeIsUp() {
        let error = DBusError(DBusError.Name.noReply, "x")
        #expect(Failure(error, outOfTime: true).outcome == .timedOut)
        #expect(Failure(error, outOfTime: false).outcome == .unreachable)
    }
}
