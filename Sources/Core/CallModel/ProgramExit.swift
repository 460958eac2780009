// ProgramExit: the exit codes of callkitd and of the programs that it starts.

/// The exit codes of callkitd, callkit-worker, callkit-store, callkit-contacts and callkit-secrets, as
/// `docs/exit-codes.md` lists them. callctl has a list of its own.
public enum ProgramExit: Int32, CaseIterable, Sendable {
    case success = 0
    /// No bus, an invalid link, or another failure, which is logged.
    case failure = 1
    /// The host refused the plugin.
    case refused = 2
    /// Another callkitd owns the bus name.
    case alreadyRunning = 3
    /// The arguments are invalid.
    case usage = 64
    /// The plugin's library cannot be loaded.
    case notLoaded = 65
    /// The plugin's library lacks the entry.
    case noEntry = 66
    /// The process that started the worker has ended.
    case hostGone = 67
    /// The program could not be confined as its policy demands, or the policy is invalid.
    case notConfined = 68
    /// The store's folder is not the one that its sandbox has: another store gets it.
    case startAgain = 69
}
