// SandboxLimit: what a worker can have of the machine.

/// A limit of a worker. Raw values are the words of its policy.
public enum SandboxLimit: String, Sendable, Hashable, CaseIterable {
    /// Memory of its own, in bytes.
    case memory
    /// The size of one file, in bytes.
    case file
    case threads
    case descriptors
    /// The time of one processor, in seconds.
    case cpu
}
