// What a modem tells, and what is made of it.

import DBus
import OpenCallKit
import Testing

@testable import MobileNetwork

@Suite struct ModemTests {
    private func call(_ id: String, _ phase: MobileCall.Phase, conference: Bool = false) -> MobileCall {
        MobileCall(id: id, isOutgoing: false, phase: phase, number: "", isMultiparty: conference)
    }

    @Test func ofTwoThatAreHeardTheOneBeforeIsBelieved() {
        let list = [call("a", .active), call("b", .active)]
        #expect(BelievableCalls(list, heard: ["b"]).calls.map(\.phase) == [.held, .active])
        #expect(BelievableCalls(list, heard: []).calls.map(\.phase) == [.active, .held])
        #expect(!BelievableCalls(list, heard: []).isWhole)
    }

    @Test func aConferenceIsHeardAsAWhole() {
        let list = [call("a", .active, conference: true), call("b", .active, conference: true), call("c", .active)]
        #expect(BelievableCalls(Array(list[..<2]), heard: []).isWhole)
        #expect(BelievableCalls(list, heard: ["b"]).calls.map(\.phase) == [.active, .active, .held])
        #expect(BelievableCalls(list, heard: ["c"]).calls.map(\.phase) == [.held, .held, .active])
    }

    @Test func listsAreBounded() {
        let many = (0..<100).map { call("\($0)", .waiting) } + [call("0", .active)]
        let believed = BelievableCalls(many, heard: [])
        #expect(believed.calls.count == MobileCall.maximum && !believed.isWhole)
        #expect(BelievableCalls([call("a", .held), call("a", .active)], heard: []).calls == [call("a", .held)])
    }

    @Test(arguments: [
        ("+46 (0)70-123.45 67", "+460701234567"), ("112", "112"), ("*98", "*98"), ("*100#", nil), ("#31#070", nil),
        ("*21*070", nil), ("100#", nil), ("0701740605#", nil), ("112#", nil), ("１００", nil), ("**620", nil),
        ("*400#12", nil), ("", nil), ("+", nil),
        ("123;+CHLD=4", nil), ("12\r\nATH", nil), ("alice", nil), ("1+2", nil),
        (String(repeating: "1", count: 65), nil),
    ])
    func onlyDigitsAreDialed(_ number: String, _ dialed: String?) {
        #expect(PhoneDigits.dialable(number) == dialed)
    }

