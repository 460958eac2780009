// Method and DeferredMethod: what can be called.

internal import EventLoop

/// A method whose handler returns the answer, or throws. Types of arguments and results are those of the closure:
/// `Method("Rename", in: ["name"], out: ["old"]) { (thing: Thing, _, name: String) in try thing.rename(name) }`.
public struct Method<Object: AnyObject>: Sendable {
    let member: Member<Object>

    public init<each In: DBusType, each Out: DBusType, Failure: Error>(
        _ name: String, in inputs: [String] = [], out outputs: [String] = [], deprecated: Bool = false,
        annotations: [String: String] = [:],
        _ handler: @escaping @LoopActor (Object, CallContext, repeat each In) throws(Failure) -> (repeat each Out)
    ) {
        let method = MethodDescription(
            inputs: ArgumentDescription.list(inputs, signatures(repeat (each In).self)),
            outputs: ArgumentDescription.list(outputs, signatures(repeat (each Out).self)),
            inputSignature: signatures(repeat (each In).self).joined()
        ) { object, context in
            let arguments: Struct<repeat each In> = try context.message.readChecked()
            let results = try handler(
                unsafeDowncast(object, to: Object.self), context, repeat each arguments.fields)
            context.answer { try context.message.reply(repeat each results) }
        }
        member = Member(description: MemberDescription(name, annotations, deprecated: deprecated, .method(method)))
    }
}

/// Arguments that read themselves, one after the other. For methods that are called often: typed arguments take longer.
public protocol MessageArguments {
    /// The signature of each argument.
    static var signatures: [String] { get }
    init(from reader: inout MessageReader) throws(DBusError)
}

/// A method whose handler answers later, through the invocation it gets. What it throws is an answer too.
public struct DeferredMethod<Object: AnyObject>: Sendable {
    let member: Member<Object>

    public init<each In: DBusType, each Out: DBusType, Failure: Error>(
        _ name: String, in inputs: [String] = [], out outputs: [String] = [], deprecated: Bool = false,
        annotations: [String: String] = [:],
        _ handler: @escaping @LoopActor (Object, Invocation<repeat each Out>, repeat each In) throws(Failure) -> Void
    ) {
        let method = MethodDescription(
            inputs: ArgumentDescription.list(inputs, signatures(repeat (each In).self)),
            outputs: ArgumentDescription.list(outputs, signatures(repeat (each Out).self)),
            inputSignature: signatures(repeat (each In).self).joined()
        ) { object, context in
            let arguments: Struct<repeat each In> = try context.message.readChecked()
            let invocation = Invocation<repeat each Out>(context)
            do {
                try handler(unsafeDowncast(object, to: Object.self), invocation, repeat each arguments.fields)
            } catch {
                invocation.fail(error)
            }
        }
        member = Member(description: MemberDescription(name, annotations, deprecated: deprecated, .method(method)))
    }

    /// A method whose arguments are read as a whole.
    public init<Arguments: MessageArguments, each Out: DBusType, Failure: Error>(
        _ name: String, in inputs: [String] = [], out outputs: [String] = [], reading: Arguments.Type,
        _ handler: @escaping @LoopActor (Object, Invocation<repeat each Out>, Arguments) throws(Failure) -> Void
    ) {
        let method = MethodDescription(
            inputs: ArgumentDescription.list(inputs, Arguments.signatures),
            outputs: ArgumentDescription.list(outputs, signatures(repeat (each Out).self)),
            inputSignature: Arguments.signatures.joined()
        ) { object, context in
            let arguments = try context.message.read { (reader) throws(DBusError) in try Arguments(from: &reader) }
            let invocation = Invocation<repeat each Out>(context)
            do {
                try handler(unsafeDowncast(object, to: Object.self), invocation, arguments)
            } catch {
                invocation.fail(error)
            }
        }
        member = Member(description: MemberDescription(name, [:], deprecated: false, .method(method)))
    }
}
