// A test directory, as in the tutorial, which misbehaves on request.

import Glibc
import OpenCallKit

/// Blocks 1234 and names 1111, or behaves as the file `conduct` in its folder says.
final class TutorialDirectory: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate {
    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self
        let words = (PluginMain.resource(named: "conduct").map { String(decoding: $0, as: UTF8.self) } ?? "")
            .split(whereSeparator: \.isWhitespace).map(String.init)
        switch words.first ?? "" {
        case "": addTutorial(to: context)
        case "incremental": addChanges(to: context)
        case "removals":
            guard context.isIncremental else { abort() }
            context.removeIdentificationEntry(withPhoneNumber: 1111)
            context.removeAllBlockingEntries()
        case "remove-names":
            guard context.isIncremental else { abort() }
            context.removeAllIdentificationEntries()
        case "many": addMany(Int64(words[1]) ?? 0, to: context)
        case "names": addNames(Int64(words[1]) ?? 0, to: context)
        case "labels": addLabels(to: context)
        case "numbers":
            for word in words.dropFirst() { context.addBlockingEntry(withNextSequentialPhoneNumber: Int64(word) ?? 0) }
        case "same-label":
            for _ in 0..<2 { context.addIdentificationEntry(withNextSequentialPhoneNumber: 7, label: "twice") }
        case "remove-unread": context.removeAllBlockingEntries()
        case "cancel": return context.cancelRequest(withError: Whim())
        case "never": return
        case "twice":
            addTutorial(to: context)
            context.completeRequest { expired in if expired { abort() } }
            return context.completeRequest { expired in if !expired { abort() } }
        case "die-before": kill(getpid(), SIGKILL)
        case "die-amid":
            addMany(100_000, to: context)
            kill(getpid(), SIGKILL)
        case "die-after":
            addTutorial(to: context)
            return context.completeRequest { _ in kill(getpid(), SIGKILL) }
        case "exit": exit(7)
        case "later":
            let later = Later(directory: self, context: context)
            return DispatchQueue.main.async {
                later.directory.addTutorial(to: later.context)
                later.context.completeRequest()
            }
        default: abort()
        }
        context.completeRequest { expired in if expired { Self.say("request expired") } }
    }

    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
        Self.say("request failed: \(error)")
    }

    /// For the test that reads this process's standard error.
    private static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        write(STDERR_FILENO, line, line.count)
    }

    fileprivate func addTutorial(to context: CXCallDirectoryExtensionContext) {
        context.addBlockingEntry(withNextSequentialPhoneNumber: 1234)
        context.addIdentificationEntry(withNextSequentialPhoneNumber: 1111, label: "RW Tutorial Team")
    }

    private func addChanges(to context: CXCallDirectoryExtensionContext) {
        guard context.isIncremental else { return addTutorial(to: context) }
        context.addBlockingEntry(withNextSequentialPhoneNumber: 14_085_551_234)
        context.removeBlockingEntry(withPhoneNumber: 1234)
        context.addIdentificationEntry(withNextSequentialPhoneNumber: 1111, label: "RW Tutorial Team")
    }

    private func addMany(_ count: Int64, to context: CXCallDirectoryExtensionContext) {
        for number in 1...max(1, count) {
            context.addBlockingEntry(withNextSequentialPhoneNumber: 12_000_000_000 + number * 797)
        }
    }

    /// Labels as in a list of companies.
    private func addNames(_ count: Int64, to context: CXCallDirectoryExtensionContext) {
        for number in 1...max(1, count) {
            context.addIdentificationEntry(
                withNextSequentialPhoneNumber: 12_000_000_000 + number * 797, label: "Company \(number * 7 % 50_000)")
        }
    }

    private func addLabels(to context: CXCallDirectoryExtensionContext) {
        context.addIdentificationEntry(
            withNextSequentialPhoneNumber: 1, label: String(repeating: "x", count: 1 << 20))
        context.addIdentificationEntry(withNextSequentialPhoneNumber: 2, label: "\u{202E}\u{0}a\u{1B}[2J\r\nb")
        context.addIdentificationEntry(
            withNextSequentialPhoneNumber: 3, label: "a" + String(repeating: "\u{301}", count: 1 << 20))
    }
}

/// Carries a request to the main queue, where it is used from then on.
private struct Later: @unchecked Sendable {
    let directory: TutorialDirectory
    let context: CXCallDirectoryExtensionContext
}

private struct Whim: Error, CustomStringConvertible {
    let description = "not today"
}

@c(opencallkit_directory_main)
public func directoryMain(_ link: CInt) -> CInt { DirectoryMain.run(link) { TutorialDirectory() } }
