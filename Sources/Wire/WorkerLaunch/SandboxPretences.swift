// SandboxPretences: a machine that has less than this one.

/// For tests: what a worker does as if the kernel did not have it.
public struct SandboxPretences: Sendable, Hashable {
    /// A part of the kernel that sandboxes are made of.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        case namespaces, landlock
    }

    /// What is missing.
    public var without: Set<Part>
    /// The newest version of Landlock's interface; nil for that of the kernel.
    public var landlockABI: Int?

    public init(without: Set<Part> = [], landlockABI: Int? = nil) {
        self.without = without
        self.landlockABI = landlockABI
    }
}
