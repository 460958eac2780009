// What is known of a caller before anybody is told of the call.

/// What block lists, allow lists, favorites, contacts and directories say of one caller. All empty: nothing is known.
public struct CallerFacts: Sendable, Hashable {
    /// Which list blocks the caller: `user`, or the identifier of a directory extension. Nil = none.
    public var blockedBy: String?
    /// Whether the caller is on the allow list, which beats every block list.
    public var isAllowed = false
    public var isFavorite = false
    /// The contact's name or the directory's label; empty if there is none.
    public var name = ""
    /// Where `name` comes from: `contacts`, `favorite` or `directory`.
    public var nameSource = CallerNameSource.none
    /// The contact whose name it is; empty for none.
    public var contact = ""
    /// The absolute path of the contact's picture; empty for none.
    public var image = ""
    /// Whether nobody could be asked, or nobody answered in time: all else says nothing then.
    public var isUnanswered = false
    /// The handle in the form in which callers are compared; nil = as it came.
    public var normalized: Handle?
    /// Whom they are about; nil = the caller who was asked about last.
    public var caller: Caller?

    public init() {}

    /// Nobody answered.
    public static var unanswered: CallerFacts {
        var facts = CallerFacts()
        facts.isUnanswered = true
        return facts
    }

    /// Whether they are about a caller, and not about one who was at the far side before.
    public func isAbout(_ other: Caller) -> Bool { caller.map { $0 == other } ?? true }
}

/// Who is at the far side, as far as its handle tells.
public enum Caller: Sendable, Hashable {
    case known(Handle)
    case withheld

    /// - Parameter handle: nil if it is withheld.
    public init(_ handle: Handle?) { self = handle.map { .known($0) } ?? .withheld }

    public var handle: Handle? { if case .known(let handle) = self { handle } else { nil } }
}
