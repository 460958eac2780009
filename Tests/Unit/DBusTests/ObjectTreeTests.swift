// Properties, object manager and introspection over a real bus.

import DBus
import EventLoop
import TestSupport
import Testing

typealias ManagedObjects = [ObjectPath: [String: VariantDictionary]]

@Suite @LoopActor struct ObjectTreeTests {
    private let lamp1 = "org.example.Lamp1"
    private let properties = "org.freedesktop.DBus.Properties"
    private let manager = "org.freedesktop.DBus.ObjectManager"

    @Test func propertiesAreReadAndSet() async throws {
        let stage = try await Stage()
        let (client, to, at, lamp1) = (stage.client, Stage.name, Stage.lampPath, lamp1)
        let brightness: UInt32 = try await client.getProperty(of: to, at: at, lamp1, "Brightness")
        #expect(brightness == 5)
        try await client.setProperty(of: to, at: at, lamp1, "Brightness", to: UInt32(7))
        #expect(stage.lamp.brightness == 7)
        await stage.expectError("org.example.Error.TooBright") { () async throws(DBusError) in
            try await client.setProperty(of: to, at: at, lamp1, "Brightness", to: UInt32(11))
        }
        await stage.expectError("org.example.Error.InvalidArguments", "Brightness: expected type u, found s") {
            () async throws(DBusError) in
            try await client.setProperty(of: to, at: at, lamp1, "Brightness", to: "7")
        }
        await stage.expectError(DBusError.Name.propertyReadOnly) { () async throws(DBusError) in
            try await client.setProperty(of: to, at: at, lamp1, "IsOn", to: true)
        }
        await stage.expectError(DBusError.Name.unknownProperty) { () async throws(DBusError) in
            let _: Bool = try await client.getProperty(of: to, at: at, lamp1, "Nothing")
        }
        await stage.expectError("org.example.Error.Broken") { () async throws(DBusError) in
            let _: String = try await client.getProperty(of: to, at: at, lamp1, "Faulty")
        }
    }

    @Test func onePropertyThatFailsDoesNotBreakGetAll() async throws {
        let stage = try await Stage()
        let to = Stage.name
        let all: VariantDictionary = try await stage.client.call(
            to: to, at: Stage.lampPath, properties, "GetAll", lamp1)
        #expect(all.keys.sorted() == ["Brightness", "Colors", "IsOn", "Kind"])
        #expect(try all.value("Colors") == ["red": [UInt8(255), 0, 0]])
        // A value that cannot travel is left out just so.
        stage.lamp.isFaulty = false
        stage.lamp.text = "a\0b"
        let again: VariantDictionary = try await stage.client.call(
            to: to, at: Stage.lampPath, properties, "GetAll", lamp1)
        #expect(again.count == 4)
        stage.lamp.text = "ok"
        let whole: VariantDictionary = try await stage.client.call(
            to: to, at: Stage.lampPath, properties, "GetAll", lamp1)
        #expect(whole["Faulty"] == "ok")
    }

    @Test func changesAreAnnouncedInOneSignal() async throws {
        let stage = try await Stage()
        let (inbox, subscription) = try await stage.signals("PropertiesChanged", from: Stage.lampPath)
        stage.lamp.isOn = true
        stage.tree.propertiesChanged(at: Stage.lampPath, lamp1, ["IsOn", "Colors", "Kind", "Faulty", "Nothing"])
        let message = try await inbox.next()
        let (interface, changed, invalidated) = try message.read(
            String.self, VariantDictionary.self, [String].self)
        #expect(interface == lamp1 && changed == ["IsOn": true] && invalidated == ["Colors"])
        stage.tree.propertiesChanged(at: Stage.lampPath, lamp1, ["Kind"])
        stage.tree.propertiesChanged(at: Stage.lampPath, "org.example.Secret1", ["Owner"])
        let secret = try await inbox.next().read(String.self, VariantDictionary.self, [String].self)
        #expect(secret == ("org.example.Secret1", [:], ["Owner"]))
        subscription.cancel()
    }

    @Test func objectsAreAnnouncedAndManaged() async throws {
        let stage = try await Stage()
        let (added, addition) = try await stage.signals("InterfacesAdded", from: Stage.root)
        let (removed, removal) = try await stage.signals("InterfacesRemoved", from: Stage.root)
        let second: ObjectPath = "/org/example/lamps/two"
        stage.tree.export(Lamp(), at: second, Lamp.interface, Lamp.secret)
        let (path, interfaces) = try await added.next().read(ObjectPath.self, [String: VariantDictionary].self)
        #expect(path == second && interfaces.keys.sorted() == [lamp1, "org.example.Secret1"])
        #expect(interfaces[lamp1]?["Kind"] == "bulb" && interfaces["org.example.Secret1"]?.isEmpty == true)

        let managed: ManagedObjects = try await stage.client.call(
            to: Stage.name, at: Stage.root, manager, "GetManagedObjects")
        #expect(Set(managed.keys) == [Stage.lampPath, second])
        #expect(managed[second]?["org.example.Secret1"]?.isEmpty == true)

        stage.tree.remove(second)
        let gone = try await removed.next().read(ObjectPath.self, [String].self)
        #expect(gone == (second, [lamp1, "org.example.Secret1"]))
        #expect(stage.tree.paths == [Stage.root, Stage.lampPath])
        addition.cancel()
        removal.cancel()
    }

