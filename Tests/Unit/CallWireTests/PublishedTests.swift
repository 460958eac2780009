// The tables of properties are those of dbus/*.xml, and what is written is what is read.

internal import CallModel
internal import CallWire
internal import DBus
internal import Foundation
internal import Testing

@Suite struct PublishedTests {
    /// A property as its XML has it.
    private struct Row: Hashable {
        let name: String
        let signature: String
        let changes: String
    }

    private func rows(of interface: String) throws -> [Row] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: "dbus/\(interface).xml"), encoding: .utf8)
        let property = /<property name="(\w+)" type="([^"]+)"[^>]*>.*?EmitsChangedSignal" value="(\w+)"/
        return text.matches(of: property.dotMatchesNewlines()).map { match in
            Row(name: String(match.1), signature: String(match.2), changes: String(match.3))
        }
    }

    private func rows<Object>(of fields: [Field<Object>], for audience: PropertyAudience) -> [Row] {
        fields.filter { $0.audience == audience }.map {
            Row(
                name: $0.name, signature: $0.kind.signature,
                changes: audience == .trusted ? "invalidates" : $0.isConstant ? "const" : "true")
        }
    }

    @Test func theTablesAreTheContract() throws {
        #expect(try rows(of: PublishedCall.fields, for: .everybody) == rows(of: Contract.call))
        #expect(try rows(of: PublishedCall.fields, for: .trusted) == rows(of: Contract.callIdentity))
        #expect(Set(PublishedCall.fields.map(\.name)).count == PublishedCall.fields.count)
        #expect(try rows(of: PublishedProvider.fields, for: .everybody) == rows(of: Contract.provider))
        #expect(Set(PublishedProvider.fields.map(\.name)).count == PublishedProvider.fields.count)
    }

    private func call() throws -> PublishedCall {
        var call = PublishedCall(CallID(high: 1, low: 2))
        (call.state, call.direction, call.provider) = (.held, .outgoing, ProviderID("Hotline"))
        (call.emergency, call.progress, call.group, call.heldBy) = (true, .earlyMedia, "7", .arbiter)
        call.heldFor = CallID(high: 3, low: 4)
        (call.remoteHeld, call.muted, call.video) = (true, true, true)
        call.translation = Translation(Languages(local: "en-GB", remote: "sv"), by: .custom)
        (call.encryption, call.codec) = ("SRTP", "opus")
        call.quality = CallQuality(roundTrip: 30, loss: 12)
        (call.startedAt, call.connectedAt, call.connectedAtMonotonic, call.endedAt) = (1, 2, 3, 4)
        (call.endReason, call.endedBy, call.endDetail, call.endCode) = (.remoteEnded, .remote, .busy, "SIP 486")
        (call.can, call.answerOptions, call.ringMode) = ([.hold, .end], [.answer, .decline], .waiting)
        call.handle = try Handle(type: .phoneNumber, value: "+1 555 0100")
        (call.callerName, call.callerNameSource, call.contactIdentifier) = ("Alice", .contacts, "alice")
        (call.networkName, call.verification, call.image) = ("ALICE", .passed, "/a.png")
        (call.digitsWait, call.waitingDigits) = (true, "4711#")
        call.divertedBy = try Handle(type: .generic, value: "desk")
        call.transferRequest = try Handle(type: .emailAddress, value: "bob@example.org")
        return call
    }

    private func provider() throws -> PublishedProvider {
        var provider = PublishedProvider(try #require(ProviderID("Hotline")))
        (provider.state, provider.icon, provider.plugin) = (.ready, "/icon.png", "Hotline")
        provider.configuration.localizedName = "Hotline"
        provider.configuration.supportedHandleTypes = [.phoneNumber, .generic]
        provider.configuration.supportedSchemes = ["sip"]
        (provider.configuration.key, provider.configuration.status) = ("work", "No network")
        (provider.configuration.availability, provider.configuration.holdModel) = (.emergencyOnly, .swap)
        provider.configuration.desktopEntry = "org.example.Hotline"
        (provider.configuration.supportsTransfer, provider.configuration.supportsVideo) = (true, true)
        (provider.configuration.supportsAudioTranslation, provider.configuration.supportsHidingNumber) = (true, true)
        provider.configuration.supportsServiceCodes = true
        (provider.configuration.maximumCallGroups, provider.configuration.maximumCallsPerCallGroup) = (7, 8)
        provider.configuration.includesCallsInRecents = false
        provider.configuration.ringtoneSound = "/ring.oga"
        provider.configuration.customActions = [CustomAction(id: "a", label: "A", icon: "b", isForCalls: true)]
        provider.configuration.emergencyNumbers = ["112"]
        return provider
    }

    private func checkIsRead<Object: Published & Equatable>(_ object: Object, over other: Object) {
        let wire = object.wire(for: .everybody).merging(object.wire(for: .trusted)) { first, _ in first }
        for field in Object.fields {
            #expect(wire[field.name]?.signature == field.kind.signature)
            #expect(field.encode(object) != field.encode(other), "\(field.name) is the same in both")
            #expect(field.differs(object, other) && !field.differs(object, object))
        }
        var read = other
        read.update(wire)
        #expect(read == object)
    }

    @Test func whatIsWrittenIsRead() throws {
        let (call, empty) = (try call(), PublishedCall(CallID(high: 3, low: 4)))
        checkIsRead(call, over: empty)
        checkIsRead(empty, over: call)
        let (provider, bare) = (try provider(), PublishedProvider(try #require(ProviderID("Other"))))
        checkIsRead(provider, over: bare)
        checkIsRead(bare, over: provider)
    }

    @Test func whatIsNotUnderstoodLeavesWhatWas() throws {
        let call = try call()
        var read = call
        read.update(Dictionary(uniqueKeysWithValues: PublishedCall.fields.map { ($0.name, Variant.byte(1)) }))
        read.update(["State": "floating", "HeldBy": "weather", "Id": "7", "Provider": .objectPath("/elsewhere")])
        read.update(["Handle": Variant(Struct("pigeon", "Walter")), "Altitude": .uint32(9)])
        #expect(read == call)
    }
}
