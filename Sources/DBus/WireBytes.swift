// WireBytes: values laid out as they travel, in the byte order of this machine.

/// The bytes of a header or body that is being made. Its beginning is a multiple of 8 in the message.
struct WireBytes: Sendable {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func reserve(_ capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func align(to alignment: Int) {
        while bytes.count & (alignment - 1) != 0 { bytes.append(0) }
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(raw other: [UInt8]) {
        bytes.append(contentsOf: other)
    }

    /// A value that is aligned to its own size.
    mutating func append<Value: BitwiseCopyable>(fixed value: Value) {
        align(to: MemoryLayout<Value>.size)
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    /// A string or path: its length, its bytes, and a NUL.
    mutating func append(text: String) {
        append(fixed: UInt32(truncatingIfNeeded: text.utf8.count))
        append(ended: text)
    }

    /// A signature.
    mutating func append(signature: String) {
        append(UInt8(truncatingIfNeeded: signature.utf8.count))
        append(ended: signature)
    }

    private mutating func append(ended text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
        append(0)
    }

    /// Writes over four bytes that are there.
    mutating func set(_ value: UInt32, at position: Int) {
        withUnsafeBytes(of: value) { for (index, byte) in $0.enumerated() { bytes[position + index] = byte } }
    }

    mutating func set(_ byte: UInt8, at position: Int) {
        bytes[position] = byte
    }

    mutating func cut(to count: Int) {
        bytes.removeLast(bytes.count - count)
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
