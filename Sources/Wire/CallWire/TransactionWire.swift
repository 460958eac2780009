// A transaction as the a(sa{sv}) of RequestTransaction: (kind, arguments) per action.

public import CallModel
public import DBus

/// Converts the actions of a request to their wire form, and back.
public enum TransactionWire {
    public typealias Entry = Struct<String, VariantDictionary>

    private enum Key {
        static let call = "call"
        static let handle = "handle"
        static let provider = "provider"
        static let video = "video"
        static let contact = "contact-identifier"
        static let scheme = "scheme"
        static let postDial = "post-dial"
        static let hideNumber = "hide-number"
        static let uuid = "uuid"
        static let onHold = "on-hold"
        static let muted = "muted"
        static let with = "group-with"
        static let digits = "digits"
        static let tone = "tone"
        static let to = "to"
        static let other = "other"
    }

    /// The keys that the contract has for the arguments of an action of the kind.
    public static func keys(of kind: String) -> Set<String> {
        switch ActionKind(rawValue: kind) {
        case .start:
            [Key.handle, Key.provider, Key.video, Key.contact, Key.scheme, Key.postDial, Key.hideNumber, Key.uuid]
        case .setHeld: [Key.call, Key.onHold]
        case .setMuted: [Key.call, Key.muted]
        case .setGroup: [Key.call, Key.with]
        case .playDTMF: [Key.call, Key.digits, Key.tone]
        case .setTranslating: VariantDictionary.translationKeys.union([Key.call])
        case .transfer, .answerTransfer: [Key.call, Key.to]
        case .transferTo: [Key.call, Key.other]
        case .answer, .end, nil: [Key.call]
        }
    }

    /// - Parameter newCall: returns the id for a call that is started without `uuid`.
    /// - Throws: `InvalidArguments` for an unknown kind, and for a key that is missing, of the wrong type or outside its
    ///   values; `UnknownCall` and `UnknownProvider` for an invalid path. The message names the action.
    public static func actions(
        from entries: [Entry], newCall: () -> CallID
    ) throws(CallError) -> [CallAction] {
        var actions: [CallAction] = []
        for (index, entry) in entries.enumerated() {
            let kind = ActionKind(rawValue: entry.fields.0)
            do throws(CallError) {
                actions.append(try action(from: entry, newCall: newCall))
            } catch {
                throw error.ofAction(index, of: entries.count, kind)
            }
        }
        return actions
    }

    /// The same for one action that is in no list.
    public static func action(from entry: Entry, newCall: () -> CallID) throws(CallError) -> CallAction {
        let (kind, arguments) = entry.fields
        return try action(VariantDictionary.word(kind, of: "kind"), arguments, newCall)
    }

    /// A reason for an end is not part of a transaction and is left out.
    public static func entries(of actions: [CallAction]) -> [Entry] {
        actions.map { Struct($0.kind.rawValue, arguments(of: $0)) }
    }

    private static func action(
        _ kind: ActionKind, _ arguments: VariantDictionary, _ newCall: () -> CallID
    ) throws(CallError) -> CallAction {
        switch kind {
        case .start:
            var start = StartRequest(try arguments.dialed(Key.handle))
            let provider = try Self.provider(arguments)
            let call = try arguments.optionalCallID(Key.uuid)
            start.provider = provider
            start.video = try arguments.optional(Key.video) ?? false
            start.contact = try contact(arguments)
            start.scheme = try arguments.optional(Key.scheme) ?? start.scheme
            guard start.scheme.isEmpty || DialString.isScheme(start.scheme) else {
                throw CallError(
                    .invalidArguments, "scheme is \"\(start.scheme.excerpt)\", expected a URI scheme such as sip")
            }
            start.postDial += try arguments.optional(Key.postDial) ?? ""
            if !start.postDial.isEmpty { try CallAction.checkDigits(start.postDial) }
            start.hidesNumber = try arguments.optional(Key.hideNumber) ?? start.hidesNumber
            return .start(call ?? newCall(), start)
        case .answer: return .answer(try call(arguments))
        case .end: return .end(try call(arguments), reason: "")
        case .setHeld: return .setHeld(try call(arguments), try arguments.needed(Key.onHold))
        case .setMuted: return .setMuted(try call(arguments), try arguments.needed(Key.muted))
        case .setGroup:
            let other = try arguments.needed(Key.with, as: ObjectPath.self)
            return .setGroup(try call(arguments), with: other == .root ? nil : try callID(at: other))
        case .playDTMF:
            let tone = try arguments.optionalWord(Key.tone, as: DTMFTone.self) ?? .singleTone
            let digits =
                tone == .hardPause
                ? try arguments.optional(Key.digits) ?? "" : try arguments.needed(Key.digits, as: String.self)
            try CallAction.checkDigits(digits, after: tone)
            return .playDTMF(try call(arguments), digits: digits, tone: tone)
        case .setTranslating: return try arguments.translating(try call(arguments))
        case .transfer:
            let dialed = try arguments.dialed(Key.to)
            guard dialed.postDial.isEmpty, dialed.hidesNumber == nil else {
                throw CallError(
                    .invalidArguments,
                    "\(Key.to) is more than a number, expected nothing before it and no digits after it")
            }
            return .transfer(try call(arguments), .handle(dialed.handle))
        case .transferTo:
            return .transfer(
                try call(arguments), .call(try callID(at: arguments.needed(Key.other, as: ObjectPath.self))))
        case .answerTransfer: return .answerTransfer(try call(arguments), to: try Handle.needed(in: arguments, Key.to))
        }
    }

