// The table of a call's properties is the one of dbus/*.xml, and what is written is what is read.

internal import CallModel
internal import CallWire
internal import DBus
internal import Foundation
internal import Testing

@Suite struct PublishedCallTests {
    /// A property as its XML has it.
    private struct Row: Hashable {
        let name: String
        let signature: String
        let isInvalidated: Bool
    }

    private func rows(of interface: String) throws -> Set<Row> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let text = try String(contentsOf: root.appending(path: "dbus/\(interface).xml"), encoding: .utf8)
        let property = /<property name="(\w+)" type="([^"]+)"[^>]*>(.*?)<\/property>/.dotMatchesNewlines()
        return Set(
            text.matches(of: property).map { match in
                Row(
                    name: String(match.1), signature: String(match.2),
                    isInvalidated: match.3.contains(#"EmitsChangedSignal" value="invalidates""#))
            })
    }

    private func rows(for audience: PropertyAudience) -> Set<Row> {
        Set(
            PublishedCall.fields.filter { $0.audience == audience }.map {
                Row(name: $0.name, signature: $0.kind.signature, isInvalidated: audience == .trusted)
            })
    }

    @Test func theTableIsTheContract() throws {
        #expect(try rows(for: .everybody) == rows(of: Contract.call))
        #expect(try rows(for: .trusted) == rows(of: Contract.callIdentity))
        #expect(Set(PublishedCall.fields.map(\.name)).count == PublishedCall.fields.count)
    }

    private func call() throws -> PublishedCall {
        var call = PublishedCall(CallID(high: 1, low: 2))
        (call.state, call.direction, call.provider) = (.held, .outgoing, ProviderID("Hotline"))
        (call.emergency, call.progress, call.group, call.heldBy) = (true, .earlyMedia, "7", .arbiter)
        (call.remoteHeld, call.muted, call.video) = (true, true, true)
        call.translation = Translation(Languages(local: "en-GB", remote: "sv"), by: .custom)
        (call.encryption, call.codec) = ("SRTP", "opus")
        call.quality = CallQuality(roundTrip: 30, loss: 12)
        (call.startedAt, call.connectedAt, call.connectedAtMonotonic, call.endedAt) = (1, 2, 3, 4)
        (call.endReason, call.endedBy, call.endDetail, call.endCode) = (.remoteEnded, .remote, .busy, "SIP 486")
        (call.can, call.answerOptions, call.ringMode) = (["hold", "end"], ["answer"], .waiting)
        call.handle = try Handle(type: .phoneNumber, value: "+1 555 0100")
        (call.callerName, call.callerNameSource, call.contactIdentifier) = ("Alice", .contacts, "alice")
        (call.networkName, call.verification, call.image) = ("ALICE", .passed, "/a.png")
        call.divertedBy = try Handle(type: .generic, value: "desk")
        call.transferRequest = try Handle(type: .emailAddress, value: "bob@example.org")
        return call
    }

    private func wire(of call: PublishedCall) -> VariantDictionary {
        VariantDictionary(uniqueKeysWithValues: PublishedCall.fields.map { ($0.name, $0.encode(call).wire) })
    }

    @Test func whatIsWrittenIsRead() throws {
        let (full, empty) = (try call(), PublishedCall(CallID(high: 3, low: 4)))
        for (call, other) in [(full, empty), (empty, full)] {
            let wire = wire(of: call)
            for field in PublishedCall.fields {
                #expect(wire[field.name]?.signature == field.kind.signature)
                #expect(field.encode(call) != field.encode(other), "\(field.name) is the same in both")
            }
            var read = other
            read.update(wire)
            #expect(read == call)
        }
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
