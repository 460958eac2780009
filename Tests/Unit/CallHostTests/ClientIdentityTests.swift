// Who a client is, by the files of its sandbox and the names of its control group; and how it is told.

import CallCore
import CallModel
import EventLoop
import Testing

@testable import CallHost

@Suite struct ClientIdentityTests {
    @Test func flatpakNamesTheApp() {
        let text = """
            [Application]
            name=org.example.Phone
            runtime=runtime/org.example.Platform/x86_64/1

            [Instance]
            instance-id=4711
            name=not.this
            """
        #expect(FlatpakInfo(text: text)?.app == "org.example.Phone")
        #expect(FlatpakInfo(text: "[Runtime]\nname = org.example.Platform \n")?.app == "org.example.Platform")
        #expect(FlatpakInfo(text: "[Runtime]\nname=a.b\n[Application]\nname=c.d\n")?.app == "c.d")
        // The app writes the values of other groups, in which GKeyFile escapes line feeds and nothing else.
        for end in ["\u{2028}", "\u{2029}", "\u{85}", "\u{B}", "\u{C}"] {
            let text = "[Runtime]\nname=a.b\n[Environment]\nX=\(end)[Application]\(end)name=c.d\n"
            #expect(FlatpakInfo(text: text)?.app == "a.b")
        }
    }

    @Test(arguments: [
        "", "name=org.example.Phone", "[Application]\nname=", "[Application]\nname=a b", "[Application]\nname=a/../b",
        "[Application]\nname=a\u{202E}b", "[Instance]\nname=org.example.Phone", "[Application\nname=a.b",
        "[Application]\nname=" + String(repeating: "a", count: 256), "[Application]\nnames=a.b",
        "\u{0}[Application]\nname=a.b",
    ])
    func flatpakWithoutANameIsUnknown(text: String) {
        #expect(FlatpakInfo(text: text) == nil)
    }

    @Test func snapsAreKnownByTheirLabels() {
        #expect(SnapName.of(label: "snap.phone.app (enforce)") == "snap.phone")
        #expect(SnapName.of(label: "snap.phone_work.app") == "snap.phone_work")
        #expect(SnapName.of(label: "snap.phone.hook.install (enforce)") == "snap.phone")
        for other in ["", "unconfined", "snap.phone.app (complain)", "snap.phone", "snap..app", "firefox (enforce)"] {
            #expect(SnapName.of(label: other) == nil, "\(other)")
        }
    }

    @Test func snapsAreKnownByTheirControlGroups() {
        let scope = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/snap.phone.app-1c5d.scope\n"
        #expect(SnapName.of(cgroup: scope) == "snap.phone")
        #expect(SnapName.of(cgroup: "1:name=systemd:/system.slice/snap.phone.daemon.service\n0::/\n") == "snap.phone")
        for other in ["", "0::/\n", "0::/user.slice/app-org.example.snap.scope\n", "0::/snapd.service\n", "snap.a.b\n"]
        {
            #expect(SnapName.of(cgroup: other) == (other == "snap.a.b\n" ? "snap.a" : nil), "\(other)")
        }
    }

    @Test func identitiesAreToldInWords() {
        let user = ClientIdentity(.user, process: 4711, program: "callctl")
        #expect(user.text(of: ":1.42") == ":1.42 (program callctl, pid 4711)")
        let app = ClientIdentity(.app("org.example.Phone"), process: 4711, program: "phone-ui")
        #expect(app.text(of: ":1.42") == "org.example.Phone (program phone-ui, pid 4711)")
        let unknown = ClientIdentity(.unknown("its root folder cannot be read"))
        #expect(unknown.text(of: ":1.42") == ":1.42 (unknown app, pid unknown)")
        let odd = ClientIdentity(.user, process: 1, program: "a\n\u{202E}b" + String(repeating: "c", count: 99))
        #expect(odd.program == "ab" + String(repeating: "c", count: 62))
    }

    @Test func grantsAreKeptAsText() throws {
        var settings = AccessSettings()
        settings.apps = ["org.example.Phone": [.identity, .control], "snap.phone": [.administer]]
        let text = "access\napp id=org.example.Phone tiers=control,identity\napp id=snap.phone tiers=administer\n"
        #expect(settings.text == text)
        #expect(try AccessSettings(text: text) == settings)
    }

    @Test(arguments: [
        "", "access", "plugins\n", "access\napp id=a tiers=\n", "access\napp id=a tiers=observe\n",
        "access\napp id=a\n",
        "access\napp id=\"a b\" tiers=control\n", "access\nfoo id=a tiers=control\n", "access\napp id=a tiers=control",
        "access\n" + String(repeating: "app id=a tiers=control\n", count: 1_001),
    ])
    func invalidGrantsAreRefused(text: String) {
        #expect(throws: CallError.self) { try AccessSettings(text: text) }
    }

    @Test @LoopActor func grantsAndRefusalsAreBounded() throws {
        let book = AccessBook()
        var settings = AccessSettings()
        for number in 0..<AccessSettings.maximum { try settings.grant([.control], to: "app\(number)") }
        #expect(throws: CallError.self) { try settings.grant([.control], to: "other") }
        try settings.grant([.identity], to: "app1")
        #expect(settings.tiers(of: "app1") == [.control, .identity])
        settings.revoke([.control], of: "app1")
        settings.revoke([.control], of: "app2")
        #expect(settings.tiers(of: "app1") == [.identity] && settings.tiers(of: "app2") == [])
        try settings.grant([.control], to: "other")
        for number in 0...AccessSettings.maximum {
            book.note(.init(text: "", tier: .control, date: WallTime(microseconds: UInt64(number))), of: "app\(number)")
        }
        #expect(book.refusals.count == AccessSettings.maximum && book.refusals["app0"] == nil)
    }

    @Test @LoopActor func whoIsAwaitedIsNotForgotten() {
        let book = ClientBook()
        let first = book.add(":1.0", at: Instant(uptime: 0, date: 0), mentioned: { [] })
        for number in 1...2 * ClientBook.capacity {
            let entry = book.add(":1.\(number)", at: Instant(uptime: 0, date: 0), mentioned: { [":1.1"] })
            #expect(entry.map { book.settle($0, ClientIdentity(.user)) } == true)
        }
        #expect(book.knows(":1.0") && book.knows(":1.1") && !book.knows(":1.2"))
        #expect(first.map { book.settle($0, ClientIdentity(.app("a"))) } == true)
        #expect(book.identity(of: ":1.0")?.app == "a")
        book.forgetAll()
        #expect(first.map { book.settle($0, ClientIdentity(.user)) } == false)
    }

    @Test @LoopActor func notTooManyAreAwaited() {
        let book = ClientBook()
        let now = Instant(uptime: 0, date: 0)
        var entries: [ClientBook.Entry] = []
        for number in 0... {
            guard let entry = book.add(":1.\(number)", at: now, mentioned: { [] }) else { break }
            entries.append(entry)
        }
        #expect(entries.count == 1_024)
        _ = book.settle(entries[0], ClientIdentity(.user))
        #expect(book.add(":2.0", at: now, mentioned: { [] }) != nil)
    }
}