    @Test func whatIsManagedIsToldAsItIsNow() async throws {
        let stage = try await Stage()
        func managed() async throws -> ManagedObjects {
            try await stage.client.call(to: Stage.name, at: Stage.root, manager, "GetManagedObjects")
        }
        let first = try await managed()
        #expect(try await managed() == first)
        #expect(first[Stage.lampPath]?[lamp1]?["IsOn"] == false)

        stage.lamp.isOn = true
        #expect(try await managed()[Stage.lampPath]?[lamp1]?["IsOn"] == true)

        let second: ObjectPath = "/org/example/lamps/two"
        stage.tree.export(Lamp(), at: second, Lamp.interface)
        #expect(try await managed().keys.contains(second))
        stage.tree.remove(second)
        #expect(try await !managed().keys.contains(second))
    }

    @Test func aSignalIsEmitted() async throws {
        let stage = try await Stage()
        let (inbox, subscription) = try await stage.signals("Switched")
        stage.tree.emit(Lamp.switched, from: Stage.lampPath, true, "me")
        let (isOn, by) = try await inbox.next().read(Bool.self, String.self)
        #expect(isOn && by == "me")
        subscription.cancel()
    }

    @Test func whatIsForOneClientIsForNobodyElse() async throws {
        let stage = try await Stage()
        let confidant = try await Bus.connect(to: stage.daemon.address)
        let (heard, hearing) = try await stage.signals("Switched")
        let (added, addition) = try await stage.signals("InterfacesAdded")
        let told = Inbox<Message>()
        let telling = confidant.subscribe(MatchRule(sender: Stage.name)) { told.put($0) }
        try await telling.ready()
        stage.tree.confidants["/org/example/lamps"] = confidant.uniqueName
        let second: ObjectPath = "/org/example/lamps/two"
        stage.tree.export(Lamp(), at: second, Lamp.interface)
        #expect(try await told.next().member == "InterfacesAdded")
        stage.tree.emit(Lamp.switched, from: second, true, "me")
        #expect(try await told.next().destination == confidant.uniqueName)
        await stage.expectError(DBusError.Name.accessDenied) { () async throws(DBusError) in
            let _: UInt32 = try await stage.client.getProperty(of: Stage.name, at: second, lamp1, "Brightness")
        }
        let brightness: UInt32 = try await confidant.getProperty(of: Stage.name, at: second, lamp1, "Brightness")
        #expect(brightness == 5)
        let managed: ManagedObjects = try await stage.client.call(
            to: Stage.name, at: Stage.root, manager, "GetManagedObjects")
        #expect(managed.isEmpty)
        // Those for all come after what the client did not hear.
        stage.tree.emit(Lamp.switched, from: Stage.root, true, "all")
        stage.tree.export(Lamp(), at: "/org/example/lantern", Lamp.interface)
        #expect(try await heard.next().path == Stage.root)
        let (lantern, _) = try await added.next().read(ObjectPath.self, [String: VariantDictionary].self)
        #expect(lantern == ("/org/example/lantern" as ObjectPath))
        for subscription in [hearing, addition, telling] { subscription.cancel() }
    }

    @Test func aBusIsSettledWhenAllIsAnswered() async throws {
        let stage = try await Stage()
        let (client, at) = (stage.client, Stage.lampPath)
        var answers = 0
        func ask(_ left: Int) throws {
            let message = try Message.call(to: Stage.name, at: at, lamp1, "WhoAmI")
            client.call(message, timeout: .zero) { _ in
                answers += 1
                // As a task goes on in a program whose jobs all run on the loop.
                if left > 1 { Loop.shared.post { try? ask(left - 1) } }
            }
        }
        await client.settle()
        try ask(3)
        await client.settle()
        #expect(answers == 3)
    }

    @Test func introspectionIsTheTable() async throws {
        #expect(Lamp.interface.introspectionXML == lampXML)
        #expect(Lamp.secret.introspectionXML.contains("value=\"invalidates\""))
        let stage = try await Stage()
        func introspect(_ path: ObjectPath) async throws -> String {
            try await stage.client.call(
                to: Stage.name, at: path, "org.freedesktop.DBus.Introspectable", "Introspect")
        }
        let lamp = try await introspect(Stage.lampPath)
        #expect(lamp.contains(lampXML) && lamp.contains(properties) && !lamp.contains("<node name"))
        let between = try await introspect("/org/example/lamps")
        #expect(between.contains("<node name=\"one\"/>") && !between.contains(properties))
        #expect(try await introspect("/").contains("<node name=\"org\"/>"))
        #expect(try await introspect(Stage.root).contains(manager))
    }

    @Test func busctlUnderstandsIt() async throws {
        let stage = try await Stage()
        var ends: [Int32] = [0, 0]
        let output = try Output()
        ends[1] = output.writing
        let exits = Inbox<EventLoop.ExitStatus>()
        _ = try ChildProcess.spawn(
            "/usr/bin/busctl",
            ["--address=\(stage.daemon.address)", "introspect", Stage.name, Stage.lampPath.text, lamp1],
            descriptors: [1: output.writing, 2: output.writing], onExit: { exits.put($0) })
        output.closeWriting()
        #expect(try await exits.next() == .exited(0))
        let text = output.text
        for part in [".Describe", "sa{sv}", ".Brightness", "writable", ".Switched", "emits-invalidation"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func tenThousandObjectsAreNoBurden() async throws {
        let tree = ObjectTree()
        let lamp = Lamp()
        for number in 0..<10_000 {
            tree.export(lamp, at: try #require(ObjectPath("/org/example/lamps/n\(number)")), Lamp.interface)
        }
        #expect(tree.introspect("/org/example/lamps")?.contains("<node name=\"n9999\"/>") == true)
        for path in tree.paths { tree.remove(path) }
        #expect(tree.paths.isEmpty && tree.introspect("/org") == nil)
    }
}
