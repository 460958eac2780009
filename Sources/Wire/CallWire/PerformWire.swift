// One action on its way to a provider: the arguments of ProviderDelegate1.Perform.

public import CallModel
public import DBus
public import EventLoop

/// The arguments of Perform: `(s action, s kind, s call_uuid, s transaction, t deadline, a{sv} details)`.
public struct PerformWire: Sendable, Hashable {
    public typealias Following = Struct<String, String, VariantDictionary>

    /// Names the action, for TimedOut.
    public let id: String
    /// A start names no provider here: it is for the one that gets the message.
    public let action: CallAction
    public let transaction: String
    /// When the action fails by itself.
    public let deadline: WallTime
    public let part: ActionPart

    /// The most actions that are read of those that follow one.
    private static let maximumFollowing = 256

    private enum Key {
        static let following = "following"
        static let part = "part"
        static let handle = "handle"
        static let video = "video"
        static let contactIdentifier = "contact-identifier"
        static let hideNumber = "hide-number"
        static let reason = "reason"
        static let onHold = "on-hold"
        static let muted = "muted"
        static let groupWith = "group-with"
        static let digits = "digits"
        static let tone = "tone"
        static let to = "to"
        static let other = "other"
    }

    public init(
        id: String, action: CallAction, transaction: String, deadline: WallTime, part: ActionPart = .single
    ) {
        self.id = id
        self.action = action
        self.transaction = transaction
        self.deadline = deadline
        self.part = part
    }

    // MARK: reading

    /// - Throws: `NotSupported` for an unknown kind; `InvalidArguments` for a call that is not a UUID, and for a detail
    ///   that is missing, of the wrong type or outside its values.
    public init(
        id: String, kind: String, call: String, transaction: String, deadline: WallTime, details: VariantDictionary
    ) throws(CallError) {
        self.init(
            id: id, action: try Self.action(kind, call, details), transaction: transaction, deadline: deadline,
            part: try Self.part(details))
    }

    /// - Throws: as `init(id:kind:call:transaction:deadline:details:)`, and `InvalidArguments` for arguments of other types.
    @LoopActor
    public init(_ message: Message) throws(CallError) {
        typealias Arguments = (String, String, String, String, WallTime, VariantDictionary)
        let arguments: Arguments
        do {
            arguments = try message.read(
                String.self, String.self, String.self, String.self, WallTime.self, VariantDictionary.self)
        } catch {
            throw CallError(.invalidArguments, error.message)
        }
        let (id, kind, call, transaction, deadline, details) = arguments
        try self.init(
            id: id, kind: kind, call: call, transaction: transaction, deadline: deadline, details: details)
    }

    /// Reads an action.
    ///
    /// - Throws: as `init(id:kind:call:transaction:deadline:details:)`.
    public static func action(
        _ kind: String, _ call: String, _ details: VariantDictionary
    ) throws(CallError) -> CallAction {
        guard let kind = ActionKind(rawValue: kind) else {
            throw CallError(.notSupported, "no action kind \"\(kind.excerpt)\"")
        }
        let call = try VariantDictionary.callID(call, of: "call_uuid")
        switch kind {
        case .start:
            var start = StartRequest(try Handle(wire: details.needed(Key.handle)))
            start.video = try details.needed(Key.video)
            start.contact = try details.optional(Key.contactIdentifier) ?? ""
            start.hidesNumber = try details.optional(Key.hideNumber)
            return .start(call, start)
        case .answer: return .answer(call)
        case .end: return .end(call, reason: try details.optional(Key.reason) ?? "")
        case .setHeld: return .setHeld(call, try details.needed(Key.onHold))
        case .setMuted: return .setMuted(call, try details.needed(Key.muted))
        case .setGroup:
            let other = try details.needed(Key.groupWith, as: String.self)
            return .setGroup(call, with: other.isEmpty ? nil : try VariantDictionary.callID(other, of: Key.groupWith))
        case .playDTMF:
            let digits = try details.needed(Key.digits, as: String.self)
            try CallAction.checkDigits(digits)
            return .playDTMF(call, digits: digits, tone: try details.optionalWord(Key.tone) ?? .singleTone)
        case .setTranslating: return try details.translating(call)
        case .transfer: return .transfer(call, .handle(try Handle(wire: details.needed(Key.to))))
        case .transferTo: return .transfer(call, .call(try details.neededCallID(Key.other)))
        case .answerTransfer: return .answerTransfer(call, to: try Handle.needed(in: details, Key.to))
        }
    }

    private static func part(_ details: VariantDictionary) throws(CallError) -> ActionPart {
        if let number = try details.optional(Key.part, as: UInt32.self), number > 0 { return .following(number) }
        guard let entries = try details.optional(Key.following, as: [Following].self) else { return .single }
        let following = try entries.prefix(maximumFollowing).map { (entry) throws(CallError) in
            let (kind, call, details) = entry.fields
            return try action(kind, call, details)
        }
        return following.isEmpty ? .single : .first(following)
    }

    // MARK: writing

    public var kind: String { action.kind.rawValue }

    public var call: String { action.call.description }

    /// The details that are particular to the kind of the action and to its place in the transaction.
    public var details: VariantDictionary {
        var details = Self.details(of: action)
        switch part {
        case .single: break
        case .first(let following):
            details.set(
                Key.following,
                following.map { Following($0.kind.rawValue, $0.call.description, Self.details(of: $0)) })
        case .following(let number): details.set(Key.part, number)
        }
        return details
    }

    /// Returns the call of Perform.
    @LoopActor
    public func message(to destination: String? = nil, at path: ObjectPath) throws(DBusError) -> Message {
        try Message.call(
            to: destination, at: path, Contract.providerDelegate, ProviderMember.Delegate.perform, id, kind, call,
            transaction, deadline, details)
    }

    /// Returns the details that are particular to the kind of an action. SimulateTransaction shows the same.
    public static func details(of action: CallAction) -> VariantDictionary {
        var details = VariantDictionary()
        switch action {
        case .start(_, let start):
            details.set(Key.handle, start.handle.wire)
            details.set(Key.video, start.video)
            details.set(Key.contactIdentifier, start.contact)
            details.set(Key.hideNumber, start.hidesNumber)
        case .answer: break
        case .end(_, let reason): details.set(Key.reason, reason.isEmpty ? nil : reason)
        case .setHeld(_, let onHold): details.set(Key.onHold, onHold)
        case .setMuted(_, let muted): details.set(Key.muted, muted)
        case .setGroup(_, let other): details.set(Key.groupWith, other?.description ?? "")
        case .playDTMF(_, let digits, let tone):
            details.set(Key.digits, digits)
            details.set(Key.tone, tone.rawValue)
        case .transfer(_, .handle(let handle)): details.set(Key.to, handle.wire)
        case .transfer(_, .call(let other)): details.set(Key.other, other.description)
        case .answerTransfer(_, let handle): details.set(Key.to, handle?.wire ?? Struct("", ""))
        case .setTranslating(_, let isTranslating, let languages): details.setTranslating(isTranslating, languages)
        }
        return details
    }
}
