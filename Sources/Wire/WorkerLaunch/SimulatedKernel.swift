// SimulatedKernel: kernel features that tests switch off.

public import CallModel

/// The kernel features that a sandbox does without, as on a machine that lacks them. For tests only.
public struct SimulatedKernel: Sendable, Hashable {
    /// A kernel feature on which sandboxes are built. Raw values are the words of policies and options.
    public enum Feature: String, Sendable, Hashable, CaseIterable {
        case namespaces, landlock
    }

    /// The hidden options by which callkitd, callkit-store and callkit-contacts take these values.
    public var arguments: [String] {
        without.sorted { $0.rawValue < $1.rawValue }.flatMap { ["--sandbox-without", $0.rawValue] }
            + (landlockABI.map { ["--sandbox-landlock-abi", String($0)] } ?? [])
    }

    /// - Throws: `InvalidArguments` if the word names no feature.
    public static func feature(named word: String) throws(CallError) -> Feature {
        if let feature = Feature(rawValue: word) { return feature }
        let known = Feature.allCases.map(\.rawValue).joined(separator: ", ")
        throw CallError(.invalidArguments, "\(word.excerpt) is no kernel feature, expected one of \(known)")
    }

    /// The features that are switched off.
    public var without: Set<Feature>
    /// The newest version of the Landlock ABI that is used; nil for the kernel's.
    public var landlockABI: Int?

    public init(without: Set<Feature> = [], landlockABI: Int? = nil) {
        self.without = without
        self.landlockABI = landlockABI
    }
}
