// Values of an app that are used only on a queue of its choice.

/// Carries a value of the app across threads to the queue on which it may be used. The compiler cannot check that
/// queue, hence `@unchecked`; it is safe because the value is used only on the queue that the app gave.
package struct Confined<Value>: @unchecked Sendable {
    /// The value. To be used on the app's queue only.
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// An app's delegate, and the queue on which it is called. The delegate may be used on that queue only, which the
/// compiler cannot check.
struct Audience<Delegate>: @unchecked Sendable {
    let queue: DispatchQueue
    private let reference: () -> Delegate?

    /// - Parameters:
    ///   - queue: nil is the main queue.
    ///   - reference: returns the delegate, which it references weakly.
    init(on queue: DispatchQueue?, _ reference: @escaping () -> Delegate?) {
        self.queue = queue ?? .main
        self.reference = reference
    }

    /// The delegate, or nil if it has been released.
    var delegate: Delegate? { reference() }
}
