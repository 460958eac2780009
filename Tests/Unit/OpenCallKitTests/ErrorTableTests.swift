// CallKit's codes and the contract's names: one table, both ways.

import CallModel
import DBus
import Foundation
import Testing

@testable import OpenCallKit

@Suite struct ErrorTableTests {
    /// A name from the bus is kept, and has the code in the table of docs/parity.md, which another test compares.
    @Test(arguments: ErrorCode.allCases) func fromTheBus(error: ErrorCode) {
        func check<Failure: CXErrorType>(_ type: Failure.Type) {
            let (code, failure) = (Failure.Code(busName: error.busName), Failure(DBusError(error.busName, "because")))
            #expect(failure.code == code && failure.busName == error.busName && failure.message == "because")
            #expect(Failure(CallError(error, "because")) == failure)
            #expect(failure.errorCode == code.rawValue && failure.description.contains("because"))
        }
        check(CXErrorCodeIncomingCallError.self)
        check(CXErrorCodeRequestTransactionError.self)
        check(CXErrorCodeCallDirectoryManagerError.self)
        check(CXErrorCodeNotificationServiceExtensionError.self)
        check(CXError.self)
    }

    /// Each code has a name, and the name has that code, or an earlier one: what only iOS refuses shares a name.
    @Test func toTheBus() {
        func check<Failure: CXErrorType>(_ type: Failure.Type) {
            for code in Failure.Code.allCases {
                #expect(ErrorCode(busName: code.busName) != nil, "\(code)")
                #expect(Failure(code).busName == code.busName)
                let first = Failure.Code.allCases.first { $0.busName == code.busName }
                #expect(Failure.Code(busName: code.busName) == first)
                #expect(Failure(DBusError(code.busName, "")).code == first)
            }
        }
        check(CXErrorCodeIncomingCallError.self)
        check(CXErrorCodeRequestTransactionError.self)
        check(CXErrorCodeCallDirectoryManagerError.self)
        check(CXErrorCodeNotificationServiceExtensionError.self)
        check(CXError.self)
    }

    /// Errors as `NSError`, as code for iOS uses them.
    @Test func asFoundationShowsThem() {
        func check<Failure: CXErrorType>(_ type: Failure.Type) {
            for code in Failure.Code.allCases {
                let error = Failure(code) as any Error as NSError
                #expect(error.domain == Failure.errorDomain && error.code == code.rawValue)
            }
        }
        check(CXErrorCodeIncomingCallError.self)
        check(CXErrorCodeRequestTransactionError.self)
        check(CXErrorCodeCallDirectoryManagerError.self)
        check(CXErrorCodeNotificationServiceExtensionError.self)
        check(CXError.self)
    }

    /// The bus may have a policy that forbids what the daemon would allow.
    @Test func theBusRefusesToo() {
        let refusal = DBusError(DBusError.Name.accessDenied, "rejected send message")
        #expect(CXErrorCodeIncomingCallError(refusal).code == .unentitled)
        #expect(CXErrorCodeRequestTransactionError(refusal).code == .unentitled)
        #expect(CXError(refusal).code == .unentitled)
        #expect(CXError(refusal).busName == DBusError.Name.accessDenied)
    }

    @Test func strangersNamesAreUnknown() {
        let error = CXErrorCodeRequestTransactionError(DBusError("org.example.Odd", "odd"))
        #expect(error.code == .unknown && error.busName == "org.example.Odd")
    }

    /// `catch` finds the code, in its own domain only.
    @Test func codesMatchErrors() {
        let error: any Error = CXErrorCodeRequestTransactionError(.unentitled)
        #expect(CXErrorCodeRequestTransactionError.unentitled ~= error)
        #expect(!(CXErrorCodeRequestTransactionError.unknown ~= error))
        #expect(!(CXErrorCodeIncomingCallError.unentitled ~= error))
        #expect(!(CXError.unentitled ~= DBusError("org.example.Odd", "odd")))
    }

    /// The raw values are CallKit's: 33 cases in 5 domains.
    @Test func rawValues() {
        func check<Code: CXErrorTypeCode>(_ type: Code.Type, _ names: [String]) {
            #expect(Code.allCases.map { "\($0)" } == names)
            #expect(Code.allCases.map(\.rawValue) == Array(names.indices))
        }
        check(CXError.Code.self, ["unknownError", "unentitled", "invalidArgument", "missingVoIPBackgroundMode"])
        check(
            CXErrorCodeIncomingCallError.Code.self,
            [
                "unknown", "unentitled", "callUUIDAlreadyExists", "filteredByDoNotDisturb", "filteredByBlockList",
                "filteredDuringRestrictedSharingMode", "callIsProtected", "filteredBySensitiveParticipants",
            ])
        check(
            CXErrorCodeRequestTransactionError.Code.self,
            [
                "unknown", "unentitled", "unknownCallProvider", "emptyTransaction", "unknownCallUUID",
                "callUUIDAlreadyExists", "invalidAction", "maximumCallGroupsReached", "callIsProtected",
            ])
        check(
            CXErrorCodeCallDirectoryManagerError.Code.self,
            [
                "unknown", "noExtensionFound", "loadingInterrupted", "entriesOutOfOrder", "duplicateEntries",
                "maximumEntriesExceeded", "extensionDisabled", "currentlyLoading", "unexpectedIncrementalRemoval",
            ])
        check(
            CXErrorCodeNotificationServiceExtensionError.Code.self,
            ["unknown", "invalidClientProcess", "missingNotificationFilteringEntitlement"])
        #expect(
            [
                CXErrorDomain, CXErrorDomainIncomingCall, CXErrorDomainRequestTransaction,
                CXErrorDomainCallDirectoryManager, CXErrorDomainNotificationServiceExtension,
            ].map { $0.split(separator: ".").last ?? "" }
                == [
                    "error", "incomingcall", "requesttransaction", "calldirectorymanager",
                    "notificationserviceextension",
                ])
    }
}