    @Test func whatOfonoObeysItselfIsToldInWords() {
        let values = Variant.structure([
            .string("interrogation"), Variant(["VoiceCallWaiting": Variant.string("enabled")]),
        ])
        #expect(
            OfonoServiceResult.text(of: values, "CallWaiting")
                == "Call waiting\ninterrogation\nVoice call waiting: enabled")
        #expect(OfonoServiceResult.text(of: .string("12,50"), "USSD") == "12,50")
        let deep = (0..<1_000).reduce(Variant.string("a")) { value, _ in .variant(value) }
        #expect(OfonoServiceResult.text(of: deep, "USSD") == "USSD")
        let wide = Variant.structure(Array(repeating: .string("a"), count: 10_000))
        #expect(OfonoServiceResult.text(of: wide, "CallBarring").count < 200)
    }

    @Test func tones() {
        #expect(["1", "99"].allSatisfy(PhoneDigits.areObeyedInCall) && !PhoneDigits.areObeyedInCall("112"))
        #expect(PhoneDigits.tones("1*#d,;") == ["1", "*", "#", "D", ",", ","])
        #expect(PhoneDigits.untilPause("12;3,4") == ("12", ";3,4"))
        #expect(PhoneDigits.untilPause("12") == ("12", ""))
        #expect(PhoneDigits.tones("1\"\r") == nil)
    }

    private func condition(
        _ state: Int32, failed: UInt32 = 0, lock: UInt32 = 1, power: UInt32 = 3, registration: UInt32 = 1,
        emergency: Bool = false
    ) -> String {
        let condition = ModemCondition(
            modem: [
                ModemManagerName.modem: [
                    "State": .int32(state), "StateFailedReason": .uint32(failed), "UnlockRequired": .uint32(lock),
                    "PowerState": .uint32(power),
                ],
                ModemManagerName.modem3GPP: ["RegistrationState": .uint32(registration)],
                ModemManagerName.voice: ["EmergencyOnly": .bool(emergency)],
            ], sim: [:])
        return "\(condition.availability.rawValue): \(condition.status)"
    }

    @Test func conditions() {
        #expect(condition(-1, failed: 2) == "emergency-only: There is no SIM card")
        #expect(condition(-1, failed: 3) == "emergency-only: The SIM card does not work")
        #expect(condition(-1, failed: 1) == "offline: The modem does not work")
        #expect(condition(1) == "connecting: The modem is starting")
        #expect(condition(2, lock: 2) == "emergency-only: The SIM card asks for its PIN")
        #expect(condition(2, lock: 4) == "emergency-only: The SIM card is locked")
        #expect(condition(3) == "offline: The modem is not turned on")
        #expect(condition(3, power: 2) == "offline: The modem is off, as in airplane mode")
        #expect(condition(5) == "connecting: The modem is being turned on")
        #expect(condition(7, registration: 2) == "connecting: The modem is looking for a network")
        #expect(condition(6, registration: 3) == "unauthorized: The network refuses the SIM card")
        #expect(condition(6, registration: 3, emergency: true) == "emergency-only: The network refuses the SIM card")
        #expect(condition(6, registration: 0) == "offline: There is no mobile network")
        #expect(condition(8) == "online: ")
        #expect(condition(11) == "online: ")
        #expect(condition(8, emergency: true) == "emergency-only: Only emergency calls are possible")
        #expect(condition(77) == "connecting: The modem is starting")
        let wrong = ModemCondition(
            modem: [ModemManagerName.modem: ["State": .string("x")]], sim: ["EmergencyNumbers": 7])
        #expect(wrong.availability == .connecting && wrong.allEmergencyNumbers == ["112", "911"])
    }

    @Test func emergencyNumbers() {
        let numbers = ["911", "08", "", String(repeating: "9", count: 99)] + (0..<100).map { "9\($0)" }
        let condition = ModemCondition(availability: .online, status: "", emergencyNumbers: numbers)
        #expect(Array(condition.allEmergencyNumbers.prefix(3)) == ["112", "911", "08"])
        #expect(condition.allEmergencyNumbers.count == ModemCondition.maximumNumbers)
    }

    @Test func ends() {
        func end(_ isOutgoing: Bool, _ wasConnected: Bool, _ cause: EndCause) -> String {
            let end = ReportedEnd(isOutgoing: isOutgoing, wasConnected: wasConnected, cause: cause)
            return "\(end.reason.name) \(end.detail?.rawValue ?? "")"
        }
        #expect(end(false, false, .ended) == "unanswered ")
        #expect(end(false, true, .ended) == "remote-ended ")
        #expect(end(true, false, .ended) == "unanswered ")
        #expect(end(true, false, .refusedOrBusy) == "remote-ended busy")
        #expect(end(true, false, .notReached) == "failed ")
        #expect(end(true, true, .networkFailed) == "failed network")
        #expect(end(false, true, .modemGone) == "failed network")
        #expect(end(true, true, .unknown) == "remote-ended ")
        #expect(ModemManagerCallReason.error.cause(wasConnected: false) == .notReached)
        #expect(ModemManagerCallReason.error.cause(wasConnected: true) == .networkFailed)
        #expect(ModemManagerCallReason.refusedOrBusy.cause(wasConnected: false) == .refusedOrBusy)
    }

    @Test func failures() {
        let service = ModemManagerName.service
        #expect(ModemFailure(DBusError("\(service).Error.Core.Connected", "forced close")) == .gone)
        #expect(ModemFailure(DBusError("\(service).Error.Serial.NotOpen", "")) == .gone)
        let closed = "Failed to open serial port: 'Could not open serial device ttyUSB2: it has been forced close'"
        #expect(ModemFailure(DBusError("\(service).Error.Core.Failed", closed)) == .gone)
        #expect(ModemFailure(DBusError(DBusError.Name.serviceUnknown, "")) == .gone)
        #expect(ModemFailure(DBusError("\(service).Error.Connection.Busy", "")) == .notReached(.refusedOrBusy))
        #expect(ModemFailure(DBusError("\(service).Error.Connection.NoDialtone", "")) == .notReached(.notReached))
        #expect(ModemFailure(DBusError("\(service).Error.Core.Failed", "a\nb")) == .refused("ab"))
        #expect(StableKey.of("a", "b") == StableKey.of("a", "b") && StableKey.of("a", "b") != StableKey.of("ab", ""))
        #expect(StableKey.of("").count == 16)
    }
}
