// What must not be let in.

internal import CallModel
internal import CallWire
internal import DBus
internal import Testing

private struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let wire: VariantDictionary
    /// What the message has to name.
    let names: [String]

    init(_ description: String, _ key: String, _ value: Variant, names: String...) {
        testDescription = description
        wire = [key: value]
        self.names = names + [key]
    }
}

private let configurations = [
    Case("number for a name", "localized-name", .uint32(1), names: "s", "u"),
    Case("unknown handle type", "supported-handle-types", Variant(["fax"]), names: "fax", "phone-number"),
    Case("signed limit", "maximum-call-groups", .int32(2), names: "u", "i"),
    Case("large icon", "icon-template-image", .bytes(Array(repeating: 0, count: 65_537)), names: "65537", "65536"),
    Case("control character in a file name", "ringtone-sound", .string("a\nb")),
    Case("endless file name", "ringtone-sound", .string(String(repeating: "a", count: 5000)), names: "5000"),
    Case(
        "many actions", "custom-actions", Variant((0..<33).map { ["id": Variant.string("a\($0)")] }), names: "33", "32"),
    Case("empty action id", "custom-actions", Variant([["id": Variant.string("")]])),
    Case("blank in an action id", "custom-actions", Variant([["id": Variant.string("a b")]]), names: "a b"),
    Case(
        "action id twice", "custom-actions", Variant([["id": Variant.string("a")], ["id": .string("a")]]),
        names: "twice"),
    Case(
        "missing action id", "custom-actions", Variant([["label": Variant.string("a")]]), names: "custom-actions", "id"),
    Case(
        "many handle types", "supported-handle-types", Variant(Array(repeating: "generic", count: 17)),
        names: "17", "16"),
    Case("odd scheme", "supported-schemes", Variant(["Sip"]), names: "Sip"),
    Case("many schemes", "supported-schemes", Variant((0..<17).map { "s\($0)" }), names: "17", "16"),
    Case("odd key", "key", .string("a b"), names: "a b"),
    Case("unknown availability", "availability", .string("maybe"), names: "maybe", "online"),
    Case("unknown hold model", "hold-model", .string("swop"), names: "swop", "swap"),
    Case("path for a desktop file", "desktop-entry", .string("a/b"), names: "a/b"),
    Case("many numbers", "emergency-numbers", Variant((0..<33).map(String.init)), names: "33", "32"),
    Case("empty number", "emergency-numbers", Variant([""])),
]

private let updates = [
    Case("text for a flag", "has-video", .string("yes"), names: "b", "s"),
    Case("unknown progress", "progress", .string("soon"), names: "soon", "alerting"),
    Case("unknown verification", "verification", .bool(true), names: "s", "b"),
    Case("control character in a file name", "image", .string("a\nb"), names: "image"),
    Case("unknown type of handle", "diverted-by", Variant(Struct("fax", "1")), names: "diverted-by", "fax"),
    Case("text for a handle", "remote-handle", .string("1234"), names: "(ss)"),
]

