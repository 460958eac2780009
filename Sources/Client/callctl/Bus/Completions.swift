// Completions: the calls, providers, plugins, favorites, accounts and routes that a shell offers.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop
import Synchronization

/// What a shell offers for a word, and what it shows beside it, if it can.
struct OfferedWord: Sendable, Equatable {
    let word: String
    let note: String

    /// The form in which a shell takes it.
    func text(for shell: CompletionShell?) -> String {
        let (word, note) = (word.printable, note.printable)
        switch shell {
        // bash expands what it is offered, commands in it too, and reads it again when the line is run.
        case .bash: return word.quoted.quoted
        case .zsh: return note.isEmpty ? word.escapingColons : "\(word.escapingColons):\(note)"
        default: return note.isEmpty ? word : "\(word)\t\(note)"
        }
    }
}

extension CompletionKind {
    static var calls: CompletionKind {
        .asking { session throws(Failure) in
            let snapshot = try await session.snapshot()
            return snapshot.calls.filter { !$0.hasEnded }.map {
                OfferedWord(word: snapshot.shortID(of: $0), note: "\($0.state.rawValue), \($0.caller)")
            }
        }
    }

    static var providers: CompletionKind {
        .asking { session throws(Failure) in
            try await session.snapshot().providers.map { OfferedWord(word: $0.id.rawValue, note: "") }
        }
    }

    static var plugins: CompletionKind {
        .asking { session throws(Failure) in
            try await session.snapshot().plugins.map { OfferedWord(word: $0.id, note: $0.text("State")) }
        }
    }

    static var favorites: CompletionKind {
        .asking { session throws(Failure) in
            try await session.favorites().map { favorite in
                let value = favorite.handle("handle").value
                let hasName = !favorite.text("name").isEmpty
                return OfferedWord(word: favorite.shownName, note: hasName ? value : "")
            }
        }
    }

    static var accounts: CompletionKind {
        .asking { session throws(Failure) in
            let book = try await session.accounts()
            return book.rows.map { OfferedWord(word: book.shortID(of: $0), note: "\($0.plugin), \($0.name)") }
        }
    }

    /// Plugins that have accounts.
    static var accountPlugins: CompletionKind {
        .asking { session throws(Failure) in
            try await session.accountPlugins().map { OfferedWord(word: $0, note: "") }
        }
    }

    static var routes: CompletionKind {
        .asking(.desktop) { session throws(Failure) in
            try await session.routes().routes.map { OfferedWord(word: $0.id, note: $0.text("name")) }
        }
    }

    private static func asking(
        _ service: BusService = .daemon,
        _ words: @escaping @LoopActor @Sendable (Session) async throws(Failure) -> [OfferedWord]
    ) -> CompletionKind {
        .custom { _, _, _ in
            let found = Mutex<[OfferedWord]>([])
            OfferedWord.ask(service, words) { answer in found.withLock { $0 = answer } }
            let shell = CompletionShell.requesting
            return found.withLock { $0 }.map { $0.text(for: shell) }
        }
    }
}

extension OfferedWord {
    /// Whoever types does not wait longer for an answer.
    private static let patience = Duration.milliseconds(150)

    /// Asks a service that runs already, and returns when it has answered, or will not in time.
    fileprivate static func ask(
        _ service: BusService, _ words: @escaping @LoopActor @Sendable (Session) async throws(Failure) -> [OfferedWord],
        answer: @escaping @Sendable ([OfferedWord]) -> Void
    ) {
        Loop.shared.post {
            let timer = LoopTimer(after: patience) { Loop.shared.stop() }
            Task { @LoopActor in
                if let session = try? await Session(to: nil, output: Output(isJSON: false, terminal: .plain)),
                    (try? await session.bus.owner(of: service.busName)) != nil,
                    let found = try? await words(session)
                {
                    answer(found)
                }
                timer.cancel()
                Loop.shared.stop()
            }
        }
        Loop.shared.run()
    }
}

extension String {
    /// zsh shows what follows a colon beside the word.
    fileprivate var escapingColons: String { replacing(":", with: "\\:") }

    /// The same text after a shell has read it: all that may mean something to one has a backslash.
    fileprivate var quoted: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            let isPlain =
                !scalar.isASCII || scalar.properties.isAlphabetic
                || "0123456789_-./@+,:".unicodeScalars.contains(scalar)
            text += (isPlain ? "" : "\\") + String(scalar)
        }
    }
}
