// The binary against a service on a private bus.

import DBus
import EventLoop
import TestSupport
import Testing

@testable import callctl

@Suite @LoopActor struct CommandTests {
    nonisolated init() { Loop.shared.start() }

    @Test func listForPeopleAndAsJSON() async throws {
        let (bus, daemon) = try await twoCalls()
        let text = try await run(["list"], on: bus)
        #expect(text.code == 0)
        let lines = text.out.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "ID        STATE    DIRECTION  CALLER       PROVIDER  TIME")
        #expect(lines.contains { $0.hasPrefix("1a2b3c4d  active   incoming   Alice (555)  Hotline   1:") })
        #expect(lines.contains("1a2bffff  ringing  incoming   Bob (555)    Hotline"))
        let json = try await run(["list", "--json"], on: bus)
        #expect(json.out.hasPrefix(#"[{"object":"/org/opencallkit/CallSystem1/calls/1a2b"#))
        #expect(json.out.contains(#""caller-name":"Alice""#) && json.out.hasSuffix("}]\n"))
        #expect(daemon.requests.isEmpty)
        daemon.bus.close()
    }

    @Test func eachCommandIsOneRequest() async throws {
        let (bus, daemon) = try await twoCalls()
        let (alice, bob) = (Sample.path(ofCall: Sample.alice), Sample.path(ofCall: Sample.bob))
        let commands: [(arguments: [String], request: String, says: String)] = [
            (["end", "1a2b3"], "1a2b3c4d End", "ended 1a2b3c4d (Alice)"),
            (
                ["end", "--all"], "EndCalls starting started connecting ringing answering active holding held resuming",
                "ended 2 calls"
            ),
            (["reject", "--reason", "busy"], "1a2bffff Reject busy", "rejected 1a2bffff (Bob)"),
            (["hold"], "1a2b3c4d SetHeld true", "held 1a2b3c4d (Alice)"),
            (["resume", "1a2b3"], "1a2b3c4d SetHeld false", "resumed 1a2b3c4d (Alice)"),
            (["mute", "1A2B3C4D"], "1a2b3c4d SetMuted true", "muted 1a2b3c4d (Alice)"),
            (["unmute", "1a2b3"], "1a2b3c4d SetMuted false", "unmuted 1a2b3c4d (Alice)"),
            (["dtmf", "12#"], "1a2b3c4d PlayDTMF 12#", "sent 12# to 1a2b3c4d (Alice)"),
            (["dtmf", "1a2bf", "9"], "1a2bffff PlayDTMF 9", "sent 9 to 1a2bffff (Bob)"),
            (
                ["translate", "1a2b3", "--from", "en-GB", "--to", "sv"], "1a2b3c4d SetTranslating true 'en-GB' 'sv'",
                "translated 1a2b3c4d (Alice)"
            ),
            (
                ["translate", "1a2b3", "--off"], "1a2b3c4d SetTranslating false '' ''",
                "stopped translating 1a2b3c4d (Alice)"
            ),
            (
                ["transfer", "1a2b3", "+46 70 174"],
                #"transfer {"call":"\#(alice)","to":"+46 70 174"} {}"#, "transferred 1a2b3c4d (Alice)"
            ),
            (
                ["transfer", "tel:555"], #"transfer {"call":"\#(alice)","to":"tel:555"} {}"#,
                "transferred 1a2b3c4d (Alice)"
            ),
            (
                ["transfer", "--to-call", "bob"], #"transfer-to {"call":"\#(alice)","other":"\#(bob)"} {}"#,
                "transferred 1a2b3c4d (Alice)"
            ),
            (["group", "1a2b3", "1a2bf"], "1a2b3c4d GroupWith 1a2bffff", "grouped 1a2b3c4d (Alice)"),
            (["ungroup", "1a2b3"], "1a2b3c4d Ungroup", "ungrouped 1a2b3c4d (Alice)"),
            (["silence"], "SilenceRinging", "silenced"),
            (
                ["start", "tel:555", "--provider", "hot", "--video"],
                #"StartCall tel:555 {"provider":"\#(Sample.hotline)","video":true}"#, Sample.alice
            ),
            (["plugins", "restart", "hot"], "Restart", "restarted Hotline"),
            (
                ["plugins", "revoke", "hot", "network", "audio"], "Revoke network audio",
                "revoked network, audio from Hotline; it does not start until it has what it needs"
            ),
            (["plugins", "forget", "hot"], "Forget", "forgot Hotline"),
            (
                ["action", "hot", "simulate-incoming", "handle=5551", "video=true", "n:=3"],
                #"PerformCustomAction simulate-incoming {"handle":"5551","n":3,"video":true}"#,
                "echo={handle=5551, n=3, video=true}"
            ),
            (["answer", "--conflict", "end"], #"1a2bffff Answer {"conflict":"end"}"#, "answered 1a2bffff (Bob)"),
        ]
        for (index, command) in commands.enumerated() {
            let result = try await run(command.arguments, on: bus)
            #expect(result.code == 0 && result.errors.isEmpty, "\(command.arguments) \(result)")
            #expect(result.out == command.says + "\n")
            #expect(daemon.requests.count == index + 1)
            #expect(daemon.requests.last == command.request)
        }
    }

    @Test func whatIsSoAlreadyIsNotSaidToBeDone() async throws {
        let bus = try await PrivateBus()
        let daemon = try await ScriptedDaemon(on: bus)
        defer { daemon.bus.close() }
        let call = ScriptedCall(Sample.alice, "active", can: ["hold", "mute"], name: "Alice", in: daemon)
        daemon.add(call)
        func says(_ command: String) async throws -> String {
            let result = try await run([command, "alice"], on: bus)
            #expect(result.code == 0 && result.errors.isEmpty, "\(command) \(result)")
            return result.out
        }
        for (command, done, already) in [
            ("mute", "muted", "muted"), ("unmute", "unmuted", "unmuted"), ("hold", "held", "held"),
            ("resume", "resumed", "active"),
        ] {
            #expect(try await says(command) == "\(done) 1a2b3c4d (Alice)\n")
            #expect(try await says(command) == "1a2b3c4d (Alice) is \(already) already\n")
        }
        call.hold(by: "arbiter")
        #expect(try await says("hold") == "held 1a2b3c4d (Alice)\n")
        #expect(call.holder == "user")
    }

    @Test func aTransferHasOneTarget() async throws {
        let (bus, daemon) = try await twoCalls()
        defer { daemon.bus.close() }
        for words in [[], ["a", "b", "c"], ["a", "b", "--to-call", "c"]] {
            #expect(try await run(["transfer"] + words, on: bus).code == 64, "\(words)")
        }
        #expect(try await run(["transfer", "--to-call", "nobody"], on: bus).code == 66)
        #expect(daemon.requests.isEmpty)
    }

    @Test func withoutACommandTheStatusIsShown() async throws {
        let (bus, daemon) = try await twoCalls()
        defer { daemon.bus.close() }
        let status = try await run([], on: bus, environment: ["COLUMNS": "80"])
        #expect(status.code == 0)
        let lines = status.out.split(separator: "\n")
        #expect(lines.count <= 10 && lines.allSatisfy { $0.count <= 80 })
        for text in [
            "running, version 1.2.3, policy desktop", "1a2b3c4d  active  Alice (555)  via Hotline",
            "Hotline (quarantined)", "callctl answer 1a2bffff",
        ] {
            #expect(status.out.contains(text), "\(text)")
        }
        let json = try await run(["--json"], on: bus)
        #expect(json.out.hasPrefix(#"{"version":"1.2.3","policy":"desktop","calls":[{"object":"#))
    }

    @Test func sharedOptionsStandAnywhere() async throws {
        let (bus, daemon) = try await twoCalls()
        defer { daemon.bus.close() }
        let after = try await run(["list", "--json", "--address", bus.address], on: bus)
        #expect(after.code == 0 && after.out.hasPrefix("[{"))
        for words in [["--json", "list"], ["--address", bus.address, "--json", "list"]] {
            let before = try await run(words, on: bus)
            #expect(before.code == 0 && before.out.hasPrefix("[{"))
        }
        #expect(try await run(["--address=unix:path=/nonexistent", "list"], on: bus).code == 69)
    }

    @Test func aMistypedCommandIsAnsweredWithTheOneThatWasMeant() async throws {
        let bus = try await PrivateBus()
        for (words, guess) in [
            (["lst"], "did you mean \"list\"?"), (["anwser", "1a2b"], "did you mean \"answer\"?"),
            (["recents", "exprt"], "did you mean \"export\"?"), (["xyzzy"], "callctl --help lists all"),
        ] {
            let result = try await run(words, on: bus)
            #expect(result.code == 64 && result.out.isEmpty)
            #expect(result.errors.contains(guess), "\(words): \(result.errors)")
        }
    }

    @Test func nothingDoneIsNoSuccess() async throws {
        let bus = try await PrivateBus()
        let daemon = try await ScriptedDaemon(on: bus)
        defer { daemon.bus.close() }
        for words in [["end"], ["end", "--all"], ["silence"], ["show"], ["explain"]] {
            let result = try await run(words, on: bus)
            #expect(result.code == 66 && result.out.isEmpty && result.errors.hasPrefix("callctl: no call"), "\(words)")
        }
        #expect(daemon.requests.isEmpty)
    }

    @Test func plan() async throws {
        let (bus, daemon) = try await twoCalls()
        let result = try await run(["plan", "answer", "--conflict", "hold"], on: bus)
        #expect(
            result.out == """
                #  ACTION    CALL      CALLER  PROVIDER  RULE
                1  set-held  1a2b3c4d  Alice   Hotline      6
                2  answer    1a2bffff  Bob     Hotline      6

                """)
        _ = try await run(["plan", "start", "tel:1", "--contact", "c"], on: bus)
        let path = Sample.path(ofCall: Sample.bob)
        #expect(
            daemon.requests == [
                #"SimulateTransaction answer {"call":"\#(path)"} {"conflict":"hold"}"#,
                #"SimulateTransaction start {"contact-identifier":"c","handle":"tel:1"} {}"#,
            ])
    }

    @Test func whatIsShown() async throws {
        let (bus, daemon) = try await twoCalls()
        defer { daemon.bus.close() }
        let told = try await run(["explain", "1a2b3"], on: bus).out.split(separator: "\n")
        #expect(told.first == "1a2b3c4d (Alice) is active")
        #expect(told.dropFirst().map { $0.dropFirst(10) } == ["reported by Hotline", "held for \u{FFFD}another"])
        let show = try await run(["show", "1a2b3"], on: bus).out
        #expect(show.contains("id         \(Sample.alice)\n") && show.contains("handle     phone-number:555\n"))
        #expect(
            try await run(["providers"], on: bus).out.contains("Hotline   simulate-incoming  Be called"))
        let plugins = try await run(["plugins"], on: bus).out
        #expect(plugins.contains("Hotline  quarantined         3  landlock  audio?, files:~/My Music?, network\n"))
        #expect(plugins.contains("\n\nHotline  crashed 3 times"))
        let plugin = try await run(["plugins", "show", "hot"], on: bus).out
        for line in [
            "sandbox       landlock: it opens only its own files", "not enforced  file-names, threads\n",
            "needs         network: granted\n", "may use       audio: not granted; the plugin says: “Lets you talk.",
            "              files:~/My Music: not granted\n",
        ] { #expect(plugin.contains(line)) }
        #expect(!plugin.contains("\u{1B}"))
        #expect(try await run(["dnd"], on: bus).out == "off, but quiet by GNOME\n")
        #expect(
            try await run(["dnd", "on", "--json"], on: bus).out
                == "{\"do-not-disturb\":true,\"quiet-sources\":[\"GNOME\"]}\n")
    }

    @Test func whenNotToBeDisturbed() async throws {
        let (bus, daemon) = try await twoCalls()
        defer { daemon.bus.close() }
        let arguments = ["dnd", "--schedule", "22:00-07:00", "--schedule", "23:00-09:30@fri,sat"]
        let text = try await run(
            arguments + ["--allow-favorites", "yes", "--allow-providers", "Hotline,Monkey"], on: bus
        )
        .out
        #expect(
            text == """
                off
                schedule             22:00–07:00 every day
                                     23:00–09:30 on fri, sat
                favorites            ring
                repeated callers     do not ring
                providers that ring  Hotline, Monkey
                quiet by             GNOME

                """)
        #expect(
            daemon.requests == [
                #"DoNotDisturbRules {"allow-favorites":true,"providers-allowed":["Hotline","Monkey"],"#
                    + #""schedule":[{"days":[],"from":"22:00","until":"07:00"},"#
                    + #"{"days":["fri","sat"],"from":"23:00","until":"09:30"}]}"#
            ])
        #expect(
            try await run(["dnd", "on", "--schedule", "none", "--allow-providers", "none", "--json"], on: bus).out
                == #"{"do-not-disturb":true,"quiet-sources":["GNOME"],"do-not-disturb-rules":{"allow-favorites":true,"providers-allowed":[],"#
                + "\"schedule\":[]}}\n")
        #expect(try await run(["dnd", "status"], on: bus).out.hasPrefix("on\nschedule             none\n"))
    }

    @Test func columnsAreKept() async throws {
        let (bus, daemon) = try await twoCalls()
        defer { daemon.bus.close() }
        let result = try await run(["list"], on: bus, environment: ["COLUMNS": "50"])
        #expect(result.out.split(separator: "\n").allSatisfy { $0.count <= 50 } && !result.out.contains("DIRECTION"))
    }

    @Test func refusalsAndOtherFailures() async throws {
        let (bus, daemon) = try await twoCalls()
        daemon.refusal = DBusError("org.opencallkit.Error.MaximumCallGroupsReached", "Hotline has 2 of 2")
        let refused = try await run(["answer"], on: bus)
        #expect(refused.code == 1 && refused.out.isEmpty)
        #expect(refused.errors == "callctl: MaximumCallGroupsReached: Hotline has 2 of 2\n")
        daemon.refusal = DBusError("org.opencallkit.Error.AlreadyEnded", "call \(Sample.bob) has ended")
        #expect(try await run(["answer"], on: bus).errors == "callctl: AlreadyEnded: call 1a2bffff has ended\n")
        #expect(try await run(["answer", "77"], on: bus).code == 66)
        #expect(try await run(["end"], on: bus).errors.hasPrefix("callctl: 2 calls, name one:\n  1a2b"))
        #expect(try await run(["dtmf"], on: bus).code == 64)
    }

    @Test func nobodyThere() async throws {
        let bus = try await PrivateBus()
        let absent = try await run(["list"], on: bus)
        #expect(absent.code == 69 && absent.errors.hasPrefix("callctl: callkitd is not running"))
        let unreachable = try await run(["list", "--address", "unix:path=/nonexistent"], on: bus)
        #expect(unreachable.code == 69 && unreachable.errors.hasPrefix("callctl: no bus: "))
        #expect(try await run(["watch", "--address", "unix:path=/nonexistent"], on: bus).code == 69)
    }

    @Test func silenceIsATimeOutAndLeavingIsNot() async throws {
        let (bus, daemon) = try await twoCalls()
        daemon.isSilent = true
        let session = try await Session(to: bus.address, output: Output(isJSON: false, terminal: .plain))
        let path = Sample.path(ofCall: Sample.bob)
        let late = await #expect(throws: Failure.self) {
            let _: Void = try await session.call(
                at: path, "org.opencallkit.Call1", "AnswerWith", VariantDictionary(), waiting: .milliseconds(50))
        }
        #expect(late?.outcome == .timedOut)
        _ = try await daemon.waiting.next()
        let leaving = try CallctlProcess(["answer"], on: bus)
        _ = try await daemon.waiting.next()
        daemon.bus.close()
        #expect(try await leaving.result().code == 69)
    }

    private func run(
        _ arguments: [String], on bus: PrivateBus, environment: [String: String] = [:]
    ) async throws -> (code: Int32?, out: String, errors: String) {
        try await CallctlProcess(arguments, on: bus, environment: environment).result()
    }

    /// A daemon with Alice's call active and Bob's ringing.
    private func twoCalls() async throws -> (PrivateBus, ScriptedDaemon) {
        let bus = try await PrivateBus()
        let daemon = try await ScriptedDaemon(on: bus)
        daemon.add(
            ScriptedCall(Sample.alice, "active", can: ["hold", "mute", "dtmf", "transfer"], name: "Alice", in: daemon))
        daemon.add(ScriptedCall(Sample.bob, "ringing", can: ["answer"], name: "Bob", in: daemon))
        return (bus, daemon)
    }
}
