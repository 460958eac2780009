// The text form of reports and of what they carry.

import CallCore
import CallModel

extension Report {
    func text(by provider: ProviderID) -> String {
        func date(_ at: WallTime) -> String { at == 0 ? "" : " at=\(at)" }
        return switch self {
        case .incoming(let call, let update): "incoming \(provider) \(call.scenarioText)\(update.text)"
        case .ongoing(let call, let ongoing, let update):
            "ongoing \(provider) \(call.scenarioText) direction=\(ongoing.direction.rawValue) state=\(ongoing.state.rawValue)"
                + (ongoing.since == 0 ? "" : " since=\(ongoing.since)") + update.text
        case .updated(let call, let update): "update \(provider) \(call.scenarioText)\(update.text)"
        case .ended(let call, let at, let reason, let network):
            "ended \(provider) \(call.scenarioText) reason=\(reason.rawValue)"
                + (network.detail.map { " detail=\($0.rawValue)" } ?? "")
                + (network.code.isEmpty ? "" : " code=\(network.code.quoted)") + date(at)
        case .startedConnecting(let call, let at): "connecting \(provider) \(call.scenarioText)\(date(at))"
        case .connected(let call, let at): "connected \(provider) \(call.scenarioText)\(date(at))"
        }
    }

    init(_ verb: String, _ words: inout Words) throws(CallError) {
        let call = try words.readCall()
        let date = try words.date("at") ?? 0
        switch verb {
        case "incoming": self = .incoming(call, try CallUpdate(words))
        case "ongoing":
            let ongoing = OngoingCall(
                try words.word("direction", CallDirection.self) ?? .incoming,
                try words.word("state", OngoingCall.State.self) ?? .active, since: try words.date("since") ?? 0)
            self = .ongoing(call, ongoing, try CallUpdate(words))
        case "update": self = .updated(call, try CallUpdate(words))
        case "ended":
            let network = NetworkEnd(try words.word("detail", EndDetail.self), code: words.value("code") ?? "")
            self = .ended(call, at: date, try words.word("reason", EndReason.self) ?? .remoteEnded, network)
        case "connecting": self = .startedConnecting(call, at: date)
        case "connected": self = .connected(call, at: date)
        default: throw CallError(.invalidArguments, "\(verb) is not a valid verb: \(words.line)")
        }
    }
}

extension CallUpdate {
    var text: String {
        var text = ""
        if let remoteHandle { text += " handle=\(remoteHandle.description.quoted)" }
        if withholdsHandle { text += " handle=withheld" }
        if let divertedBy { text += " diverted-by=\(divertedBy.description.quoted)" }
        if let transferRequest {
            text += " transfer-request=\(transferRequest.handle?.description.quoted ?? "withdrawn")"
        }
        let texts: [(String, String?)] = [
            ("name", localizedCallerName), ("network-name", networkName), ("verification", verification?.rawValue),
            ("image", image), ("progress", progress?.rawValue), ("encryption", encryption), ("codec", codec),
            ("quality", quality?.description),
        ]
        for (name, value) in texts { if let value { text += " \(name)=\(value.quoted)" } }
        let flags: [(String, Bool?)] = [
            ("holding", supportsHolding), ("can-hold-now", canHoldNow), ("grouping", supportsGrouping),
            ("ungrouping", supportsUngrouping), ("dtmf", supportsDTMF), ("video", hasVideo),
            ("remote-held", remoteHeld), ("on-hold", onHold), ("emergency", emergency),
        ]
        for (name, flag) in flags { if let flag { text += " \(name)=\(flag.word)" } }
        return text
    }

    init(_ words: Words) throws(CallError) {
        self.init()
        if let text = words.value("handle") {
            withholdsHandle = text == "withheld"
            if !withholdsHandle { remoteHandle = try Handle(text: text) }
        }
        localizedCallerName = words.value("name")
        networkName = words.value("network-name")
        if let text = words.value("diverted-by") { divertedBy = try Handle(text: text) }
        if let text = words.value("transfer-request") {
            transferRequest = text == "withdrawn" ? .withdrawn : .to(try Handle(text: text))
        }
        verification = try words.word("verification", CallerVerification.self)
        image = words.value("image")
        progress = try words.word("progress", CallProgress.self)
        encryption = words.value("encryption")
        codec = words.value("codec")
        if let text = words.value("quality") {
            guard let value = CallQuality(text) else {
                throw CallError(.invalidArguments, "\(text) is not a quality such as 30,4,-: \(words.line)")
            }
            quality = value
        }
        supportsHolding = try words.flag("holding")
        canHoldNow = try words.flag("can-hold-now")
        supportsGrouping = try words.flag("grouping")
        supportsUngrouping = try words.flag("ungrouping")
        supportsDTMF = try words.flag("dtmf")
        hasVideo = try words.flag("video")
        remoteHeld = try words.flag("remote-held")
        onHold = try words.flag("on-hold")
        emergency = try words.flag("emergency")
    }
}

