// DirectoryBatch: a batch of entries from a directory to the system.

internal import CallModel

/// Entries of one request, at most as many of each kind as one message can hold.
struct DirectoryBatch: Sendable {
    struct Label: Sendable, Hashable {
        let number: Int64
        let label: String
    }

    /// The maximum number of numbers, and of bytes of labels, in a message.
    private static let maximumNumbers = 8_192
    private static let maximumBytes = 64 * 1024

    private(set) var blocked: [Int64] = []
    private(set) var ranges: [ClosedRange<Int64>] = []
    private(set) var identified: [Label] = []
    private(set) var unblocked: [Int64] = []
    private(set) var unidentified: [Int64] = []
    private(set) var unblocksAll = false
    private(set) var unidentifiesAll = false
    private var labelBytes = 0

    var isFull: Bool {
        blocked.count >= Self.maximumNumbers || 2 * ranges.count >= Self.maximumNumbers
            || identified.count >= Self.maximumNumbers
            || unblocked.count >= Self.maximumNumbers || unidentified.count >= Self.maximumNumbers
            || labelBytes >= Self.maximumBytes
    }

    var isEmpty: Bool {
        blocked.isEmpty && ranges.isEmpty && identified.isEmpty && unblocked.isEmpty && unidentified.isEmpty
            && !unblocksAll
            && !unidentifiesAll
    }

    mutating func block(_ number: Int64) { blocked.append(number) }
    mutating func block(_ range: ClosedRange<Int64>) { ranges.append(range) }

    mutating func identify(_ number: Int64, _ label: String) {
        let label = label.withoutNUL
        identified.append(Label(number: number, label: label))
        // Number, length, the text's end and padding.
        labelBytes += label.utf8.count + 24
    }

    mutating func unblock(_ number: Int64) { unblocked.append(number) }
    mutating func unidentify(_ number: Int64) { unidentified.append(number) }
    mutating func unblockAll() { unblocksAll = true }
    mutating func unidentifyAll() { unidentifiesAll = true }
}
