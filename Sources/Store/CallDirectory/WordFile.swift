// WordFile: a file that is written once, and is there as a whole or not at all.

internal import Glibc

/// Writes words to a temporary file, flushes it to the disk and renames it. Releasing it before that leaves the earlier file.
final class WordFile {
    private static let bufferedWords = 8_192

    let path: String
    private let temporary: String
    private var descriptor: Int32
    private var buffer: [UInt64] = []
    private var flushed: Int
    private(set) var checksum = Checksum()

    /// - Parameter headerWords: how many words to leave free at the beginning for the header.
    init(_ path: String, headerWords: Int) throws(CompiledDirectoryError) {
        self.path = path
        temporary = path + ".new"
        flushed = headerWords
        buffer.reserveCapacity(Self.bufferedWords)
        unlink(temporary)
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("open \(temporary)") }
        guard lseek(descriptor, off_t(headerWords * 8), SEEK_SET) >= 0 else { throw .last("lseek \(temporary)") }
    }

    deinit { abandon() }

    /// Makes a file without a name, for words that are appended to another file later.
    /// - Parameter path: the path of the other file.
    init(besides path: String) throws(CompiledDirectoryError) {
        self.path = path
        temporary = path + ".aside"
        flushed = 0
        buffer.reserveCapacity(Self.bufferedWords)
        unlink(temporary)
        descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("open \(temporary)") }
        unlink(temporary)
    }

    /// Appends all of `other`. Do not use `other` after that.
    func append(all other: WordFile) throws(CompiledDirectoryError) {
        try other.flush()
        var piece = [UInt64](repeating: 0, count: Self.bufferedWords)
        var start = 0
        while start < other.flushed {
            let size = min(piece.count, other.flushed - start) * 8
            let count = piece.withUnsafeMutableBytes { pread(other.descriptor, $0.baseAddress, size, off_t(start * 8)) }
            if count < 0, errno == EINTR { continue }
            guard count == size else {
                throw .system(call: "read \(other.temporary)", code: count < 0 ? errno : EIO)
            }
            for word in piece[..<(size / 8)] { try append(UInt64(littleEndian: word)) }
            start += size / 8
        }
        other.abandon()
    }

    /// How much is written, in words.
    var position: Int { flushed + buffer.count }

    func append(_ word: UInt64) throws(CompiledDirectoryError) {
        buffer.append(word.littleEndian)
        checksum.add(word)
        if buffer.count == Self.bufferedWords { try flush() }
    }

    func abandon() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(temporary)
        descriptor = -1
    }

    /// Writes the header and moves the file into place.
    func finish(header: [UInt64]) throws(CompiledDirectoryError) {
        try flush()
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .last("lseek \(temporary)") }
        buffer = header.map(\.littleEndian)
        try flush()
        guard fsync(descriptor) == 0 else { throw .last("fsync \(temporary)") }
        guard rename(temporary, path) == 0 else { throw .last("rename \(path)") }
        close(descriptor)
        descriptor = -1
        try Self.flushFolder(of: path)
    }

    private func flush() throws(CompiledDirectoryError) {
        let size = buffer.count * 8
        var written = 0
        while written < size {
            let count = buffer.withUnsafeBytes { bytes in
                write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[written...]).baseAddress, size - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "write \(temporary)", code: count == 0 ? ENOSPC : errno) }
            written += count
        }
        flushed += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Makes the new name durable.
    static func flushFolder(of path: String) throws(CompiledDirectoryError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("fsync \(folder)") }
    }
}
