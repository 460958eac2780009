// MessageStencil: a message that is made once, and sent or expected many times with other values in the same places.

internal import CDBus
public import EventLoop
internal import Glibc

/// The bytes of a message that libdbus has made, and where in them stand values that differ from one use to the next.
/// Filling it in leaves everything else as it was, so that what is sent is as well-formed as what was made. Likewise, a
/// packet that is the same everywhere else is as well-formed.
public final class MessageStencil {
    /// What a packet has in the places that differ.
    public struct Values {
        fileprivate let packet: [UInt8]
        fileprivate let stencil: MessageStencil
        let serial: UInt32

        /// The text that was listed at this place.
        func text(_ index: Int) -> String {
            String(decoding: packet[stencil.texts[index]], as: UTF8.self)
        }

        /// The bytes of the text that was listed at this place, ASCII of any kind, if it is as long as a UUID; nil for others.
        public func uuid(_ index: Int) -> InlineArray<36, UInt8>? {
            let place = stencil.texts[index]
            guard place.count == 36 else { return nil }
            var bytes = InlineArray<36, UInt8>(repeating: 0)
            for offset in bytes.indices { bytes[offset] = packet[place.lowerBound + offset] }
            return bytes
        }

        /// The number that was listed at this place.
        public func number(_ index: Int) -> UInt64 {
            packet.withUnsafeBytes { stencil.number(index, in: $0) }
        }
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
    func replaceText(_ index: Int, with text: String) -> Bool {
        var text = text
        return text.withUTF8 { replaceText(index, with: UnsafeRawBufferPointer($0)) }
    }

    /// Replaces a text by ASCII, likewise.
    public func replaceText(_ index: Int, with text: InlineArray<36, UInt8>) -> Bool {
        text.span.withUnsafeBytes { replaceText(index, with: $0) }
    }

    private func replaceText(_ index: Int, with new: UnsafeRawBufferPointer) -> Bool {
        guard new.count == texts[index].count, MessageStencil.isPlain(new) else { return false }
        UnsafeMutableRawBufferPointer(rebasing: bytes[texts[index]]).copyMemory(from: new)
        return true
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
        guard matches(packet) else { return nil }
        return Values(packet: Array(packet), stencil: self, serial: load(serial, from: packet))
    }

    /// The serial of the call that a packet answers, if it is this message; nil for any other.
    func replySerial(in packet: UnsafeRawBufferPointer) -> UInt32? {
        guard let replySerial, matches(packet) else { return nil }
        return load(replySerial, from: packet)
    }

    private func matches(_ packet: UnsafeRawBufferPointer) -> Bool {
        guard packet.count == bytes.count, isSame(packet) else { return false }
        for place in texts where !MessageStencil.isPlain(UnsafeRawBufferPointer(rebasing: packet[place])) {
            return false
        }
        // No message has the serial 0, and none answers one.
        if let replySerial, load(replySerial, from: packet) == 0 { return false }
        return load(serial, from: packet) != 0
    }

    private func load(_ place: Range<Int>, from packet: UnsafeRawBufferPointer) -> UInt32 {
        packet.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt32.self)
    }

    private func number(_ index: Int, in packet: UnsafeRawBufferPointer) -> UInt64 {
        packet.loadUnaligned(fromByteOffset: numbers[index].lowerBound, as: UInt64.self)
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
        var position = 0
        // Eight at a time: a byte that is 0 borrows, one above 127 has its highest bit.
        while position + 8 <= text.count {
            let word = text.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if (word | (word &- 0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 != 0 { return false }
            position += 8
        }
        for byte in text[position...] where byte == 0 || byte > 127 { return false }
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
