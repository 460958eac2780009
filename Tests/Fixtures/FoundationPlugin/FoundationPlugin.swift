// A test plugin that uses much of Foundation, as an app's code does, to see what of it works in the sandbox.

import CheckingProvider
import OpenCallKit

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) {
        CheckingProvider("FoundationPlugin", FileChecks.all + ValueChecks.all + SystemChecks.all)
    }
}
