// One action on its way to a provider: the arguments of ProviderDelegate1.Perform, and what comes back.

public import CallModel
public import DBus

/// What Perform carries: `(s action_id, s kind, a{sv} args)`.
public struct PerformWire: Sendable, Hashable {
    /// Names the action, for TimedOut.
    public let id: WireID
    /// A start has no provider here: it is the one that is asked.
    public let action: CallAction
    public let transaction: WireID
    /// When the action fails by itself, in microseconds since the epoch.
    public let deadline: UInt64
    public let part: ActionPart

    /// More actions than this do not follow one; the rest is not read.
    private static let maximumFollowing = 256

    private enum Key {
        static let callUUID = "call-uuid"
        static let transaction = "transaction"
        static let deadline = "deadline"
        static let following = "following"
        static let part = "part"
        static let handle = "handle"
        static let video = "video"
        static let contactIdentifier = "contact-identifier"
        static let reason = "reason"
        static let onHold = "on-hold"
        static let muted = "muted"
        static let groupWith = "group-with"
        static let digits = "digits"
        static let tone = "tone"
    }

    public init(
        id: WireID, action: CallAction, transaction: WireID, deadline: UInt64, part: ActionPart = .single
    ) {
        self.id = id
        self.action = action
        self.transaction = transaction
        self.deadline = deadline
        self.part = part
    }

    /// - Throws: `NotSupported` for a kind that is not known; `InvalidArguments` for a key that is missing, of the wrong
    ///   type or outside its values.
    public init(id: String, kind: String, args: VariantDictionary) throws(CallError) {
        action = try Self.action(kind, args)
        self.id = WireID(id)
        transaction = WireID(try args.needed(Key.transaction))
        deadline = try args.needed(Key.deadline)
        part = try Self.part(args)
    }

    private static func part(_ args: VariantDictionary) throws(CallError) -> ActionPart {
        if let number = try args.optional(Key.part, as: UInt32.self), number > 0 { return .following(number) }
        guard let entries = try args.optional(Key.following, as: [Struct<String, VariantDictionary>].self) else {
            return .single
        }
        var following: [CallAction] = []
        for entry in entries.prefix(maximumFollowing) { following.append(try action(entry.fields.0, entry.fields.1)) }
        return following.isEmpty ? .single : .first(following)
    }

    private static func action(_ kind: String, _ args: VariantDictionary) throws(CallError) -> CallAction {
        guard let kind = ActionKind(rawValue: kind) else {
            throw CallError(.notSupported, "no action kind \"\(kind.excerpt)\"")
        }
        let call = try args.neededCallID(Key.callUUID)
        switch kind {
        case .start:
            var start = StartRequest(try Handle(wire: args.needed(Key.handle)))
            start.video = try args.needed(Key.video)
            start.contact = try args.optional(Key.contactIdentifier) ?? ""
            return .start(call, start)
        case .answer: return .answer(call)
        case .end: return .end(call, reason: try args.optional(Key.reason) ?? "")
        case .setHeld: return .setHeld(call, try args.needed(Key.onHold))
        case .setMuted: return .setMuted(call, try args.needed(Key.muted))
        case .setGroup:
            let other = try args.needed(Key.groupWith, as: String.self)
            return .setGroup(call, with: other.isEmpty ? nil : try args.neededCallID(Key.groupWith))
        case .playDTMF:
            let digits = try args.needed(Key.digits, as: String.self)
            try CallAction.checkDigits(digits)
            return .playDTMF(call, digits: digits, tone: try args.optionalWord(Key.tone) ?? .singleTone)
        case .setTranslating: return try args.translating(call)
        }
    }

    /// - Throws: as `init(id:kind:args:)`.
    public init(_ arguments: PerformArguments) throws(CallError) {
        if let plain = PerformWire(plain: arguments) {
            self = plain
        } else {
            try self.init(id: arguments.id, kind: arguments.kind, args: arguments.details.dictionary)
        }
    }

