// Reading packets, of which nothing is trusted.

extension WireMessage {
    /// The message that a packet is, if it is a well-formed one and of the plain kind that programs like this one send.
    /// Nil says nothing: let libdbus judge. What is taken here, libdbus would take.
    init?(packet: UnsafeRawBufferPointer) {
        guard Self.isLittleEndian, packet.count >= Self.fixedHeader, packet[0] == UInt8(ascii: "l"), packet[3] == 1,
            let kind = Self.kind(of: packet[1])
        else { return nil }
        let bodyLength = Int(Self.number(packet, 4))
        let serial = Self.number(packet, 8)
        let fieldsEnd = Self.fixedHeader + Int(Self.number(packet, 12))
        let headerEnd = (fieldsEnd + 7) & ~7
        guard serial != 0, headerEnd + bodyLength == packet.count,
            packet[fieldsEnd..<headerEnd].allSatisfy({ $0 == 0 })
        else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: packet[headerEnd...])
        self.init(
            received: kind, flags: packet[2],
            header: UnsafeRawBufferPointer(rebasing: packet[..<fieldsEnd]), body: body)
        self.serial = serial
        guard takeFields(UnsafeRawBufferPointer(rebasing: packet[..<fieldsEnd])), isComplete else { return nil }
        var validator = WireValidator(body)
        guard validator.accepts(types.buffer) else { return nil }
    }

    private static func kind(of code: UInt8) -> Message.Kind? {
        switch code {
        case 1: .call
        case 2: .reply
        case 3: .error
        default: nil
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt32 {
        bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    }

    private var isComplete: Bool {
        switch kind {
        case .call: !path.isEmpty && !member.isEmpty
        case .reply: replySerial != 0
        case .error: replySerial != 0 && !errorName.isEmpty
        case .signal: false
        }
    }

    private mutating func takeFields(_ header: UnsafeRawBufferPointer) -> Bool {
        var position = Self.fixedHeader
        var seen: UInt16 = 0
        while position < header.count {
            let start = (position + 7) & ~7
            guard start + 4 < header.count, header[position..<start].allSatisfy({ $0 == 0 }),
                let field = Field(rawValue: header[start]), seen & 1 << field.rawValue == 0,
                header[start + 1] == 1, header[start + 2] == field.type, header[start + 3] == 0,
                let end = take(field, header, start + 4)
            else { return false }
            seen |= 1 << field.rawValue
            position = end
        }
        return position == header.count
    }

    /// Takes the value at `start`, which is a multiple of 4, and returns its end; nil if it is none.
    private mutating func take(_ field: Field, _ header: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        if field == .replySerial {
            guard start + 4 <= header.count else { return nil }
            replySerial = Self.number(header, start)
            return start + 4
        }
        let isSignature = field == .signature
        guard isSignature || start + 4 <= header.count else { return nil }
        let length = isSignature ? Int(header[start]) : Int(Self.number(header, start))
        let text = start + (isSignature ? 1 : 4)
        guard length <= header.count - text - 1, header[text + length] == 0 else { return nil }
        let range = text..<text + length
        let bytes = UnsafeRawBufferPointer(rebasing: header[range])
        switch field {
        case .path:
            guard WireNames.isPath(bytes), !bytes.elementsEqual("/org/freedesktop/DBus/Local".utf8) else { return nil }
            path = range
        case .interface:
            guard WireNames.isInterface(bytes), !bytes.elementsEqual("org.freedesktop.DBus.Local".utf8) else {
                return nil
            }
            interface = range
        case .member:
            guard WireNames.isMember(bytes) else { return nil }
            member = range
        case .errorName:
            guard WireNames.isInterface(bytes) else { return nil }
            errorName = range
        case .signature:
            guard WireSignature.isValid(bytes) else { return nil }
            types = WireBytes(bytes)
        case .destination, .sender, .replySerial:
            return nil
        }
        return range.upperBound + 1
    }
}
