// Opens libFuzzer's input as a compiled directory and, if it opens, makes every query.

internal import CallDirectory

@c(LLVMFuzzerTestOneInput)
public func fuzzDirectory(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    // Without the checksum, which would refuse almost every input.
    guard let directory = try? CompiledDirectory(bytes: bytes, verifyingChecksum: false) else { return 0 }
    for number in [Int64.min, -1, 0, 1, 1234, 46_700_000_000, .max] {
        _ = directory.blocks(number)
        _ = directory.label(of: number)
        _ = directory.labels(of: number).count
    }
    for number in directory.blockedNumbers.prefix(100_000) { _ = directory.blocks(number) }
    for entry in directory.identifiedNumbers.prefix(100_000) { _ = directory.label(of: entry.number) }
    return 0
}
