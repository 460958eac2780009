// SandboxPretences: a machine that has less than this one.

public import CallModel

/// For tests: what a worker does as if the kernel did not have it.
public struct SandboxPretences: Sendable, Hashable {
    /// A part of the kernel that sandboxes are made of.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        case namespaces, landlock
    }

    /// The hidden options of callkitd, callkit-store and callkit-contacts that stand for these.
    public var arguments: [String] {
        without.sorted { $0.rawValue < $1.rawValue }.flatMap { ["--sandbox-without", $0.rawValue] }
            + (landlockABI.map { ["--sandbox-landlock-abi", String($0)] } ?? [])
    }

    /// - Throws: `InvalidArguments` for a word that is no part.
    public static func part(named word: String) throws(CallError) -> Part {
        if let part = Part(rawValue: word) { return part }
        let known = Part.allCases.map(\.rawValue).joined(separator: ", ")
        throw CallError(.invalidArguments, "\(word.excerpt) is no part of a sandbox, expected one of \(known)")
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
