// LoopActor: the global actor whose executor is the loop's thread.

/// Everything that lives on the loop's thread.
@globalActor
public actor LoopActor {
    public static let shared = LoopActor()

    nonisolated public var unownedExecutor: UnownedSerialExecutor { Loop.shared.asUnownedSerialExecutor() }

    /// Runs `body` at once, as code of the actor. Traps when the caller is not on the loop's thread.
    @inlinable
    nonisolated public static func assumeIsolated<Value, Failure: Error>(
        _ body: @LoopActor () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(Loop.shared.isCurrent, "LoopActor code was entered from another thread")
        typealias Isolated = @LoopActor () throws(Failure) -> Value
        typealias Plain = () throws(Failure) -> Value
        return try withoutActuallyEscaping(body) { (isolated: @escaping Isolated) throws(Failure) -> Value in
            try unsafeBitCast(isolated, to: Plain.self)()
        }
    }
}
