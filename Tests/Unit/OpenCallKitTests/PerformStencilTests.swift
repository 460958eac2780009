// Perform as most are, which is filled in rather than made, and recognized rather than parsed.

import CallModel
import DBus
import EventLoop
import CallWire
import TestSupport
import Testing

@Suite @LoopActor struct PerformStencilTests {
    private static let path: ObjectPath = "/org/opencallkit/delegates/1"

    private let template: MessageTemplate
    private let host: PrivateLink
    private let worker: PrivateLink
    private let known = Inbox<PerformWire>()
    private let read = Inbox<PerformWire?>()

    init() throws {
        Loop.shared.start()
        template = try MessageTemplate(at: Self.path, Contract.providerDelegate, ProviderMember.Delegate.perform)
        let (host, descriptor) = try PrivateLink.pair()
        self.host = host
        worker = try PrivateLink(descriptor: descriptor)
    }

    private func wire(_ action: CallAction, part: ActionPart = .single, id: String? = nil) -> PerformWire {
        var generator = SystemRandomNumberGenerator()
        return PerformWire(
            id: id.map { WireID($0) } ?? .uuid(.random(using: &generator)), action: action,
            transaction: .uuid(.random(using: &generator)),
            deadline: .random(in: 0 ... .max), part: part)
    }

    private func send(_ wire: PerformWire) throws {
        host.send(try template.call { (writer) throws(DBusError) in try wire.write(to: &writer) })
    }

    private static func parse(_ message: Message) -> PerformWire? {
        let parts = try? message.read(String.self, String.self, VariantDictionary.self)
        return parts.flatMap { try? PerformWire(id: $0.0, kind: $0.1, args: $0.2) }
    }

    @Test(arguments: 0..<20) func whatIsFilledInIsReadAsWhatItWas(number: UInt64) async throws {
        worker.onCall = { [read] in read.put(Self.parse($0)) }
        for action in [CallAction.answer(CallID(high: 1, low: number)), .end(CallID(high: number, low: 2), reason: "")]
        {
            let stencil = try #require(PerformStencil(for: action.kind, template))
            let wire = wire(action)
            let filled = try #require(stencil.filled(with: wire))
            host.call(filled, timeoutMilliseconds: 0) { _ in }
            #expect(try await read.next() == wire)
        }
    }

    @Test(arguments: 0..<20) func whatIsRecognizedIsWhatIsRead(number: UInt64) async throws {
        worker.onCall = { [read] in read.put(Self.parse($0)) }
        for kind in [ActionKind.answer, .end] {
            let stencil = try #require(PerformStencil(for: kind, template))
            worker.expectCalls(like: stencil.stencil, at: Self.path) { [known] values, _ in
                guard let wire = stencil.wire(values) else { return false }
                known.put(wire)
                return true
            }
        }
        for action in [CallAction.answer(CallID(high: 1, low: number)), .end(CallID(high: number, low: 2), reason: "")]
        {
            let wire = wire(action)
            let stencil = try #require(PerformStencil(for: action.kind, template))
            host.call(try #require(stencil.filled(with: wire)), timeoutMilliseconds: 0) { _ in }
            #expect(try await known.next() == wire)
        }
        // These say more.
        let call = CallID(high: 3, low: number)
        for wire in [
            wire(.end(call, reason: "busy")), wire(.setHeld(call, true)), wire(.answer(call), part: .following(1)),
            wire(.answer(call), part: .first([.end(call, reason: "")])), wire(.answer(call), id: "no UUID"),
        ] {
            try send(wire)
            #expect(try await read.next() == wire)
        }
    }

    @Test func whatSaysMoreIsNotFilledIn() throws {
        let call = CallID(high: 1, low: 2)
        #expect(PerformStencil(for: .setHeld, template) == nil && PerformStencil(for: .start, template) == nil)
        let answer = try #require(PerformStencil(for: .answer, template))
        let end = try #require(PerformStencil(for: .end, template))
        #expect(answer.filled(with: wire(.answer(call), part: .following(1))) == nil)
        #expect(answer.filled(with: wire(.answer(call), part: .first([.answer(call)]))) == nil)
        #expect(answer.filled(with: wire(.answer(call), id: "short")) == nil)
        #expect(end.filled(with: wire(.end(call, reason: "busy"))) == nil)
    }
}