    private static func arguments(of action: CallAction) -> VariantDictionary {
        var arguments = VariantDictionary()
        switch action {
        case .start(let call, let start):
            arguments.set(Key.handle, start.handle.wire)
            arguments.set(Key.provider, start.provider.flatMap { ObjectPath(Contract.path(of: $0)) })
            arguments.set(Key.video, start.video)
            arguments.set(Key.contact, start.contact.isEmpty ? nil : start.contact)
            arguments.set(Key.scheme, start.scheme.isEmpty ? nil : start.scheme)
            arguments.set(Key.postDial, start.postDial.isEmpty ? nil : start.postDial)
            arguments.set(Key.hideNumber, start.hidesNumber)
            arguments.set(Key.uuid, call.description)
            return arguments
        case .answer, .end: break
        case .setHeld(_, let onHold): arguments.set(Key.onHold, onHold)
        case .setMuted(_, let muted): arguments.set(Key.muted, muted)
        case .setGroup(_, let other):
            arguments.set(Key.with, other.flatMap { ObjectPath(Contract.path(of: $0)) } ?? .root)
        case .playDTMF(_, let digits, let tone):
            arguments.set(Key.digits, digits)
            arguments.set(Key.tone, tone.rawValue)
        case .transfer(_, .handle(let handle)): arguments.set(Key.to, handle.wire)
        case .transfer(_, .call(let other)): arguments.set(Key.other, ObjectPath(Contract.path(of: other)))
        case .answerTransfer(_, let handle): arguments.set(Key.to, handle?.wire ?? Struct("", ""))
        case .setTranslating(_, let isTranslating, let languages): arguments.setTranslating(isTranslating, languages)
        }
        arguments.set(Key.call, ObjectPath(Contract.path(of: action.call)))
        return arguments
    }

    private static func call(_ arguments: VariantDictionary) throws(CallError) -> CallID {
        try callID(at: arguments.needed(Key.call, as: ObjectPath.self))
    }

    private static func callID(at path: ObjectPath) throws(CallError) -> CallID {
        guard let call = Contract.call(at: path.text) else {
            throw CallError(.unknownCall, "no call \(path.text.excerpt)")
        }
        return call
    }

    /// The provider, by its path or its id.
    private static func provider(_ arguments: VariantDictionary) throws(CallError) -> ProviderID? {
        var name: String?
        if case .string(let text)? = arguments[Key.provider] {
            name = text
        } else {
            name = try arguments.optional(Key.provider, as: ObjectPath.self)?.text
        }
        guard let name else { return nil }
        guard let provider = Contract.provider(named: name) else {
            throw CallError(.unknownProvider, "no provider \(name.excerpt)")
        }
        return provider
    }

    private static func contact(_ arguments: VariantDictionary) throws(CallError) -> String {
        guard let contact = try arguments.optional(Key.contact, as: String.self) else { return "" }
        guard contact.count <= Handle.maximumLength, !contact.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(
                .invalidArguments,
                "\(Key.contact) is over 256 characters or has control characters, expected an identifier")
        }
        return contact
    }
}
