// WireCursor: a place in a body that has been validated.

internal import CDBus

/// Where the next value lies, and of what type it is. The same for top level, arrays, structures and variants.
struct WireCursor {
    private let body: UnsafeRawBufferPointer
    private var types: UnsafeRawBufferPointer
    /// Of the next value.
    private var next = 0
    private var position = 0
    /// Where an array ends.
    private var end: Int
    /// In an array, every value is of the same type.
    private var repeats = false

    init(_ body: UnsafeRawBufferPointer, _ types: UnsafeRawBufferPointer) {
        self.body = body
        self.types = types
        end = body.count
    }

    private var code: UInt8 {
        let isOver = repeats ? position >= end : next >= types.count
        return isOver ? 0 : types[next]
    }

    /// The D-Bus type code of the next value.
    var type: Int32 { Self.type(of: code) }

    /// The type code of the elements of the array that comes next.
    var elementType: Int32 { next + 1 < types.count ? Self.type(of: types[next + 1]) : ock_type_invalid }

    private static func type(of code: UInt8) -> Int32 {
        switch code {
        case UInt8(ascii: "("): ock_type_struct
        case UInt8(ascii: "{"): ock_type_dict_entry
        default: Int32(code)
        }
    }

    private var afterType: Int { WireSignature.endOfType(types, from: next) ?? types.count }

    var signature: String { String(decoding: types[next..<afterType], as: UTF8.self) }

    private mutating func passType() {
        if !repeats { next = afterType }
    }

    private mutating func align(to alignment: Int) {
        position = (position + alignment - 1) & ~(alignment - 1)
    }

    /// Takes a value of a fixed size. Nil if the body ends before; it does not, it has been validated.
    mutating func fixed<Value: BitwiseCopyable>(_: Value.Type = Value.self) -> Value? {
        align(to: MemoryLayout<Value>.size)
        guard MemoryLayout<Value>.size <= body.count - position else { return nil }
        defer {
            position += MemoryLayout<Value>.size
            passType()
        }
        return body.loadUnaligned(fromByteOffset: position, as: Value.self)
    }

    /// Takes a string, path or signature.
    mutating func text() -> UnsafeRawBufferPointer? {
        guard let length = length(of: code) else { return nil }
        guard length < body.count - position else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: body[position..<position + length])
        position += length + 1
        passType()
        return text
    }

    private mutating func length(of code: UInt8) -> Int? {
        if code == UInt8(ascii: "g") {
            guard position < body.count else { return nil }
            position += 1
            return Int(body[position - 1])
        }
        align(to: 4)
        guard position + 4 <= body.count else { return nil }
        position += 4
        return Int(body.loadUnaligned(fromByteOffset: position - 4, as: UInt32.self))
    }

    /// Goes to the first value inside the container that comes next. False if it does not lie in the body.
    mutating func enter() -> Bool {
        switch code {
        case UInt8(ascii: "a"):
            let element = UnsafeRawBufferPointer(rebasing: types[next + 1..<afterType])
            guard let length = length(of: UInt8(ascii: "a")), let first = element.first else { return false }
            align(to: WireBytes.alignment(of: first))
            guard length <= body.count - position else { return false }
            end = position + length
            (types, next, repeats) = (element, 0, true)
        case UInt8(ascii: "v"):
            guard let length = length(of: UInt8(ascii: "g")), length < body.count - position else { return false }
            types = UnsafeRawBufferPointer(rebasing: body[position..<position + length])
            position += length + 1
            (next, repeats) = (0, false)
        default:
            align(to: 8)
            types = UnsafeRawBufferPointer(rebasing: types[next + 1..<afterType - 1])
            (next, repeats) = (0, false)
        }
        return position <= body.count
    }

    /// Goes behind the container that `self` went through, or partly: `outer` was before it.
    mutating func leave(to outer: WireCursor) {
        if repeats {
            position = end
        } else {
            while next < types.count, skip() {}
        }
        let position = position
        self = outer
        self.position = position
        passType()
    }

    private mutating func skip() -> Bool {
        switch code {
        case 0: return false
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"): return text() != nil
        case UInt8(ascii: "a"), UInt8(ascii: "v"), UInt8(ascii: "("), UInt8(ascii: "{"):
            let outer = self
            guard enter() else { return false }
            leave(to: outer)
            return true
        case let type:
            let size = WireBytes.alignment(of: type)
            align(to: size)
            position += size
            passType()
            return true
        }
    }

    /// The bytes of the array that was entered.
    var arrayBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: body[position..<end]) }

    mutating func passArrayBytes() {
        position = end
    }
}
