// CXCallDirectoryProvider: supplies numbers to block and to identify.

/// The base class of a directory extension: override `beginRequest(with:)` and add the entries there (CallKit:
/// CXCallDirectoryProvider). It runs only while the directory is loaded, in a process of its own; see `DirectoryMain`
/// for the plugin's entry. To test one, pass it a context made by `CXCallDirectoryExtensionContext.init(testing:)`.
open class CXCallDirectoryProvider {
    /// Creates a provider; called once for each load.
    public init() {}

    /// Adds all entries to the context, then completes or cancels the request. Override this method.
    open func beginRequest(with context: CXCallDirectoryExtensionContext) {}
}

/// A delegate that is told when a request fails (CallKit: CXCallDirectoryExtensionContextDelegate).
public protocol CXCallDirectoryExtensionContextDelegate: AnyObject {
    /// Tells the delegate that a request has failed: it was completed after an invalid entry, or cancelled. Called on
    /// the thread that completed or cancelled it.
    /// - Parameters:
    ///   - extensionContext: the request.
    ///   - error: a `CXErrorCodeCallDirectoryManagerError`, or the error given to `cancelRequest(withError:)`.
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}
