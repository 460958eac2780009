// PluginBook: what the other parts ask of plugins.

import CallModel
import DBus
import EventLoop

/// Which plugin is where.
@LoopActor
protocol PluginBook: AnyObject {
    /// The ids of the plugins that were found, whether or not they run.
    var ids: Set<String> { get }

    /// The plugin whose worker has the other end of `channel`.
    func plugin(on channel: any MessageChannel) -> Plugin?

    /// Ends a plugin that does too much, and does not start it again.
    func quarantine(_ id: String, _ reason: String)

    /// Forgets the decisions about a plugin that is not there, and removes its folders.
    ///
    /// - Parameter then: Called with whether anything was there, or with the error that kept a folder.
    /// - Throws: the errors of `ForgetPlugin`; nothing has changed then.
    func forget(_ id: String, then: @escaping @LoopActor (Result<Bool, SystemError>) -> Void) throws(CallError)
}
