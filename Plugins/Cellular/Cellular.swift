// Cellular: calls over mobile networks, with the modems of the machine.

import EventLoop
import MobileNetwork
import OpenCallKit

/// What the worker keeps.
@MainActor
private final class CellularPlugin {
    private let networks: Task<MobileNetworks, Never>

    init() { networks = Task { @LoopActor in MobileNetworks() } }
}

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) { CellularPlugin() }
}
