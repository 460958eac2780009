// WireValidator: whether bytes are values of given types.

/// Goes through the values of a body once. It accepts no more than libdbus does.
struct WireValidator {
    private static let maximumDepth = 32
    private static let maximumArray = 1 << 26

    private let body: UnsafeRawBufferPointer
    private var position = 0

    init(_ body: UnsafeRawBufferPointer) {
        self.body = body
    }

    /// Whether the whole body is values of these types, which are a valid signature.
    mutating func accepts(_ types: UnsafeRawBufferPointer) -> Bool {
        var next = 0
        while next < types.count {
            guard let end = pass(types, next, until: body.count, depth: 0) else { return false }
            next = end
        }
        return position == body.count
    }

    /// Passes the padding before a value.
    private mutating func align(to alignment: Int, until end: Int) -> Bool {
        let start = (position + alignment - 1) & ~(alignment - 1)
        guard start <= end else { return false }
        while position < start {
            guard body[position] == 0 else { return false }
            position += 1
        }
        return true
    }

    private mutating func skip(_ count: Int, until end: Int) -> Bool {
        guard count <= end - position else { return false }
        position += count
        return true
    }

    private mutating func number(until end: Int) -> UInt32? {
        guard align(to: 4, until: end), skip(4, until: end) else { return nil }
        return body.loadUnaligned(fromByteOffset: position - 4, as: UInt32.self)
    }

    /// The bytes of a text of this length and its NUL.
    private mutating func text(_ length: Int, until end: Int) -> UnsafeRawBufferPointer? {
        let start = position
        guard skip(length, until: end), skip(1, until: end), body[start + length] == 0 else { return nil }
        return UnsafeRawBufferPointer(rebasing: body[start..<start + length])
    }

    /// Passes one value of the type that begins at `next` and returns where the type after it begins.
    private mutating func pass(
        _ types: UnsafeRawBufferPointer, _ next: Int, until end: Int, depth: Int
    ) -> Int? {
        guard depth <= Self.maximumDepth else { return nil }
        switch types[next] {
        case UInt8(ascii: "s"):
            guard let length = number(until: end), let bytes = text(Int(length), until: end), Self.isText(bytes) else {
                return nil
            }
        case UInt8(ascii: "o"):
            guard let length = number(until: end), let bytes = text(Int(length), until: end), WireNames.isPath(bytes)
            else { return nil }
        case UInt8(ascii: "g"):
            guard signature(until: end) != nil else { return nil }
        case UInt8(ascii: "y"):
            guard skip(1, until: end) else { return nil }
        case UInt8(ascii: "b"):
            guard let value = number(until: end), value <= 1 else { return nil }
        case UInt8(ascii: "a"):
            return passArray(types, next, until: end, depth: depth)
        case UInt8(ascii: "("), UInt8(ascii: "{"):
            guard align(to: 8, until: end) else { return nil }
            var field = next + 1
            while types[field] != UInt8(ascii: ")"), types[field] != UInt8(ascii: "}") {
                guard let after = pass(types, field, until: end, depth: depth + 1) else { return nil }
                field = after
            }
            return field + 1
        case UInt8(ascii: "v"):
            guard let inside = signature(until: end), WireSignature.endOfType(inside, from: 0) == inside.count,
                pass(inside, 0, until: end, depth: depth + 1) != nil
            else { return nil }
        case let type:
            let size = WireBytes.alignment(of: type)
            guard align(to: size, until: end), skip(size, until: end) else { return nil }
        }
        return next + 1
    }

    private mutating func passArray(
        _ types: UnsafeRawBufferPointer, _ next: Int, until end: Int, depth: Int
    ) -> Int? {
        let element = next + 1
        guard let length = number(until: end), length <= Self.maximumArray,
            align(to: WireBytes.alignment(of: types[element]), until: end), Int(length) <= end - position,
            let after = WireSignature.endOfType(types, from: next)
        else { return nil }
        let arrayEnd = position + Int(length)
        if types[element] == UInt8(ascii: "y") {
            position = arrayEnd
        }
        while position < arrayEnd {
            guard pass(types, element, until: arrayEnd, depth: depth + 1) != nil else { return nil }
        }
        return after
    }

    private mutating func signature(until end: Int) -> UnsafeRawBufferPointer? {
        let start = position
        guard skip(1, until: end), let types = text(Int(body[start]), until: end), WireSignature.isValid(types) else {
            return nil
        }
        return types
    }

    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.allSatisfy({ $0 < 0x80 && $0 != 0 }) { return true }
        return !bytes.contains(0)
            && String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self) != nil
    }
}
