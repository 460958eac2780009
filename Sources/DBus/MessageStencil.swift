// MessageStencil: a message that is made once, and sent or expected many times with other values in the same places.

internal import CDBus
public import EventLoop

/// The bytes of a message that libdbus has made, and where in them stand values that differ from one use to the next.
/// Filling it in leaves everything else as it was, so that what is sent is as well-formed as what was made. Likewise, a
/// packet that is the same everywhere else is as well-formed.
public final class MessageStencil {
    /// What a packet has in the places that differ.
    public struct Values: Sendable {
        public let texts: [String]
        public let numbers: [UInt64]
        let serial: UInt32
        /// 0 if it is no answer.
        let replySerial: UInt32
    }

    private let bytes: UnsafeMutableRawBufferPointer
    private let serial: Range<Int>
    private let replySerial: Range<Int>?
    private let texts: [Range<Int>]
    private let numbers: [Range<Int>]
    /// What is between all these.
    private let fixed: [Range<Int>]

    /// - Parameters:
    ///   - message: one that has not been sent.
    ///   - texts: those of its values that are ASCII texts and are to be replaced. Each one must occur once.
    ///   - numbers: those of its values of type `t` that are to be replaced, likewise.
    /// - Throws: `InvalidArgs` if a value does not occur, or does more than once.
    @LoopActor
    public init(_ message: Message, texts: [String] = [], numbers: [UInt64] = []) throws(DBusError) {
        let mark: UInt32 = 0xA5C3_5A3C
        let made = try message.withMarshalled(serial: mark) { Array($0) }
        func places(_ values: [[UInt8]]) throws(DBusError) -> [Range<Int>] {
            var places: [Range<Int>] = []
            for value in values { places.append(try MessageStencil.place(of: value, in: made)) }
            return places
        }
        serial = try MessageStencil.place(of: MessageStencil.bytes(of: mark), in: made)
        let answered = message.replySerial
        replySerial = answered == 0 ? nil : try MessageStencil.place(of: MessageStencil.bytes(of: answered), in: made)
        self.texts = try places(texts.map { Array($0.utf8) })
        self.numbers = try places(numbers.map { MessageStencil.bytes(of: $0) })
        let holes = ([serial] + self.texts + self.numbers + (replySerial.map { [$0] } ?? []))
            .sorted { $0.lowerBound < $1.lowerBound }
        let starts = [0] + holes.map(\.upperBound)
        fixed = zip(starts, holes.map(\.lowerBound) + [made.count]).map { $0..<$1 }
        bytes = .allocate(byteCount: made.count, alignment: 8)
        bytes.copyBytes(from: made)
    }

    deinit {
        bytes.deallocate()
    }

    // MARK: sending

    /// Replaces the text that was listed at this place. False, and nothing happens, if the new one is not of its length
    /// or is not ASCII.
    public func replaceText(_ index: Int, with text: String) -> Bool {
        var text = text
        return text.withUTF8 { new in
            guard new.count == texts[index].count, MessageStencil.isPlain(UnsafeRawBufferPointer(new)) else {
                return false
            }
            UnsafeMutableRawBufferPointer(rebasing: bytes[texts[index]]).copyMemory(from: UnsafeRawBufferPointer(new))
            return true
        }
    }

    public func replaceNumber(_ index: Int, with number: UInt64) {
        bytes.storeBytes(of: number, toByteOffset: numbers[index].lowerBound, as: UInt64.self)
    }

    /// What is to be sent, until it is filled in again.
    func filled(serial: UInt32, answering call: UInt32) -> UnsafeRawBufferPointer {
        bytes.storeBytes(of: serial, toByteOffset: self.serial.lowerBound, as: UInt32.self)
        if let replySerial { bytes.storeBytes(of: call, toByteOffset: replySerial.lowerBound, as: UInt32.self) }
        return UnsafeRawBufferPointer(bytes)
    }

    // MARK: receiving

    /// What is filled in, if a packet is this message; nil for any other.
    func values(in packet: UnsafeRawBufferPointer) -> Values? {
        guard packet.count == bytes.count, isSame(packet) else { return nil }
        var found: [String] = []
        for place in texts {
            let text = UnsafeRawBufferPointer(rebasing: packet[place])
            guard MessageStencil.isPlain(text) else { return nil }
            found.append(String(decoding: text, as: UTF8.self))
        }
        var values: [UInt64] = []
        for place in numbers {
            values.append(packet.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt64.self))
        }
        let number = packet.loadUnaligned(fromByteOffset: serial.lowerBound, as: UInt32.self)
        var answered: UInt32 = 0
        if let replySerial {
            answered = packet.loadUnaligned(fromByteOffset: replySerial.lowerBound, as: UInt32.self)
            if answered == 0 { return nil }
        }
        // No message has the serial 0, and none answers one.
        return number == 0 ? nil : Values(texts: found, numbers: values, serial: number, replySerial: answered)
    }

    private func isSame(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard let mine = bytes.baseAddress, let theirs = packet.baseAddress else { return false }
        for part in fixed where memcmp(mine + part.lowerBound, theirs + part.lowerBound, part.count) != 0 {
            return false
        }
        return true
    }

    // MARK: places

    /// ASCII without NUL.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        for byte in text where byte == 0 || byte > 127 { return false }
        return true
    }

    /// As libdbus writes it: in the machine's own order.
    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func place(of part: [UInt8], in bytes: [UInt8]) throws(DBusError) -> Range<Int> {
        let last = bytes.count - part.count
        let places = last < 0 ? [] : (0...last).filter { bytes[$0..<$0 + part.count].elementsEqual(part) }
        guard let place = places.first, places.count == 1, !part.isEmpty else {
            throw DBusError(DBusError.Name.invalidArgs, "a value to be replaced occurs \(places.count) times")
        }
        return place..<place + part.count
    }
}
