// The events that follow from snapshots and signals.

import CallClient
import CallModel
import DBus
import EventLoop
import Testing

@testable import callctl

/// The daemon's objects, and the events that follow from what happens to them.
private struct Watched {
    private var objects = CallSystemState()
    private let state = WatchState()

    mutating func began(_ snapshot: Snapshot) -> [WatchEvent] {
        objects = CallSystemState(snapshot)
        return events(.appeared(snapshot))
    }

    mutating func added(_ path: ObjectPath, _ interfaces: [String: VariantDictionary]) -> [WatchEvent] {
        events(objects.added(path, interfaces))
    }

    mutating func removed(_ path: ObjectPath, _ interfaces: [String]) -> [WatchEvent] {
        events(objects.removed(path, interfaces))
    }

    mutating func identified(_ path: ObjectPath, _ identity: VariantDictionary) -> [WatchEvent] {
        events(objects.identified(path, identity))
    }

    mutating func changed(
        _ path: ObjectPath, _ interface: String, _ values: VariantDictionary, invalidated: [String]
    ) -> [WatchEvent] {
        events(objects.changed(path, interface, values, invalidated: invalidated))
    }

    mutating func popUnidentified() -> [ObjectPath] { objects.popUnidentified() }

    func events(_ change: CallSystemChange?) -> [WatchEvent] {
        guard let change else { return [] }
        return state.events(of: change, at: MonotonicTime(nanoseconds: 9_999_000_000_000)) { objects.calls[$0] }
    }
}

@Suite struct WatchStateTests {
    private let call = Sample.path(ofCall: Sample.alice)

    /// A state that has seen the daemon with one ringing call of Alice.
    private func ringing() -> Watched {
        var state = Watched()
        _ = state.began(Sample.snapshot(Sample.call(Sample.alice, "ringing", name: "Alice")))
        return state
    }

