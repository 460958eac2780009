// The bytes of a compiled directory: mapped from its file, or in memory. All that is unsafe about reading one is here.

internal import Glibc

/// Bytes that do not change. Reading beyond their end gives zeros.
final class Bytes: @unchecked Sendable {
    private let base: UnsafeRawPointer
    let count: Int
    private let isMapped: Bool

    /// Maps a regular file. The file may be renamed and removed meanwhile, not cut.
    init(mapping path: String) throws(CompiledDirectoryError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last("open \(path)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("fstat \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .damaged("it is no regular file") }
        guard status.st_size >= DirectoryLayout.headerBytes else { throw .damaged("it ends within its header") }
        count = Int(status.st_size)
        guard let mapped = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED else {
            throw .last("mmap \(path)")
        }
        base = UnsafeRawPointer(mapped)
        isMapped = true
    }

    init(_ bytes: [UInt8]) {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
        bytes.withUnsafeBytes {
            copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: bytes.count)
        }
        base = UnsafeRawPointer(copy)
        count = bytes.count
        isMapped = false
    }

    deinit {
        if isMapped { munmap(UnsafeMutableRawPointer(mutating: base), count) } else { base.deallocate() }
    }

    /// The eight bytes at `offset`, which need not be a multiple of anything.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        guard offset >= 0, offset <= count - 8 else { return 0 }
        return UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    func half(at offset: Int) -> UInt32 {
        guard offset >= 0, offset <= count - 4 else { return 0 }
        return UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The bits that begin `bit` bits after the byte at `offset`.
    /// - Parameter width: 0 to 56, or 64; `bit` is a multiple of 64 then.
    @inline(__always)
    func bits(at offset: Int, _ bit: Int, width: Int) -> UInt64 {
        let mask: UInt64 = width >= 64 ? .max : (1 &<< UInt64(width)) &- 1
        return word(at: offset &+ bit &>> 3) &>> UInt64(bit & 7) & mask
    }

    /// Text that is no UTF-8 is repaired.
    func text(at range: Range<Int>) -> String {
        guard range.lowerBound >= 0, range.upperBound <= count else { return "" }
        return String(
            decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(start: base, count: count)[range]),
            as: UTF8.self)
    }

    func checksum(of range: Range<Int>, into checksum: inout Checksum) {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) { checksum.add(word(at: offset)) }
    }
}
