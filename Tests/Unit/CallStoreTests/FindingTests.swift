// Contacts are found by the beginnings of the words of their names.

import CallModel
import DBus
import TestSupport
import Testing

@testable import CallStore

@Suite struct FindingTests {
    private func entries(_ contacts: (name: String, handles: [String])...) -> ContactEntries {
        var entries = ContactEntries()
        for (index, contact) in contacts.enumerated() {
            _ = entries.add(
                Contact(uid: "\(index)", name: contact.name),
                contact.handles.map { ContactHandle(value: $0, type: $0.contains(":") ? .generic : .phoneNumber) })
        }
        entries.sort()
        return entries
    }

    private func found(_ name: String, in entries: ContactEntries, limit: Int = 20) throws -> [String] {
        entries.people(named: try NameWords(wanted: name), limit: limit).map {
            "\($0.name) \($0.handle.fields.1)" + ($0.isExact ? " exactly" : "")
        }
    }

    @Test(arguments: [
        ("anna", true), ("AN", true), ("berg", true), ("ber ann", true), ("anna malmo", true), ("åsa", true),
        ("asa", true), ("A\u{30A}SA", true), (" Anna,  Berg ", true), ("mal-anna", true), ("nna", false),
        ("anna berger", false), ("annaberg", false), ("anna x", false), ("Ａｎｎａ", true),
    ])
    func wordsByTheirBeginnings(name: String, isFound: Bool) throws {
        let all = entries(("Anna-Åsa Berg (Malmö)", ["1"]))
        #expect(try found(name, in: all) == (isFound ? ["Anna-Åsa Berg (Malmö) 1"] : []))
    }

    @Test(arguments: [
        ("Ｎａｍｅ", "name"), ("STRASSE", "straße"), ("ΆΛΦΑ", "αλφα"), ("Йод", "йод"), ("李", "李小龍"), ("🦄", "🦄"),
        ("o'b", "Conan O’Brien"), ("ﬁ", "Filip"), ("\u{1112}\u{1161}\u{11AB}", "한국"), ("が", "か\u{3099}"),
        ("ｶﾞ", "ガ"), ("ά", "Άννα"), ("σ", "ς"), ("ё", "Елена"), ("i", "İpek"),
    ])
    func otherAlphabets(name: String, contact: String) throws {
        #expect(try found(name, in: entries((contact, ["1"]))).count == 1)
    }

    /// A mark makes another letter of these.
    @Test(arguments: [("か", "が"), ("ﾊ", "パ")])
    func anotherLetterIsNotFound(name: String, contact: String) throws {
        #expect(try found(name, in: entries((contact, ["1"]))) == [])
    }

    @Test func theExactNameComesFirstAndThenTheAlphabet() throws {
        let all = entries(
            ("Carla Zorn", ["1"]), ("Carla", ["2", "3"]), ("Bo Carlasson", ["4"]), ("Åke Carla", ["5"]), ("Carl", ["6"])
        )
        #expect(
            try found("carla", in: all) == [
                "Carla 2 exactly", "Carla 3 exactly", "Åke Carla 5", "Bo Carlasson 4", "Carla Zorn 1",
            ])
        #expect(try found("carla", in: all, limit: 3) == ["Carla 2 exactly", "Carla 3 exactly", "Åke Carla 5"])
        #expect(try found("zorn carla", in: all) == ["Carla Zorn 1"])
    }

    @Test func aHandleIsListedOnceAndWhoSharesItIsFound() throws {
        let all = entries(("Ann Home", ["1"]), ("Bo Home", ["1"]), ("Ann Home", ["1"]), ("Ann Home", ["1", "2"]))
        #expect(all.count == 3)
        #expect(try found("home", in: all) == ["Ann Home 1", "Ann Home 2"])
        #expect(try found("bo", in: all) == ["Bo Home 1"])
        #expect(all.contact("1", isEmail: false)?.name == "Ann Home")
    }

    @Test func aSchemeIsListedAndNamesWithoutItToo() throws {
        let all = entries(("Ann", ["sip:a@b"]), ("Ann", ["a@b:"]))
        #expect(try found("ann", in: all) == ["Ann sip:a@b exactly", "Ann a@b: exactly"])
        #expect(all.contact("a@b", isEmail: false)?.name == "Ann")
        #expect(all.contact("", isEmail: false) == nil)
    }

    @Test(arguments: [
        "", " ", "?!", "-", "a\nb", "a\u{0}", "\u{202E}a", "a\u{2066}", String(repeating: "a", count: 257),
        String(repeating: "a ", count: 5_000), "a" + String(repeating: "\u{301}", count: 2_000),
    ])
    func noName(text: String) {
        let error = #expect(throws: CallError.self) { _ = try NameWords(wanted: text) }
        #expect(error?.code == .invalidArguments)
    }

    @Test func manyAreSearchedAtOnce() throws {
        var many = ContactEntries()
        for number in 0..<10_000 {
            _ = many.add(
                Contact(uid: "\(number)", name: "Åsa Öberg \(number)"),
                [ContactHandle(value: "\(number)", type: .phoneNumber)])
        }
        many.sort()
        let start = ContinuousClock.now
        #expect(try found("oberg 9999", in: many) == ["Åsa Öberg 9999 9999"])
        #expect(try found("a", in: many).count == 20)
        let took = ContinuousClock.now - start
        #expect(took < .seconds(1), "two searches took \(took)")
    }

    /// The index finds the names that a look at each of them finds, in the same order.
    @Test func theIndexFindsWhatALookAtEachNameFinds() throws {
        var random = SeededGenerator()
        let syllables = ["a", "an", "ann", "anna", "be", "berg", "ber", "ö", "öst", "李", "小", "z"]
        func name() -> String {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (syllables.randomElement(using: &random) ?? "") + (syllables.randomElement(using: &random) ?? "")
            }.joined(separator: " ")
        }
        let names = (0..<500).map { _ in NameWords(name()) }
        let index = NameIndex(names)
        for _ in 0..<200 {
            let wanted = try NameWords(wanted: name())
            let matches = names.indices.filter { place in
                wanted.list.allSatisfy { one in names[place].list.contains { $0.hasPrefix(one) } }
            }
            let order = matches.sorted { one, other in
                let (first, second) = (names[one], names[other])
                guard first != second else { return one < other }
                return first == wanted || second == wanted ? first == wanted : first < second
            }
            var found: [Int] = []
            index.find(wanted) { position, isEqual in
                #expect(isEqual == (names[position] == wanted))
                found.append(position)
                return true
            }
            #expect(found == order)
        }
    }

    @Test func theFirstWordsOfALongNameAreFound() throws {
        let long = (0..<20).map { "w\($0)x" }.joined(separator: " ")
        let all = entries((long, ["1"]))
        #expect(try found("w15x", in: all).count == 1)
        #expect(try found("w16x", in: all).isEmpty)
        #expect(try found(long, in: all) == [long + " 1 exactly"])
    }
}
