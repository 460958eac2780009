// Parses libFuzzer's input as a list: the first byte chooses the format and where the input is split.

@c(LLVMFuzzerTestOneInput)
public func fuzzList(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let whole = read(bytes, cut: bytes.count)
    // The result does not depend on how the input is split.
    let cut = read(bytes, cut: 1 + Int(bytes[0] >> 1) % bytes.count)
    guard whole == cut, whole.entries.allSatisfy({ $0.number > 0 && $0.label?.isEmpty != true }) else { fatalError() }
    return 0
}

private struct Reading: Equatable {
    var entries: [ListEntry] = []
    var complaint: ListComplaint?
}

private func read(_ bytes: [UInt8], cut: Int) -> Reading {
    var entries: [ListEntry] = []
    var parser = ListParser(bytes[0] & 1 == 0 ? .text : .csv) { entries.append($0) }
    do {
        try parser.parse(bytes[1..<max(1, cut)])
        try parser.parse(bytes[max(1, cut)...])
        try parser.finish()
    } catch {
        return Reading(entries: entries, complaint: error as? ListComplaint)
    }
    return Reading(entries: entries, complaint: nil)
}
