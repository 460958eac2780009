// The third way: the real daemon, real processes, a real bus, and time that passes.

import CallSimulation
import EventLoop
import Testing

extension ThreeWays {
    @Suite(.timeLimit(.minutes(60))) @LoopActor struct DaemonTests {
        /// Files about a rule with inputs that nobody outside can bring about at that moment, or at all.
        nonisolated static let unplayable: Set = [
            // Timers that come due on their own never come too late.
            "17-a-stray-timer-means-nothing",
            // An action that nobody was asked for cannot be answered.
            "17-double-completion",
            // The dead report nothing.
            "18-provider-dies",
            // A connection that is a provider does not become the same one again, and a worker has one life.
            "18-provider-registers-again", "18-provider-is-restarted",
            // The daemon does not listen to an agent that was replaced.
            "20-answer-of-a-replaced-audio-agent",
            // The order of earlier registrations is read from a file.
            "01-registration-order-is-kept",
            // The store alone knows whom the user called last, and no provider of the stage lies in the user's folder.
            "01-default-provider", "19-emergency-goes-to-who-reaches-it", "19-emergency-goes-on-after-a-refusal",
            "19-only-entitled-providers-declare-emergencies", "19-user-marks-a-provider",
            "19-emergency-is-refused-where-nobody-reaches-it",
            "06-an-app-has-a-second-for-its-first-hold", "22-a-providers-own-answer-gives-way",
            "22-a-providers-own-answer-is-not-begun", "17-what-a-silent-provider-is-asked-next-is-not-awaited",
            // Limits are fixed, and the providers of the stage are plugins that came with the system.
            "01-a-plugin-that-comes-again-keeps-its-place", "19-emergency-meets-no-limit",
            "24-new-calls-in-time", "24-plugins-act-on-their-own-calls", "24-requests-in-time", "24-shares-of-calls",
            "24-shares-of-starts",
            "24-shares-of-transactions",
            // Only the store knows callers, and limits are fixed.
            "24-handles-have-their-scheme", "27-allow-list", "27-block-list", "27-first-answer-does-not-come",
            "27-outgoing-call-has-a-name",
            "27-waits-for-the-first-answer", "27-caller-is-known", "27-look-up-fails-open", "27-name-is-confirmed",
            "27-picture",
            "27-another-number-while-it-rings", "27-another-number-while-it-waits", "27-name-goes-with-its-number",
            "28-another-number-meets-do-not-disturb",
            "27-reports-while-waiting", "27-waiting-call-is-lost", "27-world-changes-while-waiting",
            "28-do-not-disturb-favorites",
            "28-do-not-disturb-nobody-can-tell", "28-do-not-disturb-same-caller-written-otherwise",
            "29-order-of-the-filters",
        ]

        @Test func transcriptsAreThoseOfTheCore() async throws {
            try #require(!ScenarioFiles.played.isEmpty, ".build/cells is missing: run `make cells`")
            // For a closer look at some files.
            let only = ProcessEnvironment.current["ONLY"].map { $0.split(separator: ",").map(String.init) }
            let outcomes = await Self.play(ScenarioFiles.played.filter { only?.contains($0) ?? true })
            var isSame = true
            for (name, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
                switch outcome {
                case .same:
                    #expect(!Self.unplayable.contains(name), "\(name) can be played from outside: take it off the list")
                case .impossible(let reasons):
                    let isKnown = Self.unplayable.contains(name) || ScenarioFiles.playsCells
                    #expect(isKnown, "\(name) cannot be played from outside: \(reasons)")
                case .tooFine(let reason):
                    #expect(ScenarioFiles.playsCells, "\(name) cannot be played in real time: \(reason)")
                case .different(let text):
                    isSame = false
                    Issue.record("\(name): \(text)")
                }
            }
            if isSame { print(Self.summary(Array(outcomes.values))) }
        }

        /// Plays some files side by side: most of the time is waiting.
        private static func play(_ names: [String]) async -> [String: DaemonRun.Outcome] {
            await withTaskGroup(of: (String, DaemonRun.Outcome).self) { group in
                var left = names[...]
                var outcomes: [String: DaemonRun.Outcome] = [:]
                for _ in 0..<8 {
                    if let name = left.popFirst() { group.addTask { (name, await DaemonRun.of(name)) } }
                }
                for await (name, outcome) in group {
                    outcomes[name] = outcome
                    if let name = left.popFirst() { group.addTask { (name, await DaemonRun.of(name)) } }
                }
                return outcomes
            }
        }

        private static func summary(_ all: [DaemonRun.Outcome]) -> String {
            let impossible = all.count { if case .impossible = $0 { true } else { false } }
            let tooFine = all.count { if case .tooFine = $0 { true } else { false } }
            return
                "\(all.count) files, three ways, same transcript; in the daemon \(all.count - impossible - tooFine): "
                + "\(impossible) others have inputs that nobody outside can cause, \(tooFine) depend on milliseconds"
        }
    }
}
