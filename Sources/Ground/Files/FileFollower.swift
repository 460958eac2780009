// FileFollower: tells when a file has changed, also one that is not there yet.

public import EventLoop

/// Follows one file by its path: its content, its coming and its going, and those of the folders above it.
@LoopActor
public final class FileFollower {
    private let path: String
    private let changed: @LoopActor () -> Void
    /// Of the file's folder, or the nearest one above it that exists.
    private var watch: DirectoryWatch?

    /// - Parameter changed: called after each change, and sometimes without one.
    public init(_ path: String, changed: @escaping @LoopActor () -> Void) {
        self.path = path
        self.changed = changed
        follow()
    }

    private func follow() {
        var child = path
        while let slash = child.lastIndex(of: "/") {
            let folder = slash == child.startIndex ? "/" : String(child[..<slash])
            let (name, isOwn) = (String(child[child.index(after: slash)...]), child == path)
            let watch = try? DirectoryWatch(folder) { [weak self] event, entry in
                let isAll = event == .overflowed || event == .folderGone
                guard let self, entry == name || isAll else { return }
                if event == .folderGone || !isOwn { follow() }
                changed()
            }
            if let watch {
                self.watch = watch
                // What was missing may have come before it was watched for.
                guard !isOwn, (try? DirectoryWatch(child) { _, _ in }) != nil else { return }
                child = path
            } else {
                guard folder != "/" else { return }
                child = folder
            }
        }
    }
}
