// Stage: a bus, a service with a lamp, and a client.

import DBus
import EventLoop
import TestSupport
import Testing

@LoopActor
private final class Root {
    static let interface = Interface<Root>("org.example.Root1") {}
}

@LoopActor
final class Stage {
    static let name = "org.example.Lamps"
    static let root: ObjectPath = "/org/example"
    static let lampPath: ObjectPath = "/org/example/lamps/one"

    let daemon: PrivateBus
    let service: Bus
    let client: Bus
    let tree = ObjectTree(invalidArgumentsErrorName: "org.example.Error.InvalidArguments")
    let lamp = Lamp()

    init() async throws {
        daemon = try await PrivateBus()
        service = try await Bus.connect(to: daemon.address)
        client = try await Bus.connect(to: daemon.address)
        tree.export(Root(), at: Stage.root, Root.interface, objectManager: true)
        tree.export(lamp, at: Stage.lampPath, Lamp.interface, Lamp.secret)
        tree.serve(on: service)
        let request = try await service.requestName(Stage.name)
        try #require(request == .acquired)
    }

    func signals(_ member: String, from path: ObjectPath? = nil) async throws -> (Inbox<Message>, Subscription) {
        let inbox = Inbox<Message>()
        let subscription = client.subscribe(MatchRule(sender: Stage.name, path: path, member: member)) { inbox.put($0) }
        try await subscription.ready()
        return (inbox, subscription)
    }

    func expectError<Value>(
        _ name: String, _ text: String? = nil, location: SourceLocation = #_sourceLocation,
        _ body: @LoopActor () async throws(DBusError) -> Value
    ) async {
        do throws(DBusError) {
            _ = try await body()
            Issue.record("no error", sourceLocation: location)
        } catch {
            #expect(error.name == name, sourceLocation: location)
            if let text { #expect(error.message == text, sourceLocation: location) }
        }
    }
}
