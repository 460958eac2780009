// What a bundle asks for: how it is read, and every refusal.

import CallModel
import Files
import Glibc
import Testing

@testable import WorkerLaunch

@Suite struct PluginManifestTests {
    private func manifest(_ text: String) throws -> PluginManifest { try PluginManifest(Array(text.utf8)) }

    private func refusal(_ text: String) -> String? { refusal(Array(text.utf8)) }

    private func refusal(_ bytes: [UInt8]) -> String? {
        do throws(CallError) {
            _ = try PluginManifest(bytes)
            return nil
        } catch {
            return error.code == .notSupported ? error.message : "not typed: \(error)"
        }
    }

    @Test func whole() throws {
        let manifest = try manifest(
            """
            # What this plugin needs of the machine.

            [Plugin]
            Name=Phone
            Name[sv]=Telefon
            Comment = Calls over anything
            Needs=audio;network; audio ;
            MayUse=devices:serial;network;files:xdg-config/phone
            Versions=7

            [Desktop Entry]
            Anything = goes

            [Reasons]
            network=Talks to your SIP provider: sip=yes
            files:xdg-config/phone=Reads its book.
            audio=
            system-bus:org.ofono=Never asked for.
            """.replacing("audio=\n", with: ""))
        #expect(manifest.name == "Phone")
        #expect(manifest.comment == "Calls over anything")
        #expect(manifest.needs == [.network, .audio])
        #expect(manifest.mayUse == [.files("xdg-config/phone"), .devices(.serial)])
        #expect(manifest.asked == [.network, .audio, .files("xdg-config/phone"), .devices(.serial)])
        #expect(
            manifest.reasons == [
                .network: "Talks to your SIP provider: sip=yes", .files("xdg-config/phone"): "Reads its book.",
            ])
        #expect(
            manifest.unknown == [
                "line 9 has Versions, expected Name, Comment, Version, Needs or MayUse",
                "line 11 has [Desktop Entry], expected [Plugin] or [Reasons]",
                "line 17 has a reason for system-bus:org.ofono, which is not asked for",
            ])
    }

    @Test(arguments: ["7", "1.2", "1.2.3-rc.1+build7", "2026.11.28", "beta", String(repeating: "1", count: 32)])
    func versions(text: String) throws {
        let manifest = try manifest("[Plugin]\nVersion = \(text) \n")
        #expect(manifest.version == text && manifest.unknown.isEmpty)
    }

    /// A bad version is told and passed over: the plugin runs.
    @Test(arguments: [
        "", "1 2", ".1", "-", "1/2", "1.2\u{301}", "１", "1\u{202E}2", "v1;", String(repeating: "1", count: 33),
    ])
    func badVersions(text: String) throws {
        let manifest = try manifest("[Plugin]\nVersion=\(text)\nNeeds=network\n")
        #expect(manifest.version.isEmpty && manifest.needs == [.network])
        #expect(
            manifest.unknown.count == 1
                && manifest.unknown.first?.hasPrefix("line 2 has no version, expected 1 to 32") == true)
    }

    @Test func nothingAsked() throws {
        for text in [
            "", "\n\n# nothing\n", "[Plugin]\n", "[Plugin]\nNeeds=\nMayUse=\nName=\n", "[Plugin]\nNeeds=;;;\n",
        ] {
            #expect(try manifest(text) == PluginManifest())
        }
    }

    @Test func ownWordsAreMadeSafe() throws {
        let long = String(repeating: "x", count: 5_000)
        let manifest = try manifest(
            "[Plugin]\nName=\u{202E}Phone\u{1B}[31m\nComment=\(long)\nNeeds=audio\n[Reasons]\naudio=\u{2066}\(long)\n")
        #expect(manifest.name == "Phone[31m")
        #expect(manifest.comment.count == 256)
        #expect(manifest.reasons[.audio]?.count == 256)
    }

    @Test(arguments: [
        ("Needs=network\n", "line 1 stands before the first [Group]"), ("[Plugin\n", "line 1 is not [Group]"),
        ("[Plugin]\nwhat is this\n", "line 2 is neither [Group] nor Key=value"),
        ("[Plugin]\n=network\n", "line 2 is neither [Group] nor Key=value"),
        ("[Reasons]\nnetwork\n", "line 2 is neither [Group] nor Key=value"),
        ("[Plugin]\nNeeds=network\nNeeds=audio\n", "line 3 has Needs again"),
        ("[Plugin]\nVersion=1\nVersion=2\n", "line 3 has Version again"),
        ("[Plugin]\nNeeds=audio\n[Reasons]\naudio=a\naudio=b\n", "line 5 has a reason for audio again"),
        ("[Plugin]\nNeeds=network;flying\n", "line 2: flying is not a permission"),
        (
            "[Plugin]\n\nMayUse=session-bus:org.freedesktop.systemd1\n",
            "line 3: session-bus:org.freedesktop.systemd1 is granted"
        ),
        ("[Plugin]\nNeeds=files:~/.ssh\n", "no plugin is granted ~/.ssh"),
        ("[Plugin]\nNeeds=session-bus:org.*\n", "names no service"),
        ("[Plugin]\nNeeds=network,audio\n", "is not a permission"),
        ("[Plugin]\nNeeds=devices:/dev/sda\n", "names no kind of device"), ("[Plugin]\0\n", "not UTF-8 text"),
    ])
    func refusals(text: String, reason: String) {
        #expect(refusal(text)?.contains(reason) == true, "\(refusal(text) ?? "accepted")")
        #expect(refusal(text)?.contains("Plugin.ini") == true)
    }

    @Test func limits() throws {
        #expect(refusal([0x5B, 0xFF, 0xFE])?.contains("UTF-8") == true)
        let filler = String(repeating: "#", count: PluginManifest.maximumSize)
        #expect(refusal(filler) == nil)
        #expect(refusal(filler + "#")?.contains("16384 bytes") == true)
        func list(_ count: Int) -> String { (0..<count).map { "system-bus:org.example.N\($0)" }.joined(separator: ";") }
        #expect(try manifest("[Plugin]\nNeeds=\(list(32))\nMayUse=\(list(32))\n").needs.count == 32)
        #expect(refusal("[Plugin]\nNeeds=\(list(32))\nMayUse=network\n")?.contains("33 permissions") == true)
        #expect(refusal("[Plugin]\nNeeds=\(list(33))\n")?.contains("at most 32") == true)
    }

    /// Whatever stands in the file, it is read or refused with a reason that can be shown.
    @Test func randomFiles() {
        var generator = Random(seed: 19)
        let seed = Array(
            ("[Plugin]\nName=Phone\nNeeds=network;audio;files:~/x\nMayUse=session-bus:org.a.b;devices:serial\n"
                + "[Reasons]\naudio=x\n")
                .utf8)
        let pieces = [
            "[", "]", "=", ";", "\n", "\r\n", "\0", "Needs=", "files:~/", "../", "*", "\u{85}", "\u{2028}",
            "[Reasons]\n", "#",
            "session-bus:", "\t", "\u{301}",
        ].map { Array($0.utf8) }
        var accepted = 0
        for _ in 0..<100_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.insert(UInt8.random(in: 0 ... .max, using: &generator), at: place)
                case 1 where place < bytes.count: bytes.remove(at: place)
                case 2: bytes.removeLast(min(bytes.count, place / 8))
                default: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: place)
                }
            }
            if let reason = refusal(bytes) {
                #expect(reason.hasPrefix("Plugin.ini"), "\(bytes)")
                #expect(!reason.unicodeScalars.contains { $0.isUnsafeInText }, "\(bytes)")
            } else {
                accepted += 1
                guard let manifest = try? PluginManifest(bytes) else { continue }
                #expect(manifest.asked.allSatisfy { (try? Permission($0.text)) == $0 }, "\(bytes)")
                #expect(Set(manifest.asked).count == manifest.asked.count, "\(bytes)")
            }
        }
        #expect((1_000..<99_000).contains(accepted), "\(accepted) of 100000 were accepted")
    }
}

/// SplitMix64: the same numbers in every run.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
