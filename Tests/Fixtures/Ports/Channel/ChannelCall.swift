// A layer like the plugin of a cross-platform framework: methods and events over a channel, calls as dictionaries.

#if canImport(CallKit)
    import CallKit
#else
    import OpenCallKitPort
#endif

struct ChannelCallData {
    let uuid: String
    let nameCaller: String
    let handle: String
    let isVideo: Bool
    let duration: Int
    let supportsHolding: Bool
    let supportsDTMF: Bool
    let extra: [String: Any]

    init(args: [String: Any?]) {
        let ios = args["ios"] as? [String: Any] ?? [:]
        uuid = args["id"] as? String ?? ""
        nameCaller = args["nameCaller"] as? String ?? ""
        handle = args["handle"] as? String ?? ""
        isVideo = (args["type"] as? Int ?? 0) > 0
        duration = args["duration"] as? Int ?? 30000
        extra = args["extra"] as? [String: Any] ?? [:]
        supportsHolding = ios["supportsHolding"] as? Bool ?? true
        supportsDTMF = ios["supportsDTMF"] as? Bool ?? true
    }

    func toJSON() -> [String: Any] {
        ["id": uuid, "nameCaller": nameCaller, "handle": handle, "type": isVideo ? 1 : 0, "extra": extra]
    }
}

final class ChannelCall {
    let uuid: UUID
    let data: ChannelCallData
    let isOutGoing: Bool
    var hasConnected = false
    var isOnHold = false
    var isMuted = false

    init(uuid: UUID, data: ChannelCallData, isOutGoing: Bool = false) {
        self.uuid = uuid
        self.data = data
        self.isOutGoing = isOutGoing
    }
}
