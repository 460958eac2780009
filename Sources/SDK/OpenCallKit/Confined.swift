// Values of an app that are used only on a queue of its choice.

/// Carries a value of the app across threads to the queue on which it may be used. The compiler cannot check that
/// queue, hence `@unchecked`; it is safe because the value is used only on the queue that the app gave.
struct Confined<Value>: @unchecked Sendable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    /// Returns the value. Call on the app's queue only.
    func take() -> Value { value }
}

/// A weak reference to an app's delegate, to be used on the delegate's queue only.
final class DelegateReference: @unchecked Sendable {
    private weak var delegate: (any CXProviderDelegate)?

    init(_ delegate: (any CXProviderDelegate)?) { self.delegate = delegate }

    /// Returns the delegate, or nil if it has been released. Call on the delegate's queue only.
    func take() -> (any CXProviderDelegate)? { delegate }
}
