// DirectoryEntries: what a directory brings, in order.

/// The entries of one request. Their order is checked as they come.
struct DirectoryEntries {
    /// The most that one request may bring.
    private let maximum: Int
    var blocked: [CXCallDirectoryPhoneNumber] = []
    var identified: [(number: CXCallDirectoryPhoneNumber, label: String)] = []
    var unblocked: [CXCallDirectoryPhoneNumber] = []
    var unidentified: [CXCallDirectoryPhoneNumber] = []
    var unblocksAll = false
    var unidentifiesAll = false
    /// The labels that the last number has by now.
    private var lastLabels: Set<String> = []

    init(maximum: Int = 10_000_000) { self.maximum = maximum }

    var isEmpty: Bool {
        blocked.isEmpty && identified.isEmpty && unblocked.isEmpty && unidentified.isEmpty && !unblocksAll
            && !unidentifiesAll
    }

    mutating func block(_ number: CXCallDirectoryPhoneNumber) throws(CXErrorCodeCallDirectoryManagerError) {
        try check(number, after: blocked.last)
        guard number != blocked.last else {
            throw CXErrorCodeCallDirectoryManagerError(.duplicateEntries, message: "\(number) is blocked twice")
        }
        blocked.append(number)
    }

    mutating func identify(
        _ number: CXCallDirectoryPhoneNumber, _ label: String
    ) throws(CXErrorCodeCallDirectoryManagerError) {
        let last = identified.last?.number
        try check(number, after: last)
        if number != last { lastLabels = [] }
        guard lastLabels.insert(label).inserted else {
            throw CXErrorCodeCallDirectoryManagerError(
                .duplicateEntries, message: "\(number) is identified twice by one label")
        }
        identified.append((number, label))
    }

    private func check(
        _ number: CXCallDirectoryPhoneNumber, after last: CXCallDirectoryPhoneNumber?
    ) throws(CXErrorCodeCallDirectoryManagerError) {
        guard number >= last ?? 1, number <= CXCallDirectoryPhoneNumberMax else {
            throw CXErrorCodeCallDirectoryManagerError(
                .entriesOutOfOrder,
                message: last.map { "\(number) comes after \($0), expected ascending numbers" }
                    ?? "\(number) is no number, expected 1 to \(CXCallDirectoryPhoneNumberMax)")
        }
        guard blocked.count + identified.count < maximum else {
            throw CXErrorCodeCallDirectoryManagerError(
                .maximumEntriesExceeded, message: "more than \(maximum) entries, which is the most")
        }
    }
}
