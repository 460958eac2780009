// A test plugin that keeps many threads, queues, timers and tasks busy, to see that they work in the sandbox.

import CheckingProvider
import OpenCallKit

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) { CheckingProvider("DispatchPlugin", QueueChecks.all + TaskChecks.all) }
}