    @Test func itBeginsWithWhatIsThere() {
        var state = Watched()
        let events = state.began(
            Sample.snapshot(Sample.provider("Hotline"), Sample.call(Sample.alice, "active", name: "Alice")))
        #expect(
            events.map(\.text) == [
                "callkitd is there: 1 provider, 0 plugins, 1 call", "Hotline ready",
                "active, Alice via Hotline",
            ])
        #expect(state.popUnidentified().isEmpty)
    }

    @Test func howFarACallIsOnItsWayIsTold() {
        var state = Watched()
        let began = state.began(
            Sample.snapshot(
                Sample.call(Sample.alice, "connecting", name: "Alice", more: ["Progress": "alerting"])))
        #expect(began.last?.text == "connecting, rings there, Alice via Hotline")
        let events = state.changed(call, Contract.call, ["Progress": "early-media"], invalidated: [])
        #expect(events.map(\.text) == ["the network plays sound"])
        let next = state.changed(call, Contract.call, ["Progress": "trying"], invalidated: [])
        #expect(next.map(\.text) == [nil])
    }

    @Test func whyAPluginStartsIsToldOnce() {
        var state = Watched()
        let path = ObjectPath("\(Contract.pluginsPath)/Hotline") ?? .root
        _ = state.began(Sample.snapshot([path: [Contract.plugin: ["State": "starting", "Pid": .uint32(7)]]]))
        let events = state.changed(
            path, Contract.plugin, ["State": "ready", "StartReason": "upgraded", "Version": "2"], invalidated: [])
        #expect(events.map(\.text) == ["Hotline ready, pid 7, upgraded to 2"])
        let next = state.changed(path, Contract.plugin, ["Problems": Variant(["one"])], invalidated: [])
        #expect(next.map(\.text) == ["Hotline ready, pid 7"])
    }

    @Test(arguments: [
        ("local-ended", "user", "local-ended, by user"), ("provider-restarted", "provider", "provider-restarted"),
        ("provider-crashed", "provider", "provider-crashed"),
    ])
    func whoEndedACallIsNotSaidTwice(reason: String, origin: String, text: String) {
        #expect(ringing().events(.ended(call, reason: reason, origin: origin)).map(\.text) == [text])
    }

    @Test func aNewCallIsToldAtOnceAndWhoItIsOnceItWasRead() throws {
        var state = Watched()
        _ = state.began(Sample.snapshot())
        let properties = try #require(Sample.call(Sample.alice, "ringing", more: ["RingMode": "waiting"])[call])
        let events = state.added(call, [Contract.call: properties[Contract.call] ?? [:]])
        #expect(events.map(\.name) == [.incoming])
        #expect(events.map(\.text) == ["ringing, via Hotline, call waiting"])
        #expect(state.popUnidentified() == [call])
        #expect(state.popUnidentified().isEmpty)
        let identity: VariantDictionary = [
            "CallerName": "Alice", "Handle": Variant(Struct("phone-number", "555")),
        ]
        #expect(state.identified(call, identity).map(\.text) == ["Alice <phone-number:555>"])
        #expect(state.identified(call, identity).isEmpty)
    }

    @Test func changesAreToldInWords() {
        var state = ringing()
        func change(_ changed: VariantDictionary) -> [WatchEvent] {
            state.changed(call, Contract.call, changed, invalidated: [])
        }
        #expect(change(["State": "active", "RingMode": ""]).map(\.text) == ["ringing → active"])
        #expect(change(["State": "held", "HeldBy": "arbiter"]).map(\.text) == ["active → held by arbiter"])
        let other = Sample.path(ofCall: Sample.bob)
        #expect(change(["HeldFor": .objectPath(other)]).map(\.text) == ["held by arbiter for 1a2bffff"])
        #expect(change(["HeldFor": .objectPath(.root)]).map(\.text) == [nil])
        #expect(change(["HeldBy": "user"]).map(\.text) == ["held by user"])
        #expect(change(["Muted": true, "RemoteHeld": true]).map(\.text) == ["muted, held by the far side"])
        #expect(change(["Can": Variant(["end"])]).map(\.text) == [nil])
        #expect(change(["State": "ended"]).map(\.text) == [nil])
    }

    @Test func anEndTellsHowLongItWas() throws {
        var state = ringing()
        _ = state.changed(
            call, Contract.call,
            [
                "State": "ended", "ConnectedAt": .uint64(1_000_000), "EndedAt": .uint64(3_726_000_000),
                "ConnectedAtMonotonic": .uint64(6_273_000_000),
            ], invalidated: [])
        let event = try #require(state.events(.ended(call, reason: "remote-ended", origin: "remote")).first)
        #expect(event.text == "remote-ended, by remote, after 1:02:05")
        #expect(
            event.json(at: WallTime(microseconds: 7)).text
                == #"{"at":7,"event":"ended","object":"\#(call.text)","id":"\#(Sample.alice)","#
                + #""reason":"remote-ended","origin":"remote"}"#)
    }

    @Test func whoIsThereAlreadyIsAsked() {
        var state = Watched()
        _ = state.began(Snapshot(Sample.call(Sample.alice, "active", name: "Alice")))
        #expect(state.popUnidentified() == [call])
    }

    @Test func aChangedIdentityIsReadAgain() {
        var state = ringing()
        #expect(state.changed(call, Contract.callIdentity, [:], invalidated: ["CallerName"]).isEmpty)
        #expect(state.changed(call, Contract.callIdentity, [:], invalidated: ["Handle"]).isEmpty)
        #expect(state.popUnidentified() == [call])
        #expect(state.identified(call, ["CallerName": "Eve"]).map(\.text) == ["Eve <phone-number:555>"])
    }

    @Test func whatGoesIsForgotten() {
        var state = ringing()
        #expect(state.removed(call, [Contract.call, Contract.callIdentity]).map(\.name) == [.gone])
        #expect(state.changed(call, Contract.call, ["State": "active"], invalidated: []).isEmpty)
        #expect(state.identified(call, ["CallerName": "Eve"]).isEmpty)
    }

    @Test func aLineFitsAndIsHarmless() throws {
        let text = "\u{1B}[2J" + String(repeating: "long ", count: 30)
        let event = try #require(
            Watched().events(.anomaly(kind: "late-completion", object: call, text: text)).first)
        let line = try #require(event.line(at: WallTime.now, on: Terminal(width: 80, showsColors: false)))
        #expect(line.displayWidth <= 80 && line.hasSuffix("…"))
        #expect(!line.unicodeScalars.contains { $0.isUnsafeInText })
        #expect(line.dropFirst(14).hasPrefix("anomaly   1a2b3c4d  late-completion: "))
    }

    @Test func aMissedCallIsToldOnce() {
        var state = WatchState()
        let row: VariantDictionary = [
            "id": .int64(7), "missed": .bool(true), "read": .bool(false), "open": .bool(false), "name": "Alice",
            "handle": Variant(Struct("phone-number", "555")), "provider-id": "Hotline", "reason": "unanswered",
        ]
        func events(_ more: VariantDictionary) -> [String?] {
            state.row(RecentCall(properties: row.merging(more) { _, new in new })).map(\.text)
        }
        #expect(events(["open": .bool(true)]).isEmpty)
        #expect(events([:]) == ["Alice (555) via Hotline, unanswered"])
        #expect(events([:]).isEmpty)
        #expect(events(["id": .int64(8), "read": .bool(true)]).isEmpty)
        #expect(events(["id": .int64(9), "missed": .bool(false)]).isEmpty)
    }

    @Test func theRecentsTellWhatIsWrongWithThem() {
        var state = Watched()
        func texts(_ changed: VariantDictionary) -> [String?] {
            let path = DaemonPath.recents
            return state.changed(path, Contract.recents, changed, invalidated: []).map(\.text)
        }
        #expect(texts(["Degraded": "no space left"]) == ["recents: no space left"])
        #expect(texts(["Degraded": ""]) == ["the recents are complete"])
        #expect(texts(["UnreadMissed": .uint32(3)]) == [nil])
    }
}
