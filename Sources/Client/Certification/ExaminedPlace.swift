// ExaminedPlace: where a plugin that is examined keeps what it writes.

import EventLoop
import Files
import Glibc
import WorkerLaunch

/// Folders in place of those that the plugin has with callkitd. All workers of an examination share them; then they are
/// removed.
@LoopActor
final class ExaminedPlace {
    let storage: PluginStorage
    private let folder: String

    init() throws(SystemError) {
        folder = "/tmp/callctl-certify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileWriter.makePrivateFolder(folder)
        storage = PluginStorage(state: "\(folder)/plugins/state", cache: "\(folder)/plugins/cache")
    }

    isolated deinit {
        try? storage.remove()
        try? FolderTree.remove(folder)
    }
}
