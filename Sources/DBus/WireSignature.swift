// WireSignature: finding one's way in a signature.

/// The rules of signatures, on their bytes.
enum WireSignature {
    /// How deep arrays and structures may be nested, each.
    private static let maximumDepth = 32

    /// The end of the complete type that begins at `start`; nil if there is none.
    static func endOfType(
        _ types: UnsafeRawBufferPointer, from start: Int, arrays: Int = 0, structures: Int = 0
    ) -> Int? {
        guard start < types.count else { return nil }
        switch types[start] {
        case UInt8(ascii: "a"):
            let element = start + 1
            guard arrays < maximumDepth, element < types.count else { return nil }
            guard types[element] == UInt8(ascii: "{") else {
                return endOfType(types, from: element, arrays: arrays + 1, structures: structures)
            }
            guard structures < maximumDepth, element + 1 < types.count, isBasic(types[element + 1]),
                let end = endOfType(types, from: element + 2, arrays: arrays + 1, structures: structures + 1),
                end < types.count, types[end] == UInt8(ascii: "}")
            else { return nil }
            return end + 1
        case UInt8(ascii: "("):
            guard structures < maximumDepth else { return nil }
            var position = start + 1
            repeat {
                guard let end = endOfType(types, from: position, arrays: arrays, structures: structures + 1) else {
                    return nil
                }
                position = end
            } while position < types.count && types[position] != UInt8(ascii: ")")
            return position < types.count ? position + 1 : nil
        case UInt8(ascii: "v"): return start + 1
        case let type: return isBasic(type) ? start + 1 : nil
        }
    }

    /// Whether these are complete types, at most 255 bytes of them.
    static func isValid(_ types: UnsafeRawBufferPointer) -> Bool {
        guard types.count <= 255 else { return false }
        var position = 0
        while position < types.count {
            guard let end = endOfType(types, from: position) else { return false }
            position = end
        }
        return true
    }

    /// Basic types, without descriptors, which are not carried.
    private static func isBasic(_ type: UInt8) -> Bool {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "b"), UInt8(ascii: "n"), UInt8(ascii: "q"), UInt8(ascii: "i"),
            UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "s"),
            UInt8(ascii: "o"), UInt8(ascii: "g"):
            true
        default: false
        }
    }
}
