// Member: a member of an interface, with its Swift types hidden in closures.

internal import EventLoop

/// A named argument of a method or signal.
struct ArgumentDescription: Sendable {
    let name: String
    let signature: String

    /// Pairs names with signatures; arguments without a name stay nameless.
    static func list(_ names: [String], _ signatures: [String]) -> [ArgumentDescription] {
        precondition(names.count <= signatures.count, "more names than arguments: \(names.joined(separator: ", "))")
        return signatures.enumerated().map { index, signature in
            ArgumentDescription(name: index < names.count ? names[index] : "", signature: signature)
        }
    }
}

struct MethodDescription: Sendable {
    let inputs: [ArgumentDescription]
    let outputs: [ArgumentDescription]
    let inputSignature: String
    /// Reads the arguments, runs the handler and answers. Throws the error for the caller.
    let invoke: @LoopActor (AnyObject, CallContext) throws -> Void
}

struct PropertyDescription: Sendable {
    let name: String
    let signature: String
    let changes: PropertyChanges
    /// Appends the value as a variant. Throws if it cannot be read or cannot travel.
    let append: @LoopActor (AnyObject, inout MessageWriter) throws(DBusError) -> Void
    /// Returns whether two objects have different values.
    let differs: @LoopActor (AnyObject, AnyObject) -> Bool
    /// Reads the value at the reader, which is at a variant, and sets it. Nil if the property is read-only.
    let set: (@LoopActor (AnyObject, CallContext, inout MessageReader) throws -> Void)?
    /// Whether `set` answers the call itself.
    let answersLater: Bool
}

/// A member of an interface of `Object`s. Made by `Method`, `DeferredMethod`, `Property` and `Signal`.
public struct Member<Object: AnyObject>: Sendable {
    let description: MemberDescription
}

struct MemberDescription: Sendable {
    enum Kind: Sendable {
        case method(MethodDescription)
        case property(PropertyDescription)
        case signal([ArgumentDescription])
    }

    let name: String
    let annotations: [String: String]
    let kind: Kind

    init(_ name: String, _ annotations: [String: String], deprecated: Bool, _ kind: Kind) {
        precondition(MemberName.isValid(name), "not a member name: \(name)")
        var all = annotations
        if deprecated { all["org.freedesktop.DBus.Deprecated"] = "true" }
        self.name = name
        self.annotations = all
        self.kind = kind
    }
}
