// WireBytes: values laid out as they travel, in the byte order of this machine.

internal import CDBus

/// The bytes of a header or body that is being made. Its beginning is a multiple of 8 in the message. A value: what is
/// appended to one copy does not show in another.
struct WireBytes {
    private final class Storage {
        let base: UnsafeMutableRawPointer
        let capacity: Int

        init(_ capacity: Int) {
            // The standard library's own allocation aligns once more, which takes longer than the allocation.
            guard let base = malloc(capacity) else { preconditionFailure("out of memory") }
            self.base = base
            self.capacity = capacity
        }

        deinit {
            free(base)
        }
    }

    private var storage: Storage?
    private(set) var count = 0

    init() {}

    /// A copy of some bytes.
    init(_ bytes: UnsafeRawBufferPointer) {
        append(raw: bytes)
    }

    /// The bytes, valid until this value changes or goes.
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage?.base, count: count) }

    /// Makes room for so many bytes in all, in a storage that nobody else has.
    private mutating func own(_ capacity: Int) -> UnsafeMutableRawPointer {
        if isKnownUniquelyReferenced(&storage), let storage, capacity <= storage.capacity { return storage.base }
        let larger = Storage(max(192, 2 * capacity))
        if let storage { larger.base.copyMemory(from: storage.base, byteCount: count) }
        storage = larger
        return larger.base
    }

    /// Counts so many more bytes in and returns where they begin.
    private mutating func extend(_ length: Int) -> UnsafeMutableRawPointer {
        let place = own(count + length) + count
        count += length
        return place
    }

    mutating func reserve(_ capacity: Int) {
        if storage == nil { storage = Storage(capacity) }
    }

    mutating func align(to alignment: Int) {
        let padding = -count & (alignment - 1)
        if padding > 0 { memset(extend(padding), 0, padding) }
    }

    mutating func append(_ byte: UInt8) {
        extend(1).storeBytes(of: byte, as: UInt8.self)
    }

    mutating func append(raw bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        extend(bytes.count).copyMemory(from: base, byteCount: bytes.count)
    }

    /// A value that is aligned to its own size.
    mutating func append<Value: BitwiseCopyable>(fixed value: Value) {
        align(to: MemoryLayout<Value>.size)
        extend(MemoryLayout<Value>.size).storeBytes(of: value, as: Value.self)
    }

    /// A string or path: its length, its bytes, and a NUL.
    mutating func append(text bytes: UnsafeBufferPointer<UInt8>) {
        append(fixed: UInt32(truncatingIfNeeded: bytes.count))
        append(ended: bytes)
    }

    /// A signature.
    mutating func append(signature bytes: UnsafeBufferPointer<UInt8>) {
        append(UInt8(truncatingIfNeeded: bytes.count))
        append(ended: bytes)
    }

    private mutating func append(ended bytes: UnsafeBufferPointer<UInt8>) {
        let place = extend(bytes.count + 1)
        if let base = bytes.baseAddress { place.copyMemory(from: base, byteCount: bytes.count) }
        place.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    }

    /// Writes over what is there.
    mutating func set<Value: BitwiseCopyable>(_ value: Value, at position: Int) {
        own(count).storeBytes(of: value, toByteOffset: position, as: Value.self)
    }

    mutating func cut(to count: Int) {
        self.count = count
    }

    /// To what values of a type are aligned.
    static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }
}
