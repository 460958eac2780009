// WireNames: the rules for names and paths, on their bytes.

/// What libdbus accepts as names, without asking it.
enum WireNames {
    static let maximumLength = 255

    /// Two or more elements between dots.
    static func isInterface(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maximumLength else { return false }
        var elements = 1
        var begins = true
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                if begins { return false }
                elements += 1
                begins = true
            } else {
                guard isLetter(byte) || !begins && isDigit(byte) else { return false }
                begins = false
            }
        }
        return elements > 1 && !begins
    }

    static func isMember(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first, bytes.count <= maximumLength, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || isDigit($0) }
    }

    static func isPath(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.first == UInt8(ascii: "/") else { return false }
        if bytes.count == 1 { return true }
        var begins = true
        for byte in bytes.dropFirst() {
            if byte == UInt8(ascii: "/") {
                if begins { return false }
                begins = true
            } else {
                guard isLetter(byte) || isDigit(byte) else { return false }
                begins = false
            }
        }
        return !begins
    }

    /// One element of a path.
    static func isElement(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isLetter($0) || isDigit($0) }
    }

    static func isElement(_ text: String) -> Bool { holds(text, isElement) }
    static func isInterface(_ text: String) -> Bool { holds(text, isInterface) }
    static func isMember(_ text: String) -> Bool { holds(text, isMember) }
    static func isPath(_ text: String) -> Bool { holds(text, isPath) }

    private static func holds(_ text: String, _ rule: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { rule(UnsafeRawBufferPointer($0)) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
