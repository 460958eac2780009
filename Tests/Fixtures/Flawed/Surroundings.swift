// What a network plugin finds around it, as files: whether there is a network, and a call that outlives it.

import Dispatch
import Glibc
import OpenCallKit

/// The folder `network` in the bundle, which the test changes. Without it the network never goes, and no call outlives
/// its worker.
struct Surroundings: Sendable {
    /// A file that is there while the network is lost.
    private static let lost = "lost"

    static let present: Surroundings? = {
        let folder = PluginMain.resourceDirectory + "/network"
        guard !PluginMain.resourceDirectory.isEmpty, access(folder, F_OK) == 0 else { return nil }
        return Surroundings(folder: folder)
    }()

    private let folder: String

    var isNetworkLost: Bool { access("\(folder)/\(Self.lost)", F_OK) == 0 }

    /// Whether there is a call: a file in the plugin's own folder.
    static var hasCall: Bool {
        get { access(callFile, F_OK) == 0 }
        set { if newValue { close(open(callFile, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) } else { unlink(callFile) } }
    }

    private static var callFile: String { (getenv("HOME").map { String(cString: $0) } ?? "") + "/call" }

    /// Calls a handler on the main queue whenever a file comes or goes.
    func watch(_ handler: @escaping @MainActor () -> Void) -> any DispatchSourceRead {
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        inotify_add_watch(watch, folder, UInt32(IN_CREATE | IN_DELETE))
        let source = DispatchSource.makeReadSource(fileDescriptor: watch, queue: .main)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while read(watch, &buffer, buffer.count) > 0 {}
            MainActor.assumeIsolated(handler)
        }
        source.activate()
        return source
    }
}
