// DirectoryWatch: reports what appears in a folder and what leaves it.

internal import CSystem
public import EventLoop
internal import Glibc

public enum DirectoryEvent: Hashable, Sendable {
    /// There is a new entry, complete: closed after writing, moved in, linked, or a folder.
    case appeared
    /// The attributes of an entry changed.
    case modified
    /// An entry was removed or moved out.
    case vanished
    /// Events were lost: read the folder again. The name is empty.
    case overflowed
    /// The folder itself was removed or moved; nothing more will be reported. The name is empty.
    case folderGone
}

/// Watches the entries of one folder, not those of its subfolders, until it is cancelled or dropped.
@LoopActor
public final class DirectoryWatch {
    private let descriptor: Int32
    private let path: String
    private var watch: FileWatch?
    private let handler: @LoopActor (DirectoryEvent, String) -> Void

    /// Throws if there is no such folder.
    public init(
        _ path: String, handler: @escaping @LoopActor (DirectoryEvent, String) -> Void
    ) throws(SystemError) {
        self.path = path
        self.handler = handler
        descriptor = inotify_init1(ock_inotify_flags)
        guard descriptor >= 0 else { throw .last("inotify_init1") }
        let entries = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
        let mask = UInt32(entries | IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        guard inotify_add_watch(descriptor, path, mask) >= 0 else { throw .last("inotify_add_watch") }
        watch = try FileWatch(descriptor, .readable) { [weak self] _ in self?.drain() }
    }

    isolated deinit {
        cancel()
        if descriptor >= 0 { close(descriptor) }
    }

    public func cancel() {
        watch?.cancel()
        watch = nil
    }

    private func drain() {
        var events: [(UInt32, String)] = []
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            let size = read(descriptor, buffer.baseAddress, buffer.count)
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= size {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(size, offset + header + Int(event.len))
                let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
                events.append((event.mask, String(decoding: name, as: UTF8.self)))
                offset = end
            }
        }
        for (mask, name) in events where watch != nil { report(Int64(mask), name) }
    }

    private func report(_ mask: Int64, _ name: String) {
        func has(_ bits: Int32) -> Bool { mask & Int64(bits) != 0 }
        if has(IN_Q_OVERFLOW) {
            handler(.overflowed, "")
        } else if has(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) {
            cancel()
            handler(.folderGone, "")
        } else if has(IN_CLOSE_WRITE | IN_MOVED_TO) || has(IN_CREATE) && isComplete(name) {
            handler(.appeared, name)
        } else if has(IN_DELETE | IN_MOVED_FROM) {
            handler(.vanished, name)
        } else if has(IN_ATTRIB), !name.isEmpty {
            handler(.modified, name)
        }
    }

    /// A file that was just created will be reported when it is closed; folders and links never are.
    private func isComplete(_ name: String) -> Bool {
        var status = stat()
        guard lstat("\(path)/\(name)", &status) == 0 else { return false }
        return status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
    }
}
