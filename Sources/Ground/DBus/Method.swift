// Method and DeferredMethod: the methods of an interface.

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

/// A method whose handler answers later, through its invocation. An error that it throws is the answer.
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
}
