// Finds the keys and values of JSON.

/// Reads objects at any depth, and the values of arrays under the key of the array. What is no JSON does no harm.
struct JSONScanner: PairScanner {
    private enum State { case between, text, escaped, plain }

    private var state = State.between
    private var bytes: [UInt8] = []
    /// The text before this one, which is a key if a colon follows.
    private var last: [UInt8]?
    /// One for each open object or array.
    private var keys: [String] = [""]

    private static let maximumDepth = 64

    mutating func read(_ byte: UInt8, into pairs: inout ListPairs) throws {
        switch state {
        case .text where byte == UInt8(ascii: "\\"): state = .escaped
        case .text where byte == UInt8(ascii: "\""):
            state = .between
            last = bytes
        case .text: append(byte)
        case .escaped:
            // Other escapes are in no number.
            append([0x62, 0x66, 0x6E, 0x72, 0x74].contains(byte) ? 0x20 : byte)
            state = .text
        case .plain where (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+"): append(byte)
        case .plain:
            state = .between
            last = bytes
            try readSign(byte, into: &pairs)
        case .between: try readSign(byte, into: &pairs)
        }
    }

    private mutating func append(_ byte: UInt8) {
        if bytes.count <= ListPairs.maximumText { bytes.append(byte) }
    }

    private mutating func readSign(_ byte: UInt8, into pairs: inout ListPairs) throws {
        switch byte {
        case UInt8(ascii: "\""):
            state = .text
            bytes = []
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            state = .plain
            bytes = [byte]
        case UInt8(ascii: ":"):
            keys[keys.count - 1] = String(decoding: last ?? [], as: UTF8.self)
            last = nil
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if byte == UInt8(ascii: "{") { try pairs.beginRecord() }
            // The values of an array have its key; without one, they can only be numbers.
            let key = keys[keys.count - 1]
            if keys.count < Self.maximumDepth {
                keys.append(byte == UInt8(ascii: "{") ? "" : key.isEmpty ? "number" : key)
            }
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            if let last { pairs.add(keys[keys.count - 1], last) }
            last = nil
            if byte != UInt8(ascii: ","), keys.count > 1 { keys.removeLast() }
            if byte == UInt8(ascii: "}") { try pairs.endRecord() }
        default: break
        }
    }
}
