// DirectoryWatch: reports what appears in a folder and what leaves it.

internal import CSystem
public import EventLoop
internal import Glibc

public enum DirectoryEvent: Hashable, Sendable {
    /// There is a new entry, complete: closed after writing, moved in, linked, or a folder.
    case appeared
    /// The attributes of an entry changed, or those of the folder itself; then the name is empty.
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
    private let path: String
    private let inotify: Inotify
    /// Nil once it was cancelled.
    private var number: Int32?
    private let handler: @LoopActor (DirectoryEvent, String) -> Void

    /// Throws if there is no such folder.
    public init(
        _ path: String, handler: @escaping @LoopActor (DirectoryEvent, String) -> Void
    ) throws(SystemError) {
        self.path = path
        self.handler = handler
        inotify = try Inotify.shared()
        number = try inotify.add(self, path)
    }

    isolated deinit { cancel() }

    public func cancel() {
        guard let number else { return }
        inotify.remove(ObjectIdentifier(self), number)
        self.number = nil
    }

    fileprivate func report(_ mask: Int64, _ name: String) {
        guard number != nil else { return }
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
        } else if has(IN_ATTRIB) {
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

/// The inotify instance of all watches of this process. A user has 128 instances for all programs together
/// (`fs.inotify.max_user_instances`), so a program must not take one for each folder.
@LoopActor
private final class Inotify {
    private struct Watcher {
        let id: ObjectIdentifier
        weak var watch: DirectoryWatch?
    }

    private static weak var current: Inotify?
    private let descriptor: Int32
    private var readiness: FileWatch?
    /// By watch descriptor. Several watches of one folder have one, and the kernel uses none twice.
    private var watchers: [Int32: [Watcher]] = [:]

    static func shared() throws(SystemError) -> Inotify {
        if let current { return current }
        let inotify = try Inotify()
        current = inotify
        return inotify
    }

    private init() throws(SystemError) {
        descriptor = inotify_init1(ock_inotify_flags)
        guard descriptor >= 0 else { throw .last("inotify_init1") }
        readiness = try FileWatch(descriptor, .readable) { [weak self] _ in self?.drain() }
    }

    isolated deinit {
        readiness?.cancel()
        if descriptor >= 0 { close(descriptor) }
    }

    func add(_ watch: DirectoryWatch, _ path: String) throws(SystemError) -> Int32 {
        let entries = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
        let mask = UInt32(entries | IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        let number = inotify_add_watch(descriptor, path, mask)
        guard number >= 0 else { throw .last("inotify_add_watch") }
        watchers[number, default: []].append(Watcher(id: ObjectIdentifier(watch), watch: watch))
        return number
    }

    func remove(_ id: ObjectIdentifier, _ number: Int32) {
        watchers[number]?.removeAll { $0.id == id }
        guard watchers[number]?.isEmpty == true else { return }
        watchers[number] = nil
        inotify_rm_watch(descriptor, number)
    }

    private func drain() {
        var events: [(number: Int32, mask: UInt32, name: String)] = []
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            let size = read(descriptor, buffer.baseAddress, buffer.count)
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= size {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(size, offset + header + Int(event.len))
                let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
                events.append((event.wd, event.mask, String(decoding: name, as: UTF8.self)))
                offset = end
            }
        }
        for (number, mask, name) in events {
            // An overflow has no number: it concerns all.
            let concerned = number < 0 ? watchers.values.flatMap { $0 } : watchers[number] ?? []
            for watcher in concerned { watcher.watch?.report(Int64(mask), name) }
        }
    }
}
