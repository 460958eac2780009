// Finds the keys and values of JSON.

/// Reads objects at any depth, and the values of arrays under the key of the array. What is no JSON does no harm.
///
/// Foundation's decoder reads a file as a whole, and one fault costs all of it. This one keeps one record of millions, and
/// knows the line of each.
struct JSONScanner: PairScanner {
    private enum State: Equatable { case between, text, escaped, unicode, plain }

    private var state = State.between
    private var bytes: [UInt8] = []
    /// The hexadecimal digits of an escape, and the first half of a sign that takes two escapes.
    private var unit: [UInt8] = []
    private var half: UInt16?
    /// The text before this one, which is a key if a colon follows.
    private var last: [UInt8]?
    /// One for each open object or array.
    private var keys: [String] = [""]

    private static let maximumDepth = 64
    private static let escapes: [UInt8] = Array("bfnrt".utf8)

    mutating func read(_ byte: UInt8, into pairs: inout ListPairs) throws {
        switch state {
        case .text where byte == UInt8(ascii: "\\"): state = .escaped
        case .text where byte == UInt8(ascii: "\""):
            state = .between
            last = bytes
        case .text: append(byte)
        case .escaped where byte == UInt8(ascii: "u"): (state, unit) = (.unicode, [])
        case .escaped:
            append(Self.escapes.contains(byte) ? 0x20 : byte)
            state = .text
        case .unicode: readUnit(byte)
        // All of a number, so that one with a fraction or an exponent is not taken for another one.
        case .plain where (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte): append(byte)
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

    /// Reads a digit of an escape such as `\u002B`.
    private mutating func readUnit(_ byte: UInt8) {
        unit.append(byte)
        guard unit.count == 4 else { return }
        state = .text
        guard let value = UInt16(String(decoding: unit, as: UTF8.self), radix: 16) else { return }
        if UTF16.isLeadSurrogate(value) {
            half = value
            return
        }
        let units = UTF16.isTrailSurrogate(value) ? [half ?? value, value] : [value]
        half = nil
        for byte in String(decoding: units, as: UTF16.self).utf8 { append(byte) }
    }

    private mutating func readSign(_ byte: UInt8, into pairs: inout ListPairs) throws {
        switch byte {
        case UInt8(ascii: "\""):
            state = .text
            bytes = []
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
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
