// The rules for the entries of a call directory, as the SDK checks them.

import Testing

@testable import OpenCallKit

/// A directory extension as written for iOS.
private final class Handler: CXCallDirectoryProvider {
    private let add: (CXCallDirectoryExtensionContext) -> Void
    private(set) var expired: Bool?

    init(_ add: @escaping (CXCallDirectoryExtensionContext) -> Void) { self.add = add }

    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        add(context)
        context.completeRequest { self.expired = $0 }
    }
}

private final class Failures: CXCallDirectoryExtensionContextDelegate {
    private(set) var codes: [CXErrorCodeCallDirectoryManagerError.Code] = []
    private(set) var others = 0

    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
        if let error = error as? CXErrorCodeCallDirectoryManagerError { codes.append(error.code) } else { others += 1 }
    }
}

/// Keeps the entries.
private final class Collector: DirectorySink {
    private(set) var taken = DirectoryBatches()
    private(set) var leftOut: UInt64 = 0
    private(set) var complaints: [String] = []
    private(set) var completions = 0
    private(set) var cancellations = 0
    private(set) var isClosed = false
    /// The answer to each batch.
    var refusal: CXErrorCodeCallDirectoryManagerError?

    func send(_ batch: DirectoryBatch, incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? {
        taken.blocked += batch.blocked
        taken.ranges += batch.ranges
        taken.identified += batch.identified
        taken.unblocked += batch.unblocked
        taken.unidentified += batch.unidentified
        taken.unblocksAll = taken.unblocksAll || batch.unblocksAll
        taken.unidentifiesAll = taken.unidentifiesAll || batch.unidentifiesAll
        taken.incremental = incremental
        taken.count += 1
        return refusal
    }

    func leaveOut(_ count: UInt64, _ complaints: [String]) {
        leftOut += count
        self.complaints += complaints
    }

    func complete(incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? {
        completions += 1
        return refusal
    }

    func cancel(_ error: any Error) { cancellations += 1 }
    func close() { isClosed = true }
}

private struct DirectoryBatches {
    var blocked: [Int64] = []
    var ranges: [ClosedRange<Int64>] = []
    var identified: [DirectoryBatch.Label] = []
    var unblocked: [Int64] = []
    var unidentified: [Int64] = []
    var unblocksAll = false
    var unidentifiesAll = false
    var incremental: Bool?
    var count = 0
}

@Suite struct DirectoryTests {
    /// The outcome of a request: the entries if it was completed, or the error's code.
    private func run(
        incremental: Bool = false, maximum: Int = 1_000_000, refusal: CXErrorCodeCallDirectoryManagerError? = nil,
        _ add: @escaping (CXCallDirectoryExtensionContext) -> Void
    ) -> (entries: DirectoryBatches?, code: CXErrorCodeCallDirectoryManagerError.Code?, expired: Bool?) {
        let sink = Collector()
        sink.refusal = refusal
        let context = CXCallDirectoryExtensionContext(
            isIncremental: incremental, maximumEntries: maximum, sink: sink)
        let (failures, handler) = (Failures(), Handler(add))
        context.delegate = failures
        handler.beginRequest(with: context)
        #expect(sink.completions + sink.cancellations == 1 && sink.isClosed)
        return (sink.completions == 1 ? sink.taken : nil, failures.codes.first, handler.expired)
    }

    @Test func orderedEntriesAreTaken() throws {
        let (entries, code, expired) = run { context in
            for number: CXCallDirectoryPhoneNumber in [1, 1234, 18_775_555_555, CXCallDirectoryPhoneNumberMax] {
                context.addBlockingEntry(withNextSequentialPhoneNumber: number)
            }
            context.addIdentificationEntry(withNextSequentialPhoneNumber: 1111, label: "Team")
            context.addIdentificationEntry(withNextSequentialPhoneNumber: 1111, label: "The \u{202E}other label")
            context.addIdentificationEntry(withNextSequentialPhoneNumber: 1112, label: "Team")
        }
        #expect(code == nil && expired == false)
        #expect(entries?.blocked == [1, 1234, 18_775_555_555, .max - 1])
        #expect(entries?.identified.map(\.label) == ["Team", "The other label", "Team"])
    }

    /// Ranges and what is left out are not in CallKit.
    @Test func rangesAndWhatIsLeftOut() {
        let collector = Collector()
        let context = CXCallDirectoryExtensionContext(isIncremental: false, sink: collector)
        for first in stride(from: Int64(100_000), to: 0, by: -10) { context.addBlockingRange(first...(first + 5)) }
        for line in 1...250 { context.leaveOut("spam.txt:\(line): no number") }
        context.completeRequest()
        context.leaveOut("too late")
        #expect(collector.taken.ranges.count == 10_000 && collector.taken.count > 1 && collector.completions == 1)
        #expect(collector.leftOut == 250 && collector.complaints.count == 100)
        #expect(collector.complaints.last == "spam.txt:100: no number")
    }

    /// What is no part of a number is left out in the way of the whole system.
    @Test func plainNumbers() {
        #expect(CXHandle.plainPhoneNumber("\u{202D}+44 (1632)\u{A0}960\u{AD}-001\u{202C}") == "+441632960001")
        #expect(CXHandle.plainPhoneNumber("\u{660}\u{661}a*") == "01a*")
    }

    @Test(arguments: [
        ([2, 1], CXErrorCodeCallDirectoryManagerError.entriesOutOfOrder), ([5, 5], .duplicateEntries),
        ([0], .entriesOutOfOrder), ([-1], .entriesOutOfOrder), ([.max], .entriesOutOfOrder),
    ]) func blockedNumbers(numbers: [Int64], expected: CXErrorCodeCallDirectoryManagerError.Code) {
        let (entries, code, expired) = run { context in
            for number in numbers { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
            context.addBlockingEntry(withNextSequentialPhoneNumber: 1000)
        }
        #expect(entries == nil && code == expected && expired == true)
    }

    @Test func identifiedNumbers() {
        func code(_ entries: [(Int64, String)]) -> CXErrorCodeCallDirectoryManagerError.Code? {
            run { context in
                for (number, label) in entries {
                    context.addIdentificationEntry(withNextSequentialPhoneNumber: number, label: label)
                }
            }.code
        }
        #expect(code([(1, "a"), (1, "b"), (2, "a")]) == nil)
        #expect(code([(1, "a"), (1, "b"), (1, "a")]) == .duplicateEntries)
        #expect(code([(2, "a"), (1, "b")]) == .entriesOutOfOrder)
    }

    @Test func removalsNeedAnIncrementalRequestThatWasReadFirst() {
        let removals: [(CXCallDirectoryExtensionContext) -> Void] = [
            { $0.removeBlockingEntry(withPhoneNumber: 1) }, { $0.removeIdentificationEntry(withPhoneNumber: 1) },
            { $0.removeAllBlockingEntries() }, { $0.removeAllIdentificationEntries() },
        ]
        for remove in removals {
            #expect(run(incremental: true) { remove($0) }.code == .unexpectedIncrementalRemoval)
            #expect(
                run(incremental: false) { context in
                    if !context.isIncremental { remove(context) }
                }.code == .unexpectedIncrementalRemoval)
            #expect(
                run(incremental: true) { context in
                    if context.isIncremental { remove(context) }
                }.code == nil)
            #expect(
                run(incremental: true) { context in
                    context.addBlockingEntry(withNextSequentialPhoneNumber: 1)
                    if context.isIncremental { remove(context) }
                }.code == .unexpectedIncrementalRemoval, "it was read too late")
        }
    }

