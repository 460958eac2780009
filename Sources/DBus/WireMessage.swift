// WireMessage: a message as this program lays it out itself, for private links. libdbus takes many times as long, most of
// it for what a bus needs.

internal import CDBus

/// The header and body of one message, in the byte order of this machine.
struct WireMessage {
    /// The codes of the header's fields, by the specification.
    enum Field: UInt8 {
        case path = 1
        case interface, member, errorName, replySerial, destination, sender, signature

        var type: UInt8 {
            switch self {
            case .path: UInt8(ascii: "o")
            case .interface, .member, .errorName, .destination, .sender: UInt8(ascii: "s")
            case .replySerial: UInt8(ascii: "u")
            case .signature: UInt8(ascii: "g")
            }
        }
    }

    static let noReplyExpected: UInt8 = 1
    static let noAutoStart: UInt8 = 2
    static let isLittleEndian = UInt16(1).littleEndian == 1
    /// The fixed part of the header, before the fields.
    static let fixedHeader = 16

    let kind: Message.Kind
    var flags: UInt8
    var serial: UInt32 = 0
    var replySerial: UInt32 = 0
    /// The header up to its signature.
    private(set) var head = WireBytes()
    /// Where texts lie in the header; empty if they do not.
    var path = 0..<0
    var interface = 0..<0
    var member = 0..<0
    var errorName = 0..<0
    var destination = 0..<0
    var sender = 0..<0
    /// The signature of the body.
    var types = WireBytes()
    var body = WireBytes()

    /// A method call. The names have been checked.
    init(path: String, interface: String, member: String) {
        self.init(.call, flags: 0)
        self.path = add(path, as: .path)
        self.interface = add(interface, as: .interface)
        self.member = add(member, as: .member)
    }

    /// The answer to a call.
    init(replyTo serial: UInt32) {
        self.init(.reply, flags: Self.noReplyExpected)
        add(replySerial: serial)
    }

    /// The answer that a call failed. The name has been checked.
    init(replyTo serial: UInt32, error name: String) {
        self.init(.error, flags: Self.noReplyExpected)
        errorName = add(name, as: .errorName)
        add(replySerial: serial)
    }

    init(_ kind: Message.Kind, flags: UInt8) {
        self.kind = kind
        self.flags = flags
        head.reserve(192)
        let order = UInt32(UInt8(ascii: Self.isLittleEndian ? "l" : "B"))
        let version: UInt32 = 1
        let start = order | UInt32(Self.code(of: kind)) << 8 | UInt32(flags) << 16 | version << 24
        head.append(fixed: start.littleEndian)
        // The lengths of the body and of the fields, and the serial, come with `packet`.
        head.append(fixed: UInt32(0))
        head.append(fixed: UInt64(0))
    }

    /// A message that was received, with its header, of which only the texts are looked at again.
    init(received kind: Message.Kind, flags: UInt8, header: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) {
        self.kind = kind
        self.flags = flags
        head = WireBytes(header)
        self.body = WireBytes(body)
    }

    /// Stands for a message that is libdbus's.
    init() {
        kind = .signal
        flags = 0
    }

    private static func code(of kind: Message.Kind) -> UInt8 {
        switch kind {
        case .call: 1
        case .reply: 2
        case .error: 3
        case .signal: 4
        }
    }

    private mutating func begin(_ field: Field) {
        Self.begin(field, in: &head)
    }

    /// The code, and the signature of what follows.
    private static func begin(_ field: Field, in bytes: inout WireBytes) {
        bytes.align(to: 8)
        bytes.append(fixed: (UInt32(field.rawValue) | 1 << 8 | UInt32(field.type) << 16).littleEndian)
    }

    private mutating func add(_ text: String, as field: Field) -> Range<Int> {
        begin(field)
        var text = text
        text.withUTF8 { head.append(text: $0) }
        return head.count - 1 - text.utf8.count..<head.count - 1
    }

    private mutating func add(replySerial serial: UInt32) {
        begin(.replySerial)
        head.append(fixed: serial)
        replySerial = serial
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    mutating func set(_ flag: UInt8, _ isSet: Bool) {
        flags = isSet ? flags | flag : flags & ~flag
    }

    func text(_ range: Range<Int>) -> String? {
        range.isEmpty ? nil : String(decoding: head.buffer[range], as: UTF8.self)
    }

    func holds(_ range: Range<Int>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard range.count == text.count, let mine = head.buffer.baseAddress, let theirs = text.baseAddress else {
            return false
        }
        return memcmp(mine + range.lowerBound, theirs, text.count) == 0
    }

    var signature: String { String(decoding: types.buffer, as: UTF8.self) }

    func has(signature: String) -> Bool {
        var signature = signature
        return signature.withUTF8 { types.buffer.elementsEqual($0) }
    }

    /// The whole message, as it travels.
    func packet(serial: UInt32) -> WireBytes {
        var packet = WireBytes()
        packet.reserve(head.count + types.count + body.count + 24)
        packet.append(raw: head.buffer)
        if types.count > 0 {
            Self.begin(.signature, in: &packet)
            packet.append(signature: types.buffer.assumingMemoryBound(to: UInt8.self))
        }
        packet.set(UInt32(packet.count - Self.fixedHeader), at: 12)
        packet.align(to: 8)
        packet.set(UInt32(body.count), at: 4)
        packet.set(serial, at: 8)
        packet.set(flags, at: 2)
        packet.append(raw: body.buffer)
        return packet
    }
}
