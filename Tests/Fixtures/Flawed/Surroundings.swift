// What a network plugin finds around it, as files in a folder: whether there is a network, and a call that outlives it.

import Dispatch
import Glibc

/// The folder OPENCALLKIT_FLAWED_FOLDER. Without it the network never goes, and no call outlives its worker.
struct Surroundings: Sendable {
    /// A file that is there while the network is lost.
    private static let lost = "lost"
    /// A file that is there while there is a call.
    private static let call = "call"

    static let present = getenv("OPENCALLKIT_FLAWED_FOLDER").map { Surroundings(folder: String(cString: $0)) }

    private let folder: String

    var isNetworkLost: Bool { has(Self.lost) }

    var hasCall: Bool {
        get { has(Self.call) }
        nonmutating set {
            let path = "\(folder)/\(Self.call)"
            if newValue { close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) } else { unlink(path) }
        }
    }

    private func has(_ name: String) -> Bool { access("\(folder)/\(name)", F_OK) == 0 }

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
