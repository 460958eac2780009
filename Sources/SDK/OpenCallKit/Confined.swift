// What an app hands over and gets back on the queue of its choice.

/// Carries a value of the app's across threads to the one queue on which it may be used again. The compiler cannot know
/// that queue, hence `@unchecked`: CallKit's promise, "called on the queue you gave", is what makes it sound.
struct Confined<Value>: @unchecked Sendable {
    private let value: Value

    init(_ value: Value) { self.value = value }

    /// To be called on the app's queue only.
    func take() -> Value { value }
}

/// A weak reference to an app's delegate, to be followed on the delegate's queue only.
final class DelegateReference: @unchecked Sendable {
    private weak var delegate: (any CXProviderDelegate)?

    init(_ delegate: (any CXProviderDelegate)?) { self.delegate = delegate }

    /// - Returns: nil when the delegate is gone. To be called on the delegate's queue only.
    func take() -> (any CXProviderDelegate)? { delegate }
}
