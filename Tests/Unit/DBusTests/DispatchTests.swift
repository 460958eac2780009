// Calls of a served object over a real bus, right and wrong.

import DBus
import EventLoop
import TestSupport
import Testing

@Suite @LoopActor struct DispatchTests {
    private let lamp1 = "org.example.Lamp1"

    @Test func methodsAnswer() async throws {
        let stage = try await Stage()
        let (to, at) = (Stage.name, Stage.lampPath)
        try await stage.client.call(to: to, at: at, lamp1, "Switch", true)
        #expect(stage.lamp.isOn)
        let details: VariantDictionary = ["a": true, "b": "x"]
        let (text, count): (String, UInt32) = try await stage.client.call(
            to: to, at: at, lamp1, "Describe", "hi", details)
        #expect(text == "hi!" && count == 2)
        let name: String = try await stage.client.call(to: to, at: at, lamp1, "WhoAmI")
        #expect(name == stage.client.uniqueName)
    }

    @Test func whatIsWrongIsNamed() async throws {
        let stage = try await Stage()
        let (client, to, at) = (stage.client, Stage.name, Stage.lampPath)
        let lamp1 = lamp1
        await stage.expectError("org.example.Error.InvalidArguments", "Switch: expected (b), found (s)") {
            () async throws(DBusError) in try await client.call(to: to, at: at, lamp1, "Switch", "on")
        }
        await stage.expectError(DBusError.Name.unknownMethod) { () async throws(DBusError) in
            try await client.call(to: to, at: at, lamp1, "Explode")
        }
        await stage.expectError(DBusError.Name.unknownInterface) { () async throws(DBusError) in
            try await client.call(to: to, at: at, "org.example.Nothing", "Switch", true)
        }
        await stage.expectError(DBusError.Name.unknownObject, "no object /org/example/lamps/two") {
            () async throws(DBusError) in
            try await client.call(to: to, at: "/org/example/lamps/two", lamp1, "Switch", true)
        }
        await stage.expectError("org.example.Error.Typed", "as asked") { () async throws(DBusError) in
            try await client.call(to: to, at: at, lamp1, "Fail", "typed")
        }
        await stage.expectError("org.example.Error.Broken") { () async throws(DBusError) in
            try await client.call(to: to, at: at, lamp1, "Fail", "mapped")
        }
        await stage.expectError(DBusError.Name.failed, "no name") { () async throws(DBusError) in
            try await client.call(to: to, at: at, lamp1, "Fail", "other")
        }
    }

    /// Answers are made from those that their callers got before, of which only some are kept.
    @Test func eachCallerGetsItsOwnAnswers() async throws {
        let stage = try await Stage()
        var callers = [stage.client]
        for _ in 0..<7 { callers.append(try await Bus.connect(to: stage.daemon.address)) }
        for turn in 0..<40 {
            let caller = callers[turn * 5 % callers.count]
            let name: String = try await caller.call(to: Stage.name, at: Stage.lampPath, lamp1, "WhoAmI")
            #expect(name == caller.uniqueName)
            try await caller.call(to: Stage.name, at: Stage.lampPath, lamp1, "Switch", turn % 2 == 0)
            #expect(stage.lamp.isOn == (turn % 2 == 0))
        }
        // Nobody is to answer an answer.
        let question = try Message.call(to: Stage.name, at: Stage.lampPath, lamp1, "WhoAmI")
        let answer = try await stage.client.call(question)
        #expect(answer.replySerial == question.serial && answer.serial != 0 && !answer.expectsReply)
    }

    @Test func deferredMethodsAnswerLater() async throws {
        let stage = try await Stage()
        let answers = Inbox<String>()
        for key in ["one", "two"] {
            let message = try Message.call(to: Stage.name, at: Stage.lampPath, lamp1, "Wait", key)
            stage.client.call(message, timeout: .seconds(60)) { result in
                answers.put((try? result.get().read(String.self)) ?? "error")
            }
        }
        try await stage.client.call(to: Stage.name, at: Stage.lampPath, lamp1, "Pause")
        #expect(stage.lamp.waiting.count == 2 && answers.pending.isEmpty)
        stage.lamp.waiting["two"]?.reply("second")
        stage.lamp.waiting["two"]?.reply("ignored")
        stage.lamp.waiting["one"]?.reply("first")
        #expect(try await answers.next() == "second")
        #expect(try await answers.next() == "first")
    }

