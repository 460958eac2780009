// The copies of address books.

import Testing

@testable import DesktopAgent

@Suite struct ContactsMirrorTests {
    @Test func soundsAndKeysAreLeftOutAndPicturesUnlessTheyAreKept() {
        let card = "BEGIN:VCARD\r\nFN:Anna\r\nPHOTO;ENCODING=b:AAAA\r\n BBBB\r\nitem1.KEY:x\r\nTEL:1\r\n 2\r\nEND:VCARD"
        #expect(
            ContactsMirror.withoutMedia(card, exceptPicture: false)
                == "BEGIN:VCARD\r\nFN:Anna\r\nTEL:1\r\n 2\r\nEND:VCARD\r\n")
        let withPicture = ContactsMirror.withoutMedia(card, exceptPicture: true)
        #expect(withPicture.contains("PHOTO;ENCODING=b:AAAA\r\n BBBB\r\nTEL"))
    }

    @Test(arguments: ["\u{2028}", "\u{85}", "\u{0B}", "\u{0C}", "\r"])
    func otherLineBreaksBeginNoProperty(lineBreak: String) {
        let card = "BEGIN:VCARD\nNOTE:hello\(lineBreak)TEL:+46701740605\nEND:VCARD\n"
        let text = ContactsMirror.withoutMedia(card, exceptPicture: true)
        #expect(!text.contains("\r\nTEL"))
        #expect(text.contains("NOTE:hello\(lineBreak)TEL:+46701740605\r\n"))
    }

    @Test func filesHaveNamesThatFitAndDiffer() {
        #expect(ContactsMirror.fileName(of: "system-address-book") == "system_45_address_45_book.vcf")
        #expect(ContactsMirror.fileName(of: "../x") == "_46__46__47_x.vcf")
        let names = ["a", "b"].map { ContactsMirror.fileName(of: String(repeating: "/", count: 254) + $0) }
        #expect(names[0] != names[1])
        #expect(names.allSatisfy { $0.utf8.count < 255 && !$0.contains("/") })
    }
}