    @Test func changes() {
        let entries = run(incremental: true) { context in
            guard context.isIncremental else { return }
            context.removeBlockingEntry(withPhoneNumber: 7)
            context.removeAllIdentificationEntries()
            context.addBlockingEntry(withNextSequentialPhoneNumber: 3)
        }.entries
        #expect(entries?.unblocked == [7] && entries?.blocked == [3])
        #expect(entries?.unidentifiesAll == true && entries?.unblocksAll == false)
    }

    @Test func thereIsAMost() {
        let blocking = run(maximum: 2) { context in
            context.addIdentificationEntry(withNextSequentialPhoneNumber: 1, label: "a")
            for number in Int64(1)...3 { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
        }
        let identifying = run(maximum: 2) { context in
            for number in Int64(1)...3 {
                context.addIdentificationEntry(withNextSequentialPhoneNumber: number, label: "a")
            }
        }
        #expect(blocking.code == .maximumEntriesExceeded && identifying.code == .maximumEntriesExceeded)
    }

    @Test func entriesGoInBatches() throws {
        let entries = run(incremental: true) { context in
            #expect(context.isIncremental)
            for number in Int64(1)...20_000 {
                context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                context.addIdentificationEntry(withNextSequentialPhoneNumber: number, label: "label \(number)")
                context.removeBlockingEntry(withPhoneNumber: -number)
            }
        }.entries
        #expect(entries?.blocked == Array(1...20_000) && entries?.identified.map(\.number) == Array(1...20_000))
        #expect(entries?.unblocked == (1...20_000).map { -$0 } && entries?.incremental == true)
        #expect((5...20).contains(entries?.count ?? 0))
    }

    @Test func whatTheSystemRefusesFailsTheRequest() {
        let refusal = CXErrorCodeCallDirectoryManagerError(.loadingInterrupted, message: "the disk is full")
        var added = 0
        let early = run(refusal: refusal) { context in
            for number in Int64(1)...20_000 {
                context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                added += 1
            }
        }
        #expect(early.entries == nil && early.code == .loadingInterrupted && early.expired == true && added == 20_000)
        let late = run(refusal: refusal) { _ in }
        #expect(late.code == .loadingInterrupted && late.expired == true)
    }

    @Test func aRequestEndsOnce() {
        struct Whim: Error {}
        let sink = Collector()
        let context = CXCallDirectoryExtensionContext(isIncremental: false, sink: sink)
        let failures = Failures()
        context.delegate = failures
        context.cancelRequest(withError: Whim())
        context.cancelRequest(withError: Whim())
        context.addBlockingEntry(withNextSequentialPhoneNumber: 1)
        var expired: [Bool] = []
        context.completeRequest { expired.append($0) }
        #expect(failures.others == 1 && expired == [true] && sink.cancellations == 1 && sink.taken.count == 0)
        let other = Collector()
        let second = CXCallDirectoryExtensionContext(isIncremental: false, sink: other)
        second.completeRequest()
        second.completeRequest { expired.append($0) }
        #expect(other.completions == 1 && expired == [true, true])
    }

    @Test func aTestKeepsNothing() {
        let context = CXCallDirectoryExtensionContext(testing: true)
        #expect(context.isIncremental)
        let handler = Handler { $0.addBlockingEntry(withNextSequentialPhoneNumber: 1234) }
        handler.beginRequest(with: context)
        #expect(handler.expired == false)
        CXCallDirectoryProvider().beginRequest(with: context)
    }
}
