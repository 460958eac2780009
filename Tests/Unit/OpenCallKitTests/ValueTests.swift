// Values that need no host.

import CallModel
import CallWire
import DBus
import OpenCallKitTestKit
import Testing

@testable import OpenCallKit

@Suite struct ValueTests {
    @Test func identifiers() throws {
        let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(CallID(uuid).description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(UUID(CallID(uuid)) == uuid)
    }

    @Test func dates() {
        #expect(Date(timeIntervalSince1970: 1.5).wire == 1_500_000)
        #expect(Date(timeIntervalSince1970: -1).wire == 0)
        #expect(Date.distantPast.wire == 0)
        #expect(Date(timeIntervalSince1970: .infinity).wire == 0)
        #expect(Date(timeIntervalSince1970: .nan).wire == 0)
        #expect(Date(wire: .max) > .distantFuture)
    }

    @Test func limitsOfConfigurations() {
        let configuration = CXProviderConfiguration(localizedName: "a")
        configuration.maximumCallGroups = -1
        configuration.maximumCallsPerCallGroup = .max
        #expect(configuration.model.maximumCallGroups == 0)
        #expect(configuration.model.maximumCallsPerCallGroup == .max)
    }

    @Test func unsetUpdateSaysNothing() throws {
        let update = CXCallUpdate()
        #expect(update.supportsHolding && update.supportsGrouping && update.supportsUngrouping && update.supportsDTMF)
        #expect(!update.hasVideo)
        #expect(try update.model() == CallUpdate())
    }

    @Test func rawValues() {
        #expect(CXCallEndedReason.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
        #expect(CXHandle.HandleType.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(CXPlayDTMFCallAction.ActionType.allCases.map(\.rawValue) == [1, 2, 3])
        #expect(CXTranslationEngine.allCases.map(\.rawValue) == [0, 1])
        #expect(CXCallDirectoryManager.EnabledStatus.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(CXCallDirectoryPhoneNumberMax == Int64.max - 1)
        #expect(CXCall.State.allCases.map(\.rawValue) == CallState.allCases.map(\.rawValue))
    }

    @Test func objectsAreEqualToThemselvesAndHandlesByValue() {
        let (one, other) = (CXAnswerCallAction(call: UUID()), CXAnswerCallAction(call: UUID()))
        #expect(one == one && one != other && Set<CXAction>([one, other, one]).count == 2)
        #expect(CXTransaction(action: one) != CXTransaction(action: one))
        #expect(CXCallUpdate() != CXCallUpdate())
        let handle = CXHandle(type: .generic, value: "a")
        #expect(handle == CXHandle(type: .generic, value: "a") && handle.isEqual(to: handle))
        #expect(handle != CXHandle(type: .emailAddress, value: "a"))
    }

    @Test func aTranslationIsAnswered() {
        let action = CXSetTranslatingCallAction(
            call: UUID(), isTranslating: true, localLanguage: "en-GB", remoteLanguage: "sv")
        action.fulfill(using: .custom)
        #expect(action.isComplete && action.localLanguage == "en-GB" && action.remoteLanguage == "sv")
    }

    @Test func callsAreEqualIfTheyTellTheSame() {
        var call = PublishedCall(CallID(high: 1, low: 2))
        call.update(["State": .string("ringing"), "Direction": .string("incoming")])
        let (one, same) = (CXCall(call), CXCall(call))
        #expect(one == same && one.isEqual(to: same) && one.hashValue == same.hashValue)
        call.update(["State": .string("active"), "ConnectedAt": .uint64(7), "HeldBy": .bool(true)])
        let later = CXCall(call)
        #expect(one != later && later.uuid == one.uuid && later.state == .active && !later.isOnHold)
        call.update(["State": .string("held"), "HeldBy": .string("a holder of the future")])
        #expect(CXCall(call).isOnHold)
        call.update(["State": .string("a word of the future"), "EndedAt": .uint64(9)])
        #expect(CXCall(call).state == .ended)
    }

    @Test func whatIsDecodedIsOpenOrComplete() throws {
        let call = UUID()
        let action = CXSetHeldCallAction(call: call, onHold: true)
        func copy() throws -> CXSetHeldCallAction {
            try JSONDecoder().decode(CXSetHeldCallAction.self, from: JSONEncoder().encode(action))
        }
        let open = try copy()
        #expect(open.callUUID == call && open.uuid == action.uuid && open.isOnHold && !open.isComplete)
        #expect(open.timeoutDate == action.timeoutDate)
        action.fulfill()
        #expect(try copy().isComplete)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                CXTransaction.self,
                from: Data(#"{"uuid":"\#(call.uuidString)","actions":[{"kind":"dance","action":{}}]}"#.utf8))
        }
    }

    @Test func errorsCanBeMatched() {
        func code(_ error: any Error) -> String {
            do {
                throw error
            } catch CXErrorCodeIncomingCallError.filteredByBlockList {
                return "blocked"
            } catch CXErrorCodeRequestTransactionError.unknownCallUUID {
                return "unknown call"
            } catch {
                return "other"
            }
        }
        #expect(code(CXErrorCodeIncomingCallError(.filteredByBlockList)) == "blocked")
        #expect(code(CXErrorCodeIncomingCallError(.unknown)) == "other")
        #expect(code(CXErrorCodeRequestTransactionError(.unknownCallUUID)) == "unknown call")
        #expect(CXErrorCodeIncomingCallError.errorDomain != CXErrorCodeRequestTransactionError.errorDomain)
    }

    @Test func audioPreferences() async throws {
        try await TestHost.run { _ in
            let session = AVAudioSession.sharedInstance()
            try session.setPreferredSampleRate(16_000)
            try session.setPreferredIOBufferDuration(0.005)
            #expect(session.preferredSampleRate == 16_000)
            #expect(session.preferredIOBufferDuration == 0.005)
            #expect(throws: CXError.self) { try session.setPreferredSampleRate(-1) }
            #expect(throws: CXError.self) { try session.setPreferredIOBufferDuration(.nan) }
        }
    }

    @Test func noteSaysWhatThisIs() {
        let words = PluginNoteSection.section
        let name = [words.3, words.4, words.5].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        #expect(name == Array("OpenCallKit".utf8) + [0])
        #expect((words.0, words.1, words.2) == (12, 24, 1))
        #expect(words.6 == Contract.protocolVersion)
        #expect((words.7, words.8, words.9) == OpenCallKitVersion.numbers)
    }
}
