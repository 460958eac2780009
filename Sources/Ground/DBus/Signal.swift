// Signal: a signal of an interface.

/// A signal of an interface. Declare it as a static constant, put it into the interface's table, and emit it with
/// `ObjectTree.emit`.
public struct Signal<each Argument: DBusType>: Sendable {
    /// The interface that the signal is of.
    public let interface: String
    public let name: String
    let description: MemberDescription

    public init(
        _ interface: String, _ name: String, args: [String] = [], deprecated: Bool = false,
        annotations: [String: String] = [:]
    ) {
        self.interface = interface
        self.name = name
        let arguments = ArgumentDescription.list(args, signatures(repeat (each Argument).self))
        description = MemberDescription(name, annotations, deprecated: deprecated, .signal(arguments))
    }
}

/// A signal that carries nothing.
public typealias VoidSignal = Signal<>
