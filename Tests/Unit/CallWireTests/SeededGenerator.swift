// Random values of what travels.

import CallModel
import TestSupport

extension SeededGenerator {
    private static let characters = Array("abcXYZ0189 .-_+@:/äßé漢字🙂\"'\\")

    mutating func flag() -> Bool { Bool.random(using: &self) }

    mutating func text(_ lengths: ClosedRange<Int>) -> String {
        let length = Int.random(in: lengths, using: &self)
        return String((0..<length).map { _ in Self.characters.randomElement(using: &self) ?? "?" })
    }

    mutating func optional<Value>(_ value: (inout Self) -> Value) -> Value? { flag() ? value(&self) : nil }

    mutating func one<Value>(of values: [Value], else other: Value) -> Value {
        values.randomElement(using: &self) ?? other
    }

    mutating func call() -> CallID { .random(using: &self) }

    mutating func handle() throws -> Handle {
        try Handle(type: one(of: HandleType.allCases, else: .generic), value: text(1...256))
    }

    mutating func update() throws -> CallUpdate {
        var update = CallUpdate()
        if flag() { update.remoteHandle = try handle() }
        update.localizedCallerName = optional { $0.text(0...256) }
        update.networkName = optional { $0.text(0...256) }
        if flag() { update.divertedBy = try handle() }
        if flag() { update.transferRequest = flag() ? .to(try handle()) : .withdrawn }
        update.verification = optional { $0.one(of: CallerVerification.allCases, else: .none) }
        update.image = optional { $0.text(0...40) }
        update.progress = optional { $0.one(of: CallProgress.allCases, else: .trying) }
        update.encryption = optional { $0.text(0...64).networkWord }
        update.codec = optional { $0.text(0...64).networkWord }
        update.quality = optional { generator in
            CallQuality(
                roundTrip: generator.optional { .random(in: 0...5000, using: &$0) },
                jitter: generator.optional { .random(in: 0...5000, using: &$0) },
                loss: generator.optional { .random(in: 0...1000, using: &$0) })
        }
        update.supportsHolding = optional { $0.flag() }
        update.canHoldNow = optional { $0.flag() }
        update.supportsGrouping = optional { $0.flag() }
        update.supportsUngrouping = optional { $0.flag() }
        update.supportsDTMF = optional { $0.flag() }
        update.hasVideo = optional { $0.flag() }
        update.remoteHeld = optional { $0.flag() }
        update.onHold = optional { $0.flag() }
        update.emergency = optional { $0.flag() }
        return update
    }

    mutating func configuration() -> ProviderConfiguration {
        var configuration = ProviderConfiguration()
        configuration.localizedName = text(0...256)
        configuration.supportedHandleTypes = HandleType.allCases.shuffled(using: &self).filter { _ in flag() }
        configuration.supportedSchemes = flag() ? ["sip", "tel"] : []
        configuration.key = flag() ? "line_1" : ""
        configuration.availability = Availability.allCases.randomElement(using: &self) ?? .online
        configuration.status = text(0...40)
        configuration.holdModel = HoldModel.allCases.randomElement(using: &self) ?? .swap
        configuration.desktopEntry = flag() ? "org.example.Phone" : ""
        configuration.supportsTransfer = flag()
        configuration.supportsHidingNumber = flag()
        configuration.supportsServiceCodes = flag()
        configuration.supportsVideo = flag()
        configuration.maximumCallGroups = UInt32.random(in: 0 ... .max, using: &self)
        configuration.maximumCallsPerCallGroup = UInt32.random(in: 0 ... .max, using: &self)
        configuration.includesCallsInRecents = flag()
        configuration.ringtoneSound = text(0...40)
        configuration.iconTemplateImage = (0..<Int.random(in: 0...2000, using: &self)).map {
            UInt8(truncatingIfNeeded: $0)
        }
        configuration.customActions = (0..<Int.random(in: 0...32, using: &self)).map {
            CustomAction(id: "action-\($0)", label: text(0...40), icon: "icon", isForCalls: $0 % 2 == 0)
        }
        configuration.emergencyNumbers = (0..<Int.random(in: 0...32, using: &self)).map { "\($0)" }
        return configuration
    }

    /// What a transaction can hold: an end has no reason there.
    mutating func requestedAction() throws -> CallAction {
        switch Int.random(in: 0..<9, using: &self) {
        case 0: .start(call(), try start())
        case 1: .answer(call())
        case 2: .end(call(), reason: "")
        case 3: .setHeld(call(), flag())
        case 4: .setMuted(call(), flag())
        case 5: .setGroup(call(), with: optional { $0.call() })
        case 6: .setTranslating(call(), flag(), Languages(local: "en-GB", remote: "zh_Hant-TW"))
        case 7: .setTranslating(call(), false, .open)
        default: .playDTMF(call(), digits: "12*#,;aD", tone: one(of: DTMFTone.allCases, else: .singleTone))
        }
    }

    /// What is read as it is written: not everything may stand in a number.
    private mutating func start() throws -> StartRequest {
        let generic = try Handle(type: .generic, value: text(1...256))
        let number = try Handle(type: .phoneNumber, value: "+46 (70) 174-06.05")
        var start = StartRequest(
            flag() ? generic : number, provider: optional { _ in ProviderID("Hotline") }.flatMap { $0 }, video: flag(),
            contact: text(0...64), postDial: flag() ? ",12#;3" : "")
        start.hidesNumber = optional { $0.flag() }
        return start
    }

    /// What a provider is asked: a start names no provider, an end may have a reason.
    mutating func performedAction() throws -> CallAction {
        switch try requestedAction() {
        case .start(let call, let start):
            var bare = StartRequest(start.handle, video: start.video, contact: start.contact)
            bare.hidesNumber = start.hidesNumber
            return .start(call, bare)
        case .end(let call, _): return .end(call, reason: text(0...20))
        case let action: return action
        }
    }
}
