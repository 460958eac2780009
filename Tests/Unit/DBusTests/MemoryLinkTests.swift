// Links within one process: everything arrives in order, when told to, and as it would over a wire.

import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) @LoopActor struct MemoryLinkTests {
    private let exchange = MemoryExchange()
    private let ping: (String) throws -> Message = { text in
        try Message.call(at: "/far", "org.example.Far", "Ping", text)
    }

    @Test func nothingArrivesByItself() async throws {
        let (near, far) = exchange.link()
        var heard: [String] = []
        far.onCall = { message in
            heard.append((try? message.read(String.self)) ?? "?")
            far.send((try? message.reply("pong")) ?? message)
        }
        var answers: [String] = []
        for text in ["one", "two"] {
            near.call(try ping(text), timeout: .zero) { result in
                answers.append((try? result.get().read(String.self)) ?? "?")
            }
        }
        await loopTurn()
        #expect(heard.isEmpty)
        exchange.deliver()
        #expect(heard == ["one", "two"])
        #expect(answers == ["pong", "pong"])
    }

    @Test func sendersAreTheNamesOfTheEnds() throws {
        let (near, far) = exchange.link(near: ":1.7")
        var senders: [String?] = []
        for end in [near, far] { end.onCall = { senders.append($0.sender) } }
        near.send(try ping("there"))
        far.send(try ping("and back"))
        exchange.deliver()
        #expect(senders == [":1.7", nil])
    }

    @Test func aSecondReplyIsUnmatched() throws {
        let (near, far) = exchange.link()
        var unmatched: [UInt32] = []
        near.onUnmatchedReply = { unmatched.append($0.replySerial) }
        far.onCall = { message in
            for _ in 0..<2 { far.send((try? message.reply()) ?? message) }
        }
        var answers = 0
        let serial = near.call(try ping("once"), timeout: .zero) { _ in answers += 1 }
        exchange.deliver()
        #expect(answers == 1)
        #expect(unmatched == [serial])
    }

    @Test func closingComesAfterWhatWasSent() throws {
        let (near, far) = exchange.link()
        var events: [String] = []
        near.onSignal = { events.append($0.member ?? "?") }
        near.onClosed = { events.append("closed: \($0)") }
        near.call(try ping("in vain"), timeout: .zero) { result in
            if case .failure(let error) = result { events.append(error.name) }
        }
        far.send(try Message.signal(from: "/far", "org.example.Far", "Last"))
        far.close()
        #expect(near.isOpen && !far.isOpen)
        exchange.deliver()
        #expect(!near.isOpen)
        #expect(events == ["Last", DBusError.Name.disconnected, "closed: peerClosed"])
        #expect(near.send(try ping("too late")) == 0)
    }

    @Test func theLimitIsThatOfWhatTheLinkStandsFor() throws {
        let large = try ping(String(repeating: "x", count: PrivateLink.maximumPacket))
        #expect(exchange.link().near.send(large) == 0)
        let (near, far) = exchange.link(far: ":1.7")
        #expect(near.send(large) != 0)
        far.close()
    }
}
