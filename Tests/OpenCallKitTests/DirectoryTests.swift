// The rules for the entries of a call directory, as they are checked on this side.

import Testing

@testable import OpenCallKit

/// A directory extension as it is written for telephones.
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

@Suite struct DirectoryTests {
    /// What came of a request: the entries, or the error's code.
    private func run(
        incremental: Bool = false, _ add: @escaping (CXCallDirectoryExtensionContext) -> Void
    ) -> (entries: DirectoryEntries?, code: CXErrorCodeCallDirectoryManagerError.Code?, expired: Bool?) {
        var entries: DirectoryEntries?
        let context = CXCallDirectoryExtensionContext(isIncremental: incremental) { entries = $0 }
        let (failures, handler) = (Failures(), Handler(add))
        context.delegate = failures
        handler.beginRequest(with: context)
        return (entries, failures.codes.first, handler.expired)
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

    @Test func thereIsAMost() throws {
        var entries = DirectoryEntries(maximum: 2)
        try entries.block(1)
        try entries.identify(1, "a")
        let blocking = #expect(throws: CXErrorCodeCallDirectoryManagerError.self) { try entries.block(2) }
        let identifying = #expect(throws: CXErrorCodeCallDirectoryManagerError.self) { try entries.identify(2, "a") }
        #expect(blocking?.code == .maximumEntriesExceeded && identifying?.code == .maximumEntriesExceeded)
    }

    @Test func aRequestEndsOnce() {
        struct Whim: Error {}
        var taken = 0
        let context = CXCallDirectoryExtensionContext(isIncremental: false) { _ in taken += 1 }
        let failures = Failures()
        context.delegate = failures
        context.cancelRequest(withError: Whim())
        context.cancelRequest(withError: Whim())
        var expired: [Bool] = []
        context.completeRequest { expired.append($0) }
        #expect(failures.others == 1 && taken == 0 && expired == [true])
        let other = CXCallDirectoryExtensionContext(isIncremental: false) { _ in taken += 1 }
        other.completeRequest()
        other.completeRequest { expired.append($0) }
        #expect(taken == 1 && expired == [true, true])
    }

    @Test func aRehearsalKeepsNothing() {
        let context = CXCallDirectoryExtensionContext(rehearsing: true)
        #expect(context.isIncremental)
        let handler = Handler { $0.addBlockingEntry(withNextSequentialPhoneNumber: 1234) }
        handler.beginRequest(with: context)
        #expect(handler.expired == false)
        CXCallDirectoryProvider().beginRequest(with: context)
    }
}
