// Tests of how text from outside is shown, quoted and left out.

import CallModel
import Testing

@Suite struct DisplayTextTests {
    @Test(arguments: ["a", "caller-name", "codec2", "rfc822-id", "x-" + String(repeating: "y", count: 38)])
    func wordsOfTheContractAreWords(text: String) { #expect(text.isWord) }

    @Test(arguments: [
        "", "+46709998877", "46709998877", "tel-46709998877", "1", "Zacharias", "zacharias quartermaine", "a_b", "a.b",
        "é",
        "-a", String(repeating: "x", count: 41), "a\n",
    ])
    func whatMayBeANameOrANumberIsNone(text: String) { #expect(!text.isWord) }

    @Test func wordsOfNetworksAreNoNamesAndNoNumbers() {
        for word in ["SIP 486", "opus/48000/2", "G722/16000", "AMR-WB", "Q.850 17", "mobile", "org.example.Busy", ""] {
            #expect(word.networkWord == word)
        }
        for text in [
            "+46709998877", "SIP 603 +46709998877", "SIP 46709998877", "+46 709998877", "٤٦٧٠٩٩٩٨٨٧٧", "Anna Svensson",
            "Åsa", "anna@home",
            "SIP 486 Anna",
        ] { #expect(text.networkWord.isEmpty, "\(text)") }
    }
}
