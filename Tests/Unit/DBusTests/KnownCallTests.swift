// A private link whose other end says the same again and again.

import EventLoop
import TestSupport
import Testing

@testable import DBus

@Suite @LoopActor struct KnownCallTests {
    private static let path: ObjectPath = "/lamp"

    private func makePair() throws -> (PrivateLink, PrivateLink) {
        let (left, descriptor) = try PrivateLink.pair()
        return (left, try PrivateLink(descriptor: descriptor))
    }

    private func call(_ text: String) throws -> Message {
        try Message.call(at: Self.path, "org.example.Lamp1", "Set", text)
    }

    private func stencil() throws -> MessageStencil { try MessageStencil(call("12345678"), texts: ["12345678"]) }

    @Test func aKnownCallIsHandedOverAndAnswered() async throws {
        let (host, worker) = try makePair()
        let (taken, other, answers) = (Inbox<String>(), Inbox<String>(), Inbox<VariantDictionary?>())
        worker.expectCalls(like: try stencil(), at: Self.path) { values, context in
            guard values.text(0) != "unwanted" else { return false }
            taken.put(values.text(0))
            VariantDictionary().answer(Invocation<VariantDictionary>(context))
            return true
        }
        worker.onCall = { other.put((try? $0.read(String.self)) ?? "") }
        let known = try stencil()
        #expect(known.replaceText(0, with: "abcdefgh"))
        host.call(known, timeoutMilliseconds: 5_000) { answers.put(try? $0.get().readDetails()) }
        #expect(try await taken.next() == "abcdefgh")
        #expect(try await answers.next() == [:])
        // What is not taken, and what is not known, is read as ever.
        for text in ["unwanted", "something else"] {
            host.send(try call(text))
            #expect(try await other.next() == text)
        }
        worker.expectNoCalls(at: Self.path)
        host.send(try call("abcdefgh"))
        #expect(try await other.next() == "abcdefgh")
    }

    @Test func detailsAndErrorsAreAnsweredInFull() async throws {
        let (host, worker) = try makePair()
        let answers = Inbox<Result<VariantDictionary, DBusError>>()
        worker.expectCalls(like: try stencil(), at: Self.path) { values, context in
            let invocation = Invocation<VariantDictionary>(context)
            if values.text(0) == "failfail" {
                invocation.fail(DBusError("org.example.Error", "no"))
            } else {
                (["a": .bool(true)] as VariantDictionary).answer(invocation)
            }
            // Only the first answer counts.
            VariantDictionary().answer(invocation)
            return true
        }
        for text in ["12345678", "failfail"] {
            let known = try stencil()
            #expect(known.replaceText(0, with: text))
            host.call(known, timeoutMilliseconds: 5_000) { result in
                answers.put(result.flatMap { message in Result { () throws(DBusError) in try message.readDetails() } })
            }
        }
        #expect(try await answers.next() == .success(["a": .bool(true)]))
        #expect(try await answers.next() == .failure(DBusError("org.example.Error", "no")))
        let end = Inbox<Bool>()
        host.onUnmatchedReply = { _ in end.put(false) }
        worker.onCall = { _ in end.put(true) }
        host.send(try call("the end"))
        #expect(try await end.next())
    }

    @Test func anEmptyAnswerToNothingIsUnmatched() async throws {
        let (host, worker) = try makePair()
        let unmatched = Inbox<UInt32>()
        host.onUnmatchedReply = { unmatched.put($0.replySerial) }
        let asked = try Message.demarshal(call("12345678").withMarshalled(serial: 77) { Array($0) })
        worker.send(try asked.reply(VariantDictionary()))
        #expect(try await unmatched.next() == 77)
    }

    @Test func aLinkThatIsClosedFailsWhatIsAskedOfIt() async throws {
        let (host, _) = try makePair()
        host.close()
        let inbox = Inbox<DBusError?>()
        #expect(host.call(try stencil(), timeoutMilliseconds: 0) { inbox.put($0.failure) } == 0)
        #expect(try await inbox.next() == .disconnected)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
