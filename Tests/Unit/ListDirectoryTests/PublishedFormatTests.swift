// The forms in which other programs publish and export block lists: docs/lists.md.

import Testing

@testable import ListDirectory

@Suite struct PublishedFormatTests {
    private struct Reading {
        var blocked: [Int64] = []
        var ranges: [ClosedRange<Int64>] = []
        var named: [String] = []
        var complaints: [String] = []
    }

    /// Reads a file with this name as the plugin does.
    private func read(_ name: String, _ text: String) throws -> Reading {
        let file = try #require(ListFile(name, in: "/lists"))
        var contents = ListContents()
        var reading = Reading()
        try file.parse(Array(text.utf8), complain: { reading.complaints.append($0.description) }) {
            contents.add($0, blocksAll: file.blocksAll)
        }
        reading.blocked = contents.blocked
        reading.ranges = contents.ranges
        reading.named = contents.named.map { "\($0.number) \($0.label)" }
        return reading
    }

    /// One number per line, with comments, prefixes and ranges.
    @Test func plainText() throws {
        let list = try read(
            "spam.txt", "# seen 2026\n+441632960001\n+44163296002*\n+1555010????\n00441632960003 # twice\n")
        #expect(list.blocked == [441_632_960_001, 441_632_960_003] && list.complaints.isEmpty)
        #expect(list.ranges.count == 6 && list.ranges.last == 15_550_100_000...15_550_109_999)
    }