    /// What most actions are: an answer or an end with nothing but what every action carries. Nil for others.
    private init?(plain arguments: PerformArguments) {
        var call: CallID?
        var transaction: String?
        var deadline: UInt64?
        for entry in arguments.details.entries {
            switch (entry.key, entry.value) {
            case (Key.callUUID, .string(let text)) where call == nil: call = CallID(text)
            case (Key.transaction, .string(let text)) where transaction == nil: transaction = text
            case (Key.deadline, .uint64(let moment)) where deadline == nil: deadline = moment
            default: return nil
            }
        }
        guard let call, let transaction, let deadline else { return nil }
        switch arguments.kind {
        case ActionKind.answer.rawValue: action = .answer(call)
        case ActionKind.end.rawValue: action = .end(call, reason: "")
        default: return nil
        }
        self.id = WireID(arguments.id)
        self.transaction = WireID(transaction)
        self.deadline = deadline
        part = .single
    }

    public var kind: String { action.kind.rawValue }

    public var args: VariantDictionary {
        var args = Self.details(of: action)
        for (key, value) in common.entries { args[key] = value }
        switch part {
        case .single: break
        case .first(let following): args.set(Key.following, following.map(Self.entry))
        case .following(let number): args.set(Key.part, number)
        }
        return args
    }

    private static func entry(_ action: CallAction) -> Struct<String, VariantDictionary> {
        var args = details(of: action)
        args.set(Key.callUUID, action.call.description)
        return Struct(action.kind.rawValue, args)
    }

    /// What every action carries.
    private var common: DetailList {
        DetailList([
            (Key.callUUID, .string(action.call.description)), (Key.deadline, .uint64(deadline)),
            (Key.transaction, .string(transaction.text)),
        ])
    }

    /// Appends the arguments of Perform.
    public func write(to writer: inout MessageWriter) throws(DBusError) {
        try writer.append(id.text)
        try writer.append(kind)
        switch (action, part) {
        case (.answer, .single), (.end(_, reason: ""), .single): try writer.append(common)
        default: try writer.append(args)
        }
    }

    /// The arguments without those that name a concrete action, as SimulateTransaction shows them.
    public static func details(of action: CallAction) -> VariantDictionary {
        var args = VariantDictionary()
        switch action {
        case .start(_, let start):
            args.set(Key.handle, start.handle.wire)
            args.set(Key.video, start.video)
            args.set(Key.contactIdentifier, start.contact)
        case .answer: break
        case .end(_, let reason): args.set(Key.reason, reason.isEmpty ? nil : reason)
        case .setHeld(_, let onHold): args.set(Key.onHold, onHold)
        case .setMuted(_, let muted): args.set(Key.muted, muted)
        case .setGroup(_, let other): args.set(Key.groupWith, other?.description ?? "")
        case .playDTMF(_, let digits, let tone):
            args.set(Key.digits, digits)
            args.set(Key.tone, tone.rawValue)
        case .setTranslating(_, let isTranslating, let languages): args.setTranslating(isTranslating, languages)
        }
        return args
    }
}

/// The arguments of Perform as they come.
public struct PerformArguments: MessageArguments, Sendable {
    public static let signatures = ["s", "s", "a{sv}"]

    public let id: String
    public let kind: String
    public let details: DetailList

    public init(id: String, kind: String, details: DetailList) {
        self.id = id
        self.kind = kind
        self.details = details
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        id = try reader.read()
        kind = try reader.read()
        details = try reader.read()
    }
}

/// What a fulfilled action brings back.
public struct PerformResult: Sendable, Hashable {
    /// When it started, connected or ended, in microseconds since the epoch; nil means now.
    public var date: UInt64?
    /// Who translates, if that is what began.
    public var engine: TranslationEngine

    private enum Key {
        static let date = "date"
        static let engine = "translation-engine"
    }

    public init(date: UInt64? = nil, engine: TranslationEngine = .default) {
        self.date = date
        self.engine = engine
    }

    /// - Throws: `InvalidArguments` if `date` or `translation-engine` has the wrong type or is outside its values.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init()
        // Most bring nothing.
        if wire.isEmpty { return }
        let date = try wire.optional(Key.date, as: UInt64.self)
        self.date = date == 0 ? nil : date
        engine = try wire.optionalWord(Key.engine) ?? .default
    }

    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.date, date)
        wire.set(Key.engine, engine == .default ? nil : engine.rawValue)
        return wire
    }
}
