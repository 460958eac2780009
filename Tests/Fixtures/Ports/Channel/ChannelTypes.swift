// As much of a cross-platform framework as its plugin needs: calls of methods, results and events. It has no CallKit.

struct ChannelMethodCall {
    let method: String
    let arguments: Any?
}

struct ChannelError {
    let code: String
    let message: String?
}

typealias ChannelResult = (Any?) -> Void
typealias ChannelEventSink = (Any?) -> Void
