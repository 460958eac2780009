// What is written is what is read.

internal import CallModel
internal import CallWire
internal import DBus
internal import TestSupport
internal import Testing

@Suite struct RoundTripTests {
    @Test(arguments: 0..<200) func updates(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let update = try generator.update()
        #expect(try CallUpdate(wire: update.wire) == update)
    }

    @Test(arguments: 0..<200) func configurations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let configuration = generator.configuration()
        #expect(try ProviderConfiguration(wire: configuration.wire) == configuration)
    }

    @Test(arguments: 0..<100) func changesOfConfigurations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let before = generator.configuration()
        let after = generator.configuration()
        var wire = after.wire
        let dropped = wire.keys.sorted().filter { _ in generator.flag() }
        for key in dropped { wire[key] = nil }
        var changed = before
        try changed.update(wire: wire)
        for (key, value) in changed.wire where dropped.contains(key) { #expect(value == before.wire[key]) }
        for (key, value) in wire { #expect(value == changed.wire[key]) }
    }

    @Test(arguments: 0..<200) func transactions(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let actions = try (0..<8).map { _ in try generator.requestedAction() }
        let read = try TransactionWire.actions(from: TransactionWire.entries(of: actions)) {
            Issue.record("a start that has an id was given another")
            return CallID(high: 0, low: 0)
        }
        #expect(read == actions)
    }

    @Test(arguments: 0..<200) func performs(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let wire = PerformWire(
            id: generator.call().description, action: try generator.performedAction(),
            transaction: generator.call().description.uppercased(),
            deadline: WallTime(microseconds: .random(in: 0 ... .max, using: &generator))
        )
        let read = try PerformWire(
            id: wire.id, kind: wire.kind, call: wire.call, transaction: wire.transaction, deadline: wire.deadline,
            details: wire.details)
        #expect(read == wire)
    }

    @Test(arguments: ConflictPolicy.allCases, ReplyMode.allCases) func options(
        conflict: ConflictPolicy, reply: ReplyMode
    ) throws {
        for timeout in [nil, 1, UInt32.max] {
            let options = RequestOptions(conflict: conflict, replyMode: reply, timeout: timeout)
            #expect(try RequestOptions(wire: options.wire) == options)
        }
    }

    @Test func results() throws {
        #expect(try PerformResult(wire: PerformResult(date: 17).wire) == PerformResult(date: 17))
        #expect(try PerformResult(wire: ["date": .uint64(0)]) == PerformResult())
        #expect(try PerformResult(wire: ["something": .bool(true)]) == PerformResult())
    }

    @Test func startWithoutIdentifier() throws {
        let entry = TransactionWire.Entry("start", ["handle": Variant(Struct("phone-number", "1"))])
        let fresh = CallID(high: 1, low: 2)
        let handle = try Handle(type: .phoneNumber, value: "1")
        #expect(
            try TransactionWire.actions(from: [entry]) { fresh }
                == [.start(fresh, StartRequest(handle))])
    }

    @Test(arguments: ErrorCode.allCases) func errors(code: ErrorCode) {
        let error = CallError(code, "no call 7")
        #expect(CallError(error.dbusError) == error)
    }

    @Test func foreignErrors() {
        #expect(CallError(DBusError(DBusError.Name.noReply, "")) == nil)
        #expect(CallError(DBusError("org.opencallkit.Error.Invented", "")) == nil)
    }
}