@Suite struct RefusalTests {
    private func expectRefusal(_ code: ErrorCode, naming names: [String], _ body: () throws(CallError) -> Void) {
        do {
            try body()
            Issue.record("accepted")
        } catch {
            #expect(error.code == code)
            for name in names { #expect(error.message.contains(name), "\(error.message)") }
        }
    }

    @Test(arguments: configurations) private func configuration(_ refused: Case) {
        expectRefusal(.invalidArguments, naming: refused.names) { () throws(CallError) in
            _ = try ProviderConfiguration(wire: refused.wire)
        }
    }

    @Test(arguments: configurations) private func refusedChangeChangesNothing(_ refused: Case) {
        var configuration = ProviderConfiguration()
        var wire = refused.wire
        wire["supports-video"] = .bool(true)
        expectRefusal(.invalidArguments, naming: []) { () throws(CallError) in try configuration.update(wire: wire) }
        #expect(configuration == ProviderConfiguration())
    }

    @Test(arguments: updates) private func update(_ refused: Case) {
        expectRefusal(.invalidArguments, naming: refused.names) { () throws(CallError) in
            _ = try CallUpdate(wire: refused.wire)
        }
    }

    @Test(arguments: ["", "a\u{0}", "a\u{202E}b", String(repeating: "1", count: 257)]) func handles(value: String) {
        expectRefusal(.invalidArguments, naming: ["handle"]) { () throws(CallError) in
            _ = try Handle(wire: Struct("generic", value))
        }
    }

    /// What is invisible is no part of a number (verbb/hyper #86, signalapp/Signal-Android #11630).
    @Test func invisibleCharactersOfNumbers() throws {
        for mark in ["\u{202D}", "\u{2068}", "\u{200B}", "\u{FEFF}", "\u{AD}", "\u{2060}", "\u{FE0F}"] {
            let number = try Handle(wire: Struct("phone-number", "\(mark)+44 1632\(mark) 960001\(mark)"))
            #expect(number.value == "+44 1632 960001", "\(mark.unicodeScalars)")
            expectRefusal(.invalidArguments, naming: ["handle"]) { () throws(CallError) in
                _ = try Handle(wire: Struct("phone-number", mark))
            }
        }
    }

    @Test func handleType() {
        expectRefusal(.invalidArguments, naming: ["telex", "email-address"]) { () throws(CallError) in
            _ = try Handle(wire: Struct("telex", "1"))
        }
    }

    @Test func names() throws {
        let update = try CallUpdate(wire: [
            "localized-caller-name": .string("a\u{202E}b\n" + String(repeating: "c", count: 300))
        ])
        #expect(update.localizedCallerName == "ab" + String(repeating: "c", count: 254))
        let configuration = try ProviderConfiguration(wire: ["localized-name": .string("\u{7}Hotline")])
        #expect(configuration.localizedName == "Hotline")
    }

    @Test func unknownKeys() throws {
        #expect(try CallUpdate(wire: ["colour": .string("red")]) == CallUpdate())
        #expect(try ProviderConfiguration(wire: ["colour": .string("red")]) == ProviderConfiguration())
        #expect(try RequestOptions(wire: ["colour": .string("red")]) == RequestOptions())
    }

    @Test func transactions() throws {
        let call = Variant.objectPath(try #require(ObjectPath(Contract.path(of: CallID(high: 1, low: 2)))))
        let handle = Variant(Struct("generic", "a"))
        let cases: [(String, VariantDictionary, ErrorCode, [String])] = [
            ("dance", [:], .invalidArguments, ["dance", "answer"]),
            ("answer", [:], .invalidArguments, ["call"]),
            ("answer", ["call": .string("1")], .invalidArguments, ["call", "o", "s"]),
            ("answer", ["call": .objectPath("/somewhere/else")], .unknownCall, ["/somewhere/else"]),
            ("end", ["call": .objectPath("/")], .unknownCall, ["no call /"]),
            ("set-held", ["call": call], .invalidArguments, ["on-hold"]),
            ("set-muted", ["call": call, "muted": .uint32(1)], .invalidArguments, ["muted"]),
            ("set-group", ["call": call], .invalidArguments, ["group-with"]),
            ("set-group", ["call": call, "group-with": .objectPath("/a")], .unknownCall, ["/a"]),
            ("play-dtmf", ["call": call, "digits": .string("12x")], .invalidArguments, ["digits"]),
            (
                "play-dtmf", ["call": call, "digits": .string("1"), "tone": .string("loud")], .invalidArguments,
                ["loud"]
            ),
            ("set-translating", ["call": call], .invalidArguments, ["translating"]),
            ("set-translating", ["call": call, "translating": .bool(true)], .invalidArguments, ["language"]),
            (
                "set-translating", ["call": call, "translating": .bool(false), "local-language": .string("en")],
                .invalidArguments, ["language"]
            ),
            ("start", [:], .invalidArguments, ["handle"]),
            ("start", ["handle": handle, "uuid": .string("12")], .invalidArguments, ["uuid", "12"]),
            ("start", ["handle": handle, "provider": .objectPath("/p")], .unknownProvider, ["/p"]),
            (
                "start", ["handle": handle, "contact-identifier": .string("\n")], .invalidArguments,
                ["contact-identifier"]
            ),
            ("start", ["handle": .string("070O1")], .invalidArguments, ["letter"]),
            ("start", ["handle": .string("Carla")], .invalidArguments, ["expected a number"]),
            ("start", ["handle": .uint32(1)], .invalidArguments, ["handle"]),
            ("transfer", ["call": call, "to": .string("070,,12")], .invalidArguments, ["to is more than a number"]),
            ("transfer", ["call": call, "to": .string("#31#070")], .invalidArguments, ["to is more than a number"]),
            ("play-dtmf", ["call": call], .invalidArguments, ["digits"]),
            ("start", ["handle": handle, "post-dial": .string("1x")], .invalidArguments, ["digits"]),
            ("start", ["handle": handle, "post-dial": .uint32(1)], .invalidArguments, ["post-dial"]),
        ]
        for (kind, arguments, code, names) in cases {
            expectRefusal(code, naming: names) { () throws(CallError) in
                _ = try TransactionWire.actions(from: [.init(kind, arguments)]) { CallID(high: 0, low: 0) }
            }
        }
    }

    @Test func performs() {
        let call = CallID(high: 1, low: 2).description
        let cases: [(kind: String, call: String, details: VariantDictionary, ErrorCode, names: [String])] = [
            ("dance", call, [:], .notSupported, ["dance"]),
            ("answer", "", [:], .invalidArguments, ["call_uuid"]),
            ("answer", "no UUID", [:], .invalidArguments, ["call_uuid", "no UUID"]),
            ("start", call, ["video": true], .invalidArguments, ["handle"]),
            ("set-held", call, [:], .invalidArguments, ["on-hold"]),
            ("set-muted", call, ["muted": .uint32(1)], .invalidArguments, ["muted", "b", "u"]),
            ("set-group", call, ["group-with": "x"], .invalidArguments, ["group-with", "x"]),
            ("play-dtmf", call, ["digits": "x"], .invalidArguments, ["digits"]),
            ("answer", call, ["part": "1"], .invalidArguments, ["part"]),
            ("answer", call, ["following": "x"], .invalidArguments, ["following"]),
            (
                "answer", call, ["following": Variant([PerformWire.Following("end", "x", [:])])], .invalidArguments,
                ["call_uuid"]
            ),
        ]
        for (kind, call, details, code, names) in cases {
            expectRefusal(code, naming: names) { () throws(CallError) in
                _ = try PerformWire(id: "", kind: kind, call: call, transaction: "", deadline: 1, details: details)
            }
        }
    }

    @Test func options() {
        for (key, value) in [
            ("conflict", Variant.string("fight")), ("reply", .bool(true)), ("timeout", .int32(1)),
            ("timeout", .uint32(0)),
        ] {
            expectRefusal(.invalidArguments, naming: [key]) { () throws(CallError) in
                _ = try RequestOptions(wire: [key: value])
            }
        }
    }
}
