// SIP: calls over the internet, with SIP accounts.

import EventLoop
import OpenCallKit

/// What the worker keeps.
@MainActor
private final class SIPPlugin {
    private let accounts: Task<Accounts, Never>

    init() { accounts = Task { @LoopActor in Accounts() } }
}

/// How long the servers have for saying goodbye.
private let farewell = Duration.milliseconds(800)

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    let code = PluginMain.run(link) { SIPPlugin() }
    // callkitd has gone, or wants the plugin to end: calls are hung up, and accounts are no longer reachable here.
    Engine.stop(within: farewell)
    return code
}
