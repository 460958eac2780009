// CXPlayDTMFCallAction: sends touch tones.

internal import CallModel
internal import CallWire
internal import Synchronization

/// Sends touch tones on an active call (CallKit: CXPlayDTMFCallAction). Fulfill it when the tones have been sent.
public final class CXPlayDTMFCallAction: CXCallAction, @unchecked Sendable {
    /// The source of the tones, and when to send them (CallKit: CXPlayDTMFCallAction.ActionType).
    public enum ActionType: Int, Sendable, Hashable, CaseIterable, Codable {
        /// The user pressed a key.
        case singleTone = 1
        /// The tones follow a comma in a dialed string: send them after a short pause.
        case softPause = 2
        /// The tones follow a semicolon in a dialed string: the user has confirmed that they should be sent. They wait no
        /// longer once that is done. A request without digits means the next of those that wait.
        case hardPause = 3
    }

    private struct Tones {
        var digits: String
        var type: ActionType
    }

    private let tones: Mutex<Tones>

    /// Creates a request to send tones.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - digits: 1 to 64 characters out of `0-9`, `A-D`, `a-d`, `*`, `#`, comma and semicolon; empty, after a hard pause,
    ///     for those that wait.
    ///   - type: the source of the tones.
    public init(call callUUID: UUID, digits: String, type: ActionType) {
        tones = Mutex(Tones(digits: digits, type: type))
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, digits: String, tone: DTMFTone, answer: @escaping Answer) {
        let type: ActionType =
            switch tone {
            case .singleTone: .singleTone
            case .softPause: .softPause
            case .hardPause: .hardPause
            }
        tones = Mutex(Tones(digits: digits, type: type))
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case digits, type
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        tones = Mutex(
            Tones(
                digits: try values.decode(String.self, forKey: .digits),
                type: try values.decode(ActionType.self, forKey: .type)))
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(digits, forKey: .digits)
        try values.encode(type, forKey: .type)
        try super.encode(to: encoder)
    }

    /// The tones, in order; `,` and `;` are pauses.
    public var digits: String {
        get { tones.withLock { $0.digits } }
        set { tones.withLock { $0.digits = newValue } }
    }

    /// The source of the tones.
    public var type: ActionType {
        get { tones.withLock { $0.type } }
        set { tones.withLock { $0.type = newValue } }
    }

    override func model() throws(CallError) -> CallAction {
        let tone: DTMFTone =
            switch type {
            case .singleTone: .singleTone
            case .softPause: .softPause
            case .hardPause: .hardPause
            }
        let digits = digits
        try CallAction.checkDigits(digits, after: tone)
        return .playDTMF(CallID(callUUID), digits: digits, tone: tone)
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
