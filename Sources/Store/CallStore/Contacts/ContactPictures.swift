// ContactPictures: the files with the contacts' pictures.

import EventLoop
import Files
internal import Glibc

/// Keeps the pictures in a folder of the runtime directory, which other programs show. Each content is one file, with a
/// name that tells nothing of the contact.
@LoopActor
final class ContactPictures {
    /// The folder below `XDG_RUNTIME_DIR`.
    nonisolated static let name = "opencallkit/pictures"
    /// The most bytes of all pictures.
    static let maximumBytes = 64 << 20
    /// The most pixels of a side: those who show a picture decode it.
    static let maximumSide = 4_096

    private let folder: String
    /// The sizes of the files, by their paths.
    private var sizes: [String: Int] = [:]
    private var total = 0

    /// - Returns: nil without a runtime directory.
    init?(environment: [String: String]) {
        guard let folder = Self.folder(environment) else { return nil }
        self.folder = folder
    }

    nonisolated static func folder(_ environment: [String: String]) -> String? {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        return "\(runtime)/\(name)"
    }

    /// Removes what an earlier process left.
    func removeAll() {
        for name in (try? FolderListing.names(in: folder, limit: FolderListing.maximumEntries) { _ in true }) ?? [] {
            unlink("\(folder)/\(name)")
        }
        (sizes, total) = ([:], 0)
    }

    /// Writes a picture, unless it is there.
    ///
    /// - Parameter bytes: of any content.
    /// - Returns: the path of its file; "" if it is no PNG or JPEG, is too large, or cannot be written.
    func path(of bytes: [UInt8]) -> String {
        guard let header = PictureHeader(bytes), max(header.width, header.height) <= Self.maximumSide else { return "" }
        let path = "\(folder)/\(Self.digest(of: bytes)).\(header.format)"
        if sizes[path] != nil { return path }
        guard total + bytes.count <= Self.maximumBytes, (try? FileWriter.makeFolder(folder)) != nil,
            (try? FileWriter.replace(path, with: bytes)) != nil
        else { return "" }
        sizes[path] = bytes.count
        total += bytes.count
        return path
    }

    /// Removes all other files.
    func keep(only paths: Set<String>) {
        for (path, size) in sizes where !paths.contains(path) {
            unlink(path)
            sizes[path] = nil
            total -= size
        }
    }

    /// Returns 32 hexadecimal digits that nobody can foresee: the key of `Hasher` is a secret of the process.
    private static func digest(of bytes: [UInt8]) -> String {
        [0, 1].map { half in
            var hasher = Hasher()
            hasher.combine(half)
            hasher.combine(bytes)
            let digits = String(UInt(bitPattern: hasher.finalize()), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
