// Parses libFuzzer's input as a list: the first byte chooses the format and where the input is split.

import CallModel

/// What the SDK has for plugins.
func plainPhoneNumber(_ text: String) -> String { text.withoutNumberFormatting }

@c(LLVMFuzzerTestOneInput)
public func fuzzList(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let whole = read(bytes, cut: bytes.count)
    // The result does not depend on how the input is split.
    let cut = read(bytes, cut: 1 + Int(bytes[0] >> 1) % bytes.count)
    let isSound = whole.entries.allSatisfy { entry in
        entry.label?.isEmpty != true && entry.numbers.ranges.allSatisfy { $0.lowerBound > 0 }
    }
    guard whole == cut, isSound else { fatalError() }
    return 0
}

private struct Reading: Equatable {
    var entries: [ListEntry] = []
    var complaints: [ListComplaint] = []
}

private func read(_ bytes: [UInt8], cut: Int) -> Reading {
    var reading = Reading()
    var parser = reader(bytes[0], complain: { reading.complaints.append($0) }) { reading.entries.append($0) }
    do {
        var decoder = ListDecoder(bytes[1...])
        try parser.parse(decoder.decode(bytes[1..<max(1, cut)]))
        try parser.parse(decoder.decode(bytes[max(1, cut)...]))
        try parser.finish()
    } catch {
        fatalError("\(error)")
    }
    return reading
}

private func reader(
    _ choice: UInt8, complain: @escaping (ListComplaint) -> Void, _ body: @escaping (ListEntry) throws -> Void
) -> any ListReader {
    let pairs = ListPairs(countryCode: choice & 2 == 0 ? nil : "49", complain: complain, body)
    return switch choice >> 5 {
    case 5: PairReader(JSONScanner(), pairs)
    case 6: PairReader(XMLScanner(), pairs)
    case 7: PairReader(CardScanner(), pairs)
    default: ListParser(choice & 1 == 0 ? .text : .csv, complain: complain, body)
    }
}