    @Test func deferredMethodsFail() async throws {
        let stage = try await Stage()
        let client = stage.client
        let lamp1 = lamp1
        for (key, name) in [("throw", "org.example.Error.Broken"), ("drop", DBusError.Name.noReply)] {
            await stage.expectError(name) { () async throws(DBusError) in
                let _: String = try await client.call(to: Stage.name, at: Stage.lampPath, lamp1, "Wait", key)
            }
        }
        let message = try Message.call(to: Stage.name, at: Stage.lampPath, lamp1, "Wait", "later")
        let answers = Inbox<DBusError?>()
        client.call(message, timeout: .seconds(60)) { result in
            if case .failure(let error) = result { answers.put(error) } else { answers.put(nil) }
        }
        try await client.call(to: Stage.name, at: Stage.lampPath, lamp1, "Pause")
        stage.lamp.waiting["later"]?.fail(DBusError("org.example.Error.Late", "too late"))
        #expect(try await answers.next() == DBusError("org.example.Error.Late", "too late"))
        client.call(try message.isCallAgain, timeout: .seconds(60)) { result in
            if case .failure(let error) = result { answers.put(error) } else { answers.put(nil) }
        }
        try await client.call(to: Stage.name, at: Stage.lampPath, lamp1, "Pause")
        stage.lamp.waiting = [:]
        #expect(try await answers.next()?.name == DBusError.Name.noReply)
    }

    @Test func aTimedOutAnswerIsUnmatched() async throws {
        let stage = try await Stage()
        let (client, lamp1) = (stage.client, lamp1)
        let unmatched = Inbox<UInt32>()
        client.onUnmatchedReply = { unmatched.put($0.replySerial) }
        let results = Inbox<String>()
        let message = try Message.call(to: Stage.name, at: Stage.lampPath, lamp1, "Wait", "slow")
        let serial = client.call(message, timeout: .milliseconds(20)) { result in
            if case .failure(let error) = result { results.put(error.name) }
        }
        #expect(try await results.next() == DBusError.Name.timeout)
        // The service may not even have the call yet.
        try await stage.client.call(to: Stage.name, at: Stage.lampPath, lamp1, "Pause")
        stage.lamp.waiting["slow"]?.reply("late")
        #expect(try await unmatched.next() == serial)
    }

    @Test func theAnswerToWhatWasOnlySentIsUnmatched() async throws {
        let stage = try await Stage()
        let unmatched = Inbox<UInt32>()
        stage.client.onUnmatchedReply = { unmatched.put($0.replySerial) }
        let message = try Message.call(to: Stage.name, at: Stage.lampPath, lamp1, "Wait", "throw")
        let serial = stage.client.send(message)
        #expect(try await unmatched.next() == serial)
    }

    @Test func callsWithoutReplyGetNone() async throws {
        let stage = try await Stage()
        let unmatched = Inbox<Message>()
        stage.client.onUnmatchedReply = { unmatched.put($0) }
        for member in ["Switch", "Explode", "Wait"] {
            let message = try Message.call(to: Stage.name, at: Stage.lampPath, lamp1, member, "x")
            message.expectsReply = false
            stage.client.send(message)
        }
        try await stage.client.call(to: Stage.name, at: Stage.lampPath, lamp1, "Pause")
        #expect(unmatched.pending.isEmpty)
        #expect(stage.lamp.waiting.count == 1)
    }

    @Test func peerAnswersEverywhere() async throws {
        let stage = try await Stage()
        try await stage.client.call(to: Stage.name, at: "/nowhere", "org.freedesktop.DBus.Peer", "Ping")
    }
}

extension Message {
    /// The same call once more, unsent.
    var isCallAgain: Message {
        get throws {
            let again = try Message.call(to: destination, at: path ?? .root, interface ?? "", member ?? "")
            let key: String = try read(String.self)
            try again.append(key)
            return again
        }
    }
}
