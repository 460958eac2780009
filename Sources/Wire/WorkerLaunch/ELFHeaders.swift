// The two ELF64 structures that lead to a note, out of bytes that may be anything.

/// Reads numbers in this machine's byte order, which is also the file's: others are refused before.
struct ELFFields {
    let bytes: [UInt8]

    /// The number at `offset`; 0 beyond the end.
    func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type, at offset: Int) -> Number {
        let end = offset + Number.bitWidth / 8
        guard offset >= 0, end <= bytes.count else { return 0 }
        let field = bytes[offset..<end]
        #if _endian(little)
            return field.reversed().reduce(0) { $0 << 8 | Number($1) }
        #else
            return field.reduce(0) { $0 << 8 | Number($1) }
        #endif
    }
}

struct ELFHeader {
    static let size = 64
    static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
    /// Linkers write about ten.
    static let maximumSegments = 128

    let segmentOffset: UInt64
    let segmentCount: Int
    /// The table of sections, which linkers write last; 0 if there is none.
    let sectionOffset: UInt64
    /// In bytes.
    let sectionLength: UInt64

    init(_ bytes: [UInt8]) throws(PluginFileError) {
        guard bytes.starts(with: Self.magic) else { throw .notELF }
        guard bytes.count == Self.size else {
            throw .truncated(expected: UInt64(Self.size), found: UInt64(bytes.count))
        }
        let fields = ELFFields(bytes: bytes)
        guard bytes[4] == 2 else { throw .wrongArchitecture(found: "32 bits", expected: "64 bits") }
        guard bytes[5] == Self.hostByteOrder else {
            throw .wrongArchitecture(found: "the other byte order", expected: Self.name(of: Self.hostMachine))
        }
        let machine = fields.number(UInt16.self, at: 18)
        guard machine == Self.hostMachine else {
            throw .wrongArchitecture(found: Self.name(of: machine), expected: Self.name(of: Self.hostMachine))
        }
        let type = fields.number(UInt16.self, at: 16)
        guard type == 3 else { throw .notASharedObject(type: type) }
        let entrySize = fields.number(UInt16.self, at: 54)
        guard entrySize == UInt16(ELFSegment.size) else {
            throw .malformed("program headers of \(entrySize) bytes, expected \(ELFSegment.size)")
        }
        let count = Int(fields.number(UInt16.self, at: 56))
        guard count <= Self.maximumSegments else {
            throw .malformed("\(count) program headers, expected at most \(Self.maximumSegments)")
        }
        segmentOffset = fields.number(UInt64.self, at: 32)
        segmentCount = count
        sectionOffset = fields.number(UInt64.self, at: 40)
        sectionLength =
            UInt64(fields.number(UInt16.self, at: 58)) * UInt64(fields.number(UInt16.self, at: 60))
    }

    #if arch(x86_64)
        static let hostMachine: UInt16 = 62
    #elseif arch(arm64)
        static let hostMachine: UInt16 = 183
    #elseif arch(riscv64)
        static let hostMachine: UInt16 = 243
    #elseif arch(powerpc64le)
        static let hostMachine: UInt16 = 21
    #elseif arch(s390x)
        static let hostMachine: UInt16 = 22
    #endif

    #if _endian(little)
        static let hostByteOrder: UInt8 = 1
    #else
        static let hostByteOrder: UInt8 = 2
    #endif

    private static func name(of machine: UInt16) -> String {
        switch machine {
        case 3: "i386"
        case 21: "powerpc64"
        case 22: "s390x"
        case 40: "arm"
        case 62: "x86_64"
        case 183: "arm64"
        case 243: "riscv64"
        default: "machine \(machine)"
        }
    }
}

/// A program header.
struct ELFSegment {
    static let size = 56

    let isNote: Bool
    let isLoaded: Bool
    let isDynamic: Bool
    let offset: UInt64
    /// Where it will be in memory, from the file's beginning there.
    let address: UInt64
    let length: UInt64
    let alignment: UInt64

    init(_ bytes: [UInt8]) {
        let fields = ELFFields(bytes: bytes)
        let type = fields.number(UInt32.self, at: 0)
        (isLoaded, isDynamic, isNote) = (type == 1, type == 2, type == 4)
        offset = fields.number(UInt64.self, at: 8)
        address = fields.number(UInt64.self, at: 16)
        length = fields.number(UInt64.self, at: 32)
        alignment = fields.number(UInt64.self, at: 48)
    }
}
