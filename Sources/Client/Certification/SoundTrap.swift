// SoundTrap: sees whether a plugin reaches for the sound before it is its turn.

import EventLoop
import Files
import Glibc

/// A socket in the place of the sound server's. It plays nothing, and counts who comes.
@LoopActor
final class SoundTrap {
    private let folder: String
    private var listener: SocketListener?
    /// How often a plugin has connected.
    private(set) var visits = 0

    init() throws(SystemError) {
        folder = "/tmp/callctl-certify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileWriter.makeFolder(folder)
        listener = try SocketListener(path) { [weak self] in self?.visits += 1 }
    }

    isolated deinit { remove() }

    /// Removes the socket. What was counted stays.
    func remove() {
        guard listener != nil else { return }
        listener = nil
        unlink(path)
        rmdir(folder)
    }

    /// The variables by which clients of PulseAudio and PipeWire find the socket.
    var environment: [String: String] { ["PULSE_SERVER": "unix:\(path)", "PIPEWIRE_REMOTE": path] }

    private var path: String { folder + "/sound" }

    /// The sound and video devices that a process has open.
    static func devices(of pid: Int32) -> [String] {
        let folder = "/proc/\(pid)/fd"
        let names = (try? FolderListing.names(in: folder, limit: 4_096) { _ in true }) ?? []
        return names.compactMap { try? FileStatus.resolve("\(folder)/\($0)") }.filter { path in
            ["/dev/snd/", "/dev/dsp", "/dev/video"].contains { path.hasPrefix($0) }
        }
    }
}