extension ProviderConfiguration {
    var text: String {
        let standard = ProviderConfiguration()
        var text = " types=\(supportedHandleTypes.map(\.rawValue).joined(separator: ","))"
        if maximumCallGroups != standard.maximumCallGroups { text += " groups=\(maximumCallGroups)" }
        if maximumCallsPerCallGroup != standard.maximumCallsPerCallGroup {
            text += " per-group=\(maximumCallsPerCallGroup)"
        }
        if !supportedSchemes.isEmpty { text += " schemes=\(supportedSchemes.joined(separator: ","))" }
        if !key.isEmpty { text += " key=\(key.quoted)" }
        if availability != .online { text += " availability=\(availability.rawValue)" }
        if !status.isEmpty { text += " status=\(status.quoted)" }
        if holdModel != .perCall { text += " hold-model=\(holdModel.rawValue)" }
        if !desktopEntry.isEmpty { text += " desktop-entry=\(desktopEntry.quoted)" }
        if supportsTransfer { text += " transfer=yes" }
        if supportsHidingNumber { text += " hides-number=yes" }
        if supportsServiceCodes { text += " service-codes=yes" }
        if !emergencyNumbers.isEmpty { text += " emergency=\(Self.list(emergencyNumbers))" }
        if !localizedName.isEmpty { text += " name=\(localizedName.quoted)" }
        if supportsVideo { text += " video=yes" }
        if supportsAudioTranslation { text += " translation=yes" }
        if !includesCallsInRecents { text += " recents=no" }
        if !ringtoneSound.isEmpty { text += " ringtone=\(ringtoneSound.quoted)" }
        if !iconTemplateImage.isEmpty { text += " icon=\(Self.list(iconTemplateImage.map { String($0, radix: 16) }))" }
        if !customActions.isEmpty { text += " actions=\(Self.list(customActions.flatMap(\.words)))" }
        return text
    }

    init(_ words: Words) throws(CallError) {
        self.init()
        for name in (words.value("types") ?? "").split(separator: ",") {
            guard let type = HandleType(rawValue: String(name)) else {
                throw CallError(.invalidArguments, "\(name) is not a valid handle type: \(words.line)")
            }
            supportedHandleTypes.append(type)
        }
        if let number = try words.number("groups") { maximumCallGroups = UInt32(clamping: number) }
        if let number = try words.number("per-group") { maximumCallsPerCallGroup = UInt32(clamping: number) }
        supportedSchemes = (words.value("schemes") ?? "").split(separator: ",").map(String.init)
        key = words.value("key") ?? ""
        availability = try words.word("availability", Availability.self) ?? .online
        status = words.value("status") ?? ""
        holdModel = try words.word("hold-model", HoldModel.self) ?? .perCall
        desktopEntry = words.value("desktop-entry") ?? ""
        supportsTransfer = try words.flag("transfer") ?? false
        supportsHidingNumber = try words.flag("hides-number") ?? false
        supportsServiceCodes = try words.flag("service-codes") ?? false
        emergencyNumbers = try Self.list(words.value("emergency")) ?? []
        localizedName = words.value("name") ?? ""
        supportsVideo = try words.flag("video") ?? false
        supportsAudioTranslation = try words.flag("translation") ?? false
        includesCallsInRecents = try words.flag("recents") ?? true
        ringtoneSound = words.value("ringtone") ?? ""
        iconTemplateImage = (try Self.list(words.value("icon")) ?? []).compactMap { UInt8($0, radix: 16) }
        let actions = try Self.list(words.value("actions")) ?? []
        for index in stride(from: 0, to: actions.count - 3, by: 4) {
            let (label, icon, isForCalls) = (actions[index + 1], actions[index + 2], actions[index + 3] == "calls")
            customActions.append(CustomAction(id: actions[index], label: label, icon: icon, isForCalls: isForCalls))
        }
    }

    /// Several texts as one word, which is itself a line of words.
    private static func list(_ texts: [String]) -> String { texts.map(\.quoted).joined(separator: " ").quoted }

    private static func list(_ text: String?) throws(CallError) -> [String]? {
        guard let text else { return nil }
        return try Words(text).plain
    }
}

extension CustomAction {
    fileprivate var words: [String] { [id, label, icon, isForCalls ? "calls" : "always"] }
}
