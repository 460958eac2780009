// CXCallDirectoryProvider: brings numbers to block and to identify.

/// Base of a directory extension: override `beginRequest(with:)` and add the entries there (CallKit:
/// CXCallDirectoryProvider). It is run when the directory is loaded, in a process that lives as long as the request, never
/// for a call; see `DirectoryMain` for the plugin's entry. To try one, hand it a context of your own.
open class CXCallDirectoryProvider {
    /// Made once for each load.
    public init() {}

    /// Add all entries to the context, then complete or cancel the request.
    open func beginRequest(with context: CXCallDirectoryExtensionContext) {}
}

/// Hears that a request came to nothing (CallKit: CXCallDirectoryExtensionContextDelegate).
public protocol CXCallDirectoryExtensionContextDelegate: AnyObject {
    /// A request was completed after a rule had been broken, or was cancelled.
    /// Called on the thread that did it.
    /// - Parameters:
    ///   - extensionContext: the request.
    ///   - error: a `CXErrorCodeCallDirectoryManagerError`, or what `cancelRequest(withError:)` was given.
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}
