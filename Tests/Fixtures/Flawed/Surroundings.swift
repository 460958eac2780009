// What a network plugin finds around it, as files: whether there is a network, and a call that outlives it.

import Dispatch
import Glibc
import OpenCallKit

/// The folder `network` in the bundle, which the test changes. Without it the network never goes, and no call outlives its
/// worker.
struct Surroundings: Sendable {
    /// A file that is there while the network is lost.
    private static let lost = "lost"
    /// A file that is there while there is a call.
    private static let call = "call"

    static let present: Surroundings? = {
        let folder = PluginMain.resourceDirectory + "/network"
        guard !PluginMain.resourceDirectory.isEmpty, access(folder, F_OK) == 0, let home = getenv("HOME") else { return nil }
        return Surroundings(folder: folder, home: String(cString: home))
    }()

    private let folder: String
    /// The plugin's own folder.
    private let home: String

    var isNetworkLost: Bool { access("\(folder)/\(Self.lost)", F_OK) == 0 }

    var hasCall: Bool {
        get { access("\(home)/\(Self.call)", F_OK) == 0 }
        nonmutating set {
            let path = "\(home)/\(Self.call)"
            if newValue { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) } else { unlink(path) }
        }
    }

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
