// References to calls, providers and plugins.

import CallClient
import CallModel
import DBus
import EventLoop
import Testing

@testable import callctl

@Suite struct ReferenceTests {
    private let two = Sample.snapshot(
        Sample.call(Sample.alice, "active", can: ["hold", "end"], name: "Alice"),
        Sample.call(Sample.bob, "ringing", can: ["answer", "end"], name: "Bob"))

    @Test(arguments: [
        "1a2b3", "1A2B3C4D", "1a2b3c4d-0000", "1a2b3c4d0000", "1a2b3c4d_0000_4000", Sample.alice,
        "/org/opencallkit/CallSystem1/calls/1a2b3c4d_0000_4000_8000_000000000001",
    ])
    func aCallByTheBeginningOfItsIDOrItsPath(reference: String) throws {
        #expect(try two.call(reference).id.description == Sample.alice)
    }

    @Test func severalFit() {
        #expect(
            throws: Failure(
                .unknown, "\"1a2b\" matches 2 calls:\n  1a2b3c4d  active      Alice\n  1a2bffff  ringing     Bob")
        ) { try two.call("1a2b") }
    }

    @Test(arguments: [
        ("active", Sample.alice), ("Ringing", Sample.bob), ("alice", Sample.alice), ("bo", Sample.bob),
        ("+46 70-174", Sample.bob), ("phone-number:+4670174", Sample.bob),
    ])
    func aCallByItsStateNameOrNumber(reference: String, id: String) throws {
        let snapshot = Sample.snapshot(
            Sample.call(Sample.alice, "active", name: "Alice"),
            Sample.call(Sample.bob, "ringing", name: "Bob", handle: "+4670174"))
        #expect(try snapshot.call(reference).id.description == id)
    }

    @Test func aCallWithTheSameNumberInAnotherNotation() throws {
        var snapshot = two
        #expect(!snapshot.names("+46555") && snapshot.names("bo") && snapshot.names("555"))
        snapshot.sameNumber = [Sample.path(ofCall: Sample.bob)]
        #expect(try snapshot.call("+46555").id.description == Sample.bob)
        snapshot.sameNumber.insert(Sample.path(ofCall: Sample.alice))
        #expect(throws: Failure.self) { try snapshot.call("+46555") }
    }

    @Test func anEmergencyCallIsNoted() {
        let calls = Sample.call(Sample.alice, "active", more: ["Emergency": true, "Muted": true])
        #expect(Sample.snapshot(calls).calls[0].notes == ["emergency", "muted"])
    }

    @Test func aTextHasTheIDsThatTablesShow() {
        let path = Sample.path(ofCall: Sample.alice).text
        #expect(two.shortening("\(Sample.bob) and \(path)") == "1a2bffff and 1a2b3c4d")
    }

    @Test func whatAllShareNamesTheOneThatFits() throws {
        #expect(throws: Failure.self) { try two.call("hotline") }
        #expect(try two.call("hotline", or: .ringing).id.description == Sample.bob)
        #expect(try two.call("555", or: .thatCan(.hold, be: "held")).id.description == Sample.alice)
    }

    @Test func endedCallsDoNotCount() throws {
        let snapshot = Sample.snapshot(Sample.call(Sample.alice, "ended"), Sample.call(Sample.bob, "active"))
        #expect(try snapshot.call(nil, or: .any).id.description == Sample.bob)
        #expect(
            try Sample.snapshot(Sample.call(Sample.alice, "ended")).call(nil, or: .any).id.description == Sample.alice)
    }

    @Test func noneFits() {
        #expect(throws: Failure(.unknown, "no call \"77\"")) { try two.call("77") }
        #expect(throws: Failure(.unknown, "no call \"/a/b\"")) { try two.call("/a/b") }
    }

    @Test func anEndedCallGivesWay() throws {
        let snapshot = Sample.snapshot(Sample.call(Sample.alice, "ended"), Sample.call(Sample.bob, "active"))
        #expect(try snapshot.call("1a2b").id.description == Sample.bob)
        #expect(try snapshot.call("1a2b3").id.description == Sample.alice)
    }

    @Test func theOnlyOneThatFitsNeedsNoName() throws {
        #expect(try two.call(nil, or: .ringing).id.description == Sample.bob)
        #expect(try two.call(nil, or: .thatCan(.hold, be: "held")).id.description == Sample.alice)
        #expect(throws: Failure(.unknown, "no call that can be resumed")) {
            try two.call(nil, or: .thatCan(.resume, be: "resumed"))
        }
        let error = #expect(throws: Failure.self) { try two.call(nil, or: .live) }
        #expect(error?.message.hasPrefix("2 calls, name one:\n") == true)
    }

    @Test func providersGoByTheBeginningToo() throws {
        let snapshot = Sample.snapshot(
            Sample.provider("Hotline"), Sample.provider("HotlinePlus"), Sample.provider("MonkeyCall"))
        #expect(try snapshot.provider("mon").id.rawValue == "MonkeyCall")
        #expect(try snapshot.provider("hotline").id.rawValue == "Hotline")
        #expect(
            try snapshot.provider("/org/opencallkit/CallSystem1/providers/HotlinePlus").id.rawValue == "HotlinePlus")
        #expect(throws: Failure(.unknown, "\"hot\" matches 2 providers:\n  Hotline\n  HotlinePlus")) {
            try snapshot.provider("hot")
        }
        #expect(throws: Failure(.unknown, "no plugin \"x\"")) { try snapshot.plugin("x") }
    }

    @Test func idsAreAsLongAsItTakesToTellThemApart() {
        let snapshot = Sample.snapshot(
            Sample.call("00000000-0000-0000-0000-000000000001", "active"),
            Sample.call("00000000-0000-0000-0000-000000000002", "held"))
        #expect(snapshot.shortLength == 36)
        #expect(two.shortLength == 8)
    }

    @Test func aServiceThatSaysNonsenseIsReadAsEmpty() {
        let snapshot = Snapshot([
            Sample.path(ofCall: Sample.alice): [
                Contract.call: ["State": .int64(4), "Can": .bool(true), "ConnectedAt": "soon"]
            ]
        ])
        #expect(snapshot.calls.map(\.connectedAt) == [0])
        #expect(snapshot.callTable(at: .now, on: .plain).contains("withheld"))
    }
}
