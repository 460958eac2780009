// The entry of a plugin, in place of the app delegate of the imitation Walkie, whose files it shares.

import OpenCallKitPort

@c(opencallkit_plugin_main)
public func main(_ link: CInt) -> CInt {
    PluginMain.run(link) {
        let receiver = WalkiePushReceiver()
        receiver.applicationDidFinishLaunching()
        return receiver
    }
}
