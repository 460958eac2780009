// Bytes: the bytes of a compiled directory, mapped from its file or in memory. All unsafe reading is here.

internal import Glibc

/// Immutable bytes. Reading beyond their end returns zeros.
final class Bytes: @unchecked Sendable {
    private let base: UnsafeRawPointer
    let count: Int
    private let isMapped: Bool

    /// Maps a regular file. The file may be renamed and removed later, but not truncated.
    init(mapping path: String) throws(CompiledDirectoryError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last("open \(path)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("fstat \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .damaged("it is not a regular file") }
        guard status.st_size >= DirectoryLayout.headerBytes else { throw .damaged("it ends within its header") }
        count = Int(status.st_size)
        guard let mapped = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED else {
            throw .last("mmap \(path)")
        }
        base = UnsafeRawPointer(mapped)
        isMapped = true
    }

    init(_ bytes: [UInt8]) {
        (base, count) = bytes.withUnsafeBytes(Self.copy)
        isMapped = false
    }

    init(words: [UInt64]) {
        (base, count) = words.map(\.littleEndian).withUnsafeBytes(Self.copy)
        isMapped = false
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawPointer, Int) {
        let copy = UnsafeMutableRawPointer.allocate(
            byteCount: max(bytes.count, 1), alignment: DirectoryLayout.lineBytes)
        copy.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(copy), byteCount: bytes.count)
        return (UnsafeRawPointer(copy), bytes.count)
    }

    deinit {
        if isMapped { munmap(UnsafeMutableRawPointer(mutating: base), count) } else { base.deallocate() }
    }

    /// Returns the eight bytes at `offset`, which need not be aligned.
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

    /// Returns the bits that begin `bit` bits after the byte at `offset`.
    /// - Parameter width: 0 to 56, or 64; `bit` is a multiple of 64 then.
    @inline(__always)
    func bits(at offset: Int, _ bit: Int, width: Int) -> UInt64 {
        let mask: UInt64 = width >= 64 ? .max : (1 &<< UInt64(width)) &- 1
        return word(at: offset &+ bit &>> 3) &>> UInt64(bit & 7) & mask
    }

    /// Returns whether one of the lanes of a line, 8 or 16 bits each, is `value`. Empty lanes are 0, so `value` is not. Compares
    /// all lanes without a branch, so that the processor does not wait for the memory.
    /// - Parameter offset: of the line, which begins with its first number and four bytes before the lanes.
    @inline(__always)
    func hasLane(_ value: UInt64, width: Int, inLineAt offset: Int) -> Bool {
        guard offset >= 0, offset <= count - DirectoryLayout.lineBytes, value >> UInt64(width) == 0 else {
            return false
        }
        let ones: UInt64 = width == 8 ? 0x0101_0101_0101_0101 : 0x0001_0001_0001_0001
        let highs = ones &<< UInt64(width - 1)
        let pattern = value &* ones
        var found: UInt64 = 0
        for index in 1..<DirectoryLayout.lineWords {
            let word = base.loadUnaligned(fromByteOffset: offset &+ index &* 8, as: UInt64.self)
            let difference = UInt64(littleEndian: word) ^ pattern | (index == 1 ? 0x0101_0101 : 0)
            found |= (difference &- ones) & ~difference & highs
        }
        return found != 0
    }

    /// Returns how many of 32 values, 15 bits in two bytes each, are not above `value`, which has 15 bits as well. Compares
    /// four at a time without a branch: the top bit of each difference tells.
    @inline(__always)
    func countNotAbove(_ value: UInt64, at offset: Int) -> Int {
        guard offset >= 0, offset <= count - 64 else { return 0 }
        let ones: UInt64 = 0x0001_0001_0001_0001
        let minuend = (value & 0x7FFF | 0x8000) &* ones
        var sums: UInt64 = 0
        for index in 0..<8 {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset &+ index &* 8, as: UInt64.self))
            sums &+= (minuend &- word) &>> 15 & ones
        }
        return Int(truncatingIfNeeded: (sums &* ones) &>> 48)
    }

    /// Returns text; repairs invalid UTF-8.
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
