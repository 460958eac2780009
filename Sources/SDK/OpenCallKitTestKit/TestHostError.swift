// TestHostError: what can go wrong with a test itself.

/// Why a test cannot go on.
public enum TestHostError: Error, Hashable, CustomStringConvertible {
    /// What was waited for did not come; with the last lines of the host's transcript.
    case late(String)
    /// No provider with this id is registered.
    case noProvider(String)
    /// The host refused what a ``TestProvider`` reported, such as `FilteredByDoNotDisturb: …`.
    case refused(String)
    /// This process is a provider elsewhere already: it made a `CXProvider` outside of ``TestHost``.
    case elsewhere

    /// What went wrong, for the one who reads the test's output.
    public var description: String {
        switch self {
        case .late(let text), .refused(let text): text
        case .noProvider(let id): "no provider \(id)"
        case .elsewhere: "this process looks for callkitd already: make providers inside TestHost.run only"
        }
    }
}