    /// The text lists of Begone: a # for each digit.
    @Test func textWithSignsForDigits() throws {
        let list = try read("patterns.txt", "+4121560####\n+41215201###\n+412150300##\n")
        #expect(
            list.ranges == [
                41_215_600_000...41_215_609_999, 41_215_201_000...41_215_201_999, 41_215_030_000...41_215_030_099,
            ])
    }

    /// The export of Simple Phone, Simple SMS Messenger and Fossify: all in one line.
    @Test func oneLine() throws {
        let many = (0..<5_000).map { "+44163296\(1000 + $0)" }.joined(separator: ",")
        #expect(try read("blocked_numbers.txt", many).blocked.count == 5_000)
        #expect(
            try read("blocked_numbers.txt", "+441632960001,+44 1632 960002").blocked == [
                441_632_960_001, 441_632_960_002,
            ])
    }

    /// The backup of Yet Another Call Blocker.
    @Test func patternsWithTimes() throws {
        let list = try read(
            "blacklist.csv",
            """
            ID,name,pattern,creationTimestamp,numberOfCalls,lastCallTimestamp
            1,Block 0900,+49900*,1600000000000,0,
            2,"Spammer, twice",+441632960001,1600000000000,3,1600000001000
            3,Range,+34822**,1698437458896,0,
            """)
        #expect(list.blocked == [441_632_960_001] && list.named == ["441632960001 Spammer, twice"])
        #expect(
            list.ranges.contains(49_900...49_900) && list.ranges.contains(348_220...348_229) && list.complaints.isEmpty)
    }

    /// The import of SpamBlocker, and sheets with more columns.
    @Test func sheets() throws {
        let list = try read(
            "b.csv", "phone,name,notes\n+441632960002,Spam,\"reported 3 times\"\n'+441632960003,Spam,\n")
        #expect(list.named == ["441632960002 Spam", "441632960003 Spam"] && list.complaints.isEmpty)
        #expect(try read("b.csv", "+441632960002;3;Spam;2026-09-22\n").named == ["441632960002 Spam"])
        #expect(try read("b.csv", "7,2026-09-22,Spam,+441632960002\n").named == ["441632960002 Spam"])
        #expect(
            try read("b.tsv", "Nr.\tTelefonnummer\tGrund\n1\t+441632960002\tWerbung\n").named == [
                "441632960002 Werbung"
            ])
        #expect(try read("b.csv", "Título,Teléfono\nSpam,+441632960002\n").named == ["441632960002 Spam"])
        #expect(
            try read("b.csv", "Sarake,Toinen\n+441632960002,x\n").complaints.isEmpty, "a heading in another language")
        let titled = "My list;;\n\nNr;Phone No.;Name\n1;+441632960002;x\n"
        #expect(try read("b.csv", titled).named == ["441632960002 x"])
    }

    /// The reports of the Federal Trade Commission, whose numbers have no country code.
    @Test func reports() throws {
        let list = try read(
            "DNC_Complaint_Numbers.+1.csv",
            """
            Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,Robocall
            2025550101,2026-09-22 00:28:21,2026-09-21 19:12:00,Ballwin,Illinois,309,"Debt (loans, cards)",Y
            ,2026-09-22 00:28:21,,,,,Other,
            """)
        #expect(list.named == ["12025550101 Debt (loans, cards)"])
        #expect(
            list.complaints == ["/lists/DNC_Complaint_Numbers.+1.csv:3: no number, expected digits as in +46701234567"])
    }

    /// What Asterisk shows of its database, with the line at its end.
    @Test func asterisk() throws {
        let list = try read(
            "blacklist.txt",
            """
            /blacklist/+15550100123                           : 1
            /blacklist/15550100124                            : telemarketer
            /blacklist/blocked                                : 1
            3 results found.
            """)
        #expect(list.blocked == [15_550_100_123, 15_550_100_124] && list.complaints.count == 2)
    }

    /// The blacklist of FreePBX.
    @Test func freePBX() throws {
        let list = try read("blacklist.csv", "number,description\n15550100123,Telemarketer\n")
        #expect(list.blocked == [15_550_100_123] && list.named == ["15550100123 Telemarketer"])
        #expect(
            try read("blacklist.txt", "15550100123;Telemarketer\n15550100124;\n").blocked == [
                15_550_100_123, 15_550_100_124,
            ])
    }

    /// Phone books of the FRITZ!Box, whose numbers are those of their country.
    @Test func phoneBooks() throws {
        let list = try read(
            "fritzbox-spam.+49.xml",
            """
            <?xml version="1.0" encoding="utf-8"?>
            <phonebooks><phonebook owner="90000" name="Spam"><contact><category>0</category>
            <person><realName>Callers &amp; Co</realName></person>
            <telephony nid="1"><number type="work" prio="1" id="0">06920436149</number>
            <number type="home" id="1">0043800291573</number><number type="home" id="2">**701</number></telephony>
            <services /><mod_time>1609455600</mod_time><uniqueid>90001</uniqueid></contact>
            <contact><telephony><number>030214802532</number></telephony></contact></phonebook></phonebooks>
            """)
        #expect(list.named == ["496920436149 Callers & Co", "43800291573 Callers & Co"])
        #expect(list.blocked == [496_920_436_149, 43_800_291_573, 4_930_214_802_532])
        #expect(list.complaints == ["/lists/fritzbox-spam.+49.xml:5: no number, expected digits as in +46701234567"])
    }

    /// PhoneBlock's list in both forms: numbers that nobody complains of any more are no part of it.
    @Test(arguments: ["blocklist.json", "blocklist.xml"]) func votes(name: String) throws {
        let text =
            name.hasSuffix("json")
            ? """
            {"numbers": [{"phone": "+441632960001", "rating": "G_FRAUD", "votes": 4},
              {"phone":"+44\\/1632960002","rating":"F_GAMBLE","votes":10},
              {"phone": "+441632960003", "rating": "A_LEGITIMATE", "votes": 0},
              {"phone": "Zacharias", "votes": 4}],
             "version": 42}
            """
            : """
            <blocklist version="42"><phone-info phone="+441632960001" rating="G_FRAUD" votes="4"/>
            <phone-info votes='10' phone = '&#43;441632960002'/>
            <phone-info phone="+441632960003" rating="A_LEGITIMATE" votes="0"/>
            <phone-info phone="Zacharias" votes="4"/></blocklist>
            """
        let list = try read(name, text)
        #expect(list.blocked == [441_632_960_001, 441_632_960_002] && list.named.isEmpty)
        #expect(list.complaints == ["/lists/\(name):4: no number, expected digits as in +46701234567"])
    }

    /// Lists of pamapa/callblocker, and arrays of numbers.
    @Test func objects() throws {
        let list = try read(
            "main.json",
            """
            {"name": "main", "entries": [{"name": "Telemarketing \\"X\\"", "number": "+441632960001", "date_created": "2015-05-15"},
            {"number": 441632960002}]}
            """)
        #expect(list.named == ["441632960001 Telemarketing \"X\""] && list.blocked == [441_632_960_002])
        #expect(try read("a.json", "[\"+441632960001\", \"+4416329*\"]").ranges.count == 9)
        #expect(try read("a.json", "{\"numbers\": [\"+441632960001\"]}").blocked == [441_632_960_001])
    }

    /// What encoders of JSON make of signs and numbers.
    @Test func escapes() throws {
        let list = try read(
            "a.json",
            """
            [{"name": "M\\u00fcller \\ud83d\\ude42", "number": "\\u002B441632960001"}, {"number": 4.41632960002E+11},
            {"number": 441632960003.0}, {"number": 4.41633E+11}, {"number": -441632960004}, {"name": "\\ud83d", "number": "441632960005"}]
            """)
        #expect(list.named == ["441632960001 Müller 🙂"])
        #expect(list.blocked == [441_632_960_002, 441_632_960_003, 441_632_960_004, 441_632_960_005])
        #expect(list.complaints.count == 1)
    }

    /// What writers of XML do, too: comments, text without references, and references of any sign.
    @Test func markup() throws {
        let list = try read(
            "a.xml",
            """
            <list><!-- not yet > <number>+441632960009</number> --><entry><name><![CDATA[A & B <x>]]></name>
            <number><![CDATA[+441632960001]]></number></entry>
            <entry><name>M&#252;ller &amp;lt;</name><number>&#x2B;441632960002</number></entry>
            <entry><number>+4416<!-- here -->32960003</number></entry></list>
            """)
        #expect(list.named == ["441632960001 A & B <x>", "441632960002 Müller &lt;"])
        #expect(list.blocked == [441_632_960_003] && list.complaints.isEmpty)
    }

    /// The property lists of Begone.
    @Test func propertyLists() throws {
        let list = try read(
            "swiss.xml",
            """
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><array><dict><key>category</key><string>0</string><key>number</key>
            <string>+4121560####</string><key>title</key><string>Spam</string></dict>
            <dict><key>number</key><string>+41215600001</string><key>title</key><string>Verified</string></dict></array></plist>
            """)
        #expect(list.ranges == [41_215_600_000...41_215_609_999] && list.named == ["41215600001 Verified"])
        #expect(list.complaints.isEmpty)
    }

    /// Cards of blocked contacts, as openblockbg and others publish them.
    @Test func cards() throws {
        let list = try read(
            "blocked_contacts.vcf",
            """
            BEGIN:VCARD\r
            VERSION:3.0\r
            FN:Open\\, blocked\r
            TEL;TYPE=CELL:+441632960001\r
            item1.TEL:+44 1632\r
              960002\r
            TEL;VALUE=uri:tel:+44-1632-960003;ext=1\r
            TEL:Zacharias\r
            PHOTO:\(String(repeating: "x", count: 9_000))\r
            END:VCARD\r
            BEGIN:VCARD\r
            TEL:+441632960004
            """)
        #expect(list.blocked == (1...4).map { 441_632_960_000 + $0 })
        #expect(list.named == (1...3).map { "44163296000\($0) Open, blocked" })
        #expect(list.complaints == ["/lists/blocked_contacts.vcf:8: no number, expected digits as in +46701234567"])
    }

    /// No bytes trap.
    @Test func noise() throws {
        for name in ["a.json", "a.xml", "a.vcf", "a.csv", "a.txt"] {
            for text in [
                "", "]}>:", "{\"number\":\"", "[[[\"", String(repeating: "[{", count: 5_000), "<a b='", "</", "TEL:",
                "<>", "\\\"", "\"\\uD83D\\u00", "<!-", "<!-->", "<![CDATA[", "<![CDATA[]]>", "&#x110000;</", "1E99",
                "-",
            ] {
                _ = try read(name, text)
            }
            #expect(try read(name, "\u{FEFF}").complaints.isEmpty)
        }
    }

    /// Lists of apps with Call Directory extensions of iOS: integers, in order, with a label or without.
    @Test func callDirectories() throws {
        #expect(try read("numbers.txt", "14085550123\n18775555555\n").blocked == [14_085_550_123, 18_775_555_555])
        #expect(try read("names.csv", "14085550123,Local pizza\n").named == ["14085550123 Local pizza"])
        #expect(try read("spam.txt", "+441632960001 Spam caller\n").blocked == [441_632_960_001])
    }
}
