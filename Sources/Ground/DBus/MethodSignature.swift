// MethodSignature: the name and the arguments of a method, declared once for the processes that serve it or hand it on.

internal import EventLoop

/// A method without its handler: `MethodSignature("Rename", in: ["name": "s"], out: ["old": "s"])`.
public struct MethodSignature: Sendable {
    let name: String
    let inputs: [ArgumentDescription]
    let outputs: [ArgumentDescription]

    public init(
        _ name: String, in inputs: KeyValuePairs<String, String> = [:], out outputs: KeyValuePairs<String, String> = [:]
    ) {
        self.name = name
        self.inputs = inputs.map { ArgumentDescription(name: $0.key, signature: $0.value) }
        self.outputs = outputs.map { ArgumentDescription(name: $0.key, signature: $0.value) }
    }

    /// Traps unless these are the types of the arguments.
    func check(_ inputs: [String], _ outputs: [String]) {
        precondition(
            inputs == self.inputs.map(\.signature) && outputs == self.outputs.map(\.signature),
            "\(name) is served with other types than declared")
    }
}

extension Method {
    /// A method that is declared elsewhere. Traps if its types are others.
    public init<each In: DBusType, each Out: DBusType, Failure: Error>(
        _ declared: MethodSignature,
        _ handler: @escaping @LoopActor (Object, CallContext, repeat each In) throws(Failure) -> (repeat each Out)
    ) {
        declared.check(signatures(repeat (each In).self), signatures(repeat (each Out).self))
        self.init(declared.name, in: declared.inputs.map(\.name), out: declared.outputs.map(\.name), handler)
    }
}

extension DeferredMethod {
    /// A method that is declared elsewhere. Traps if its types are others.
    public init<each In: DBusType, each Out: DBusType, Failure: Error>(
        _ declared: MethodSignature,
        _ handler: @escaping @LoopActor (Object, Invocation<repeat each Out>, repeat each In) throws(Failure) -> Void
    ) {
        declared.check(signatures(repeat (each In).self), signatures(repeat (each Out).self))
        self.init(declared.name, in: declared.inputs.map(\.name), out: declared.outputs.map(\.name), handler)
    }
}
