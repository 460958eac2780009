// What hosts call things: nothing of it is lost, be it a UUID or not.

import CallModel
import Testing

@Suite struct WireIDTests {
    private static let uuid = "01234567-89ab-cdef-0123-456789abcdef"

    @Test(arguments: [uuid, uuid.uppercased(), "", "1", uuid + "0", "01234567-89ab-cdef-0123-456789abcdeF", "\u{e9}"])
    func textStaysWhatItIs(_ text: String) {
        let id = WireID(text)
        #expect(id.text == text && id.uuidInEitherCase == CallID(text))
        #expect((id == .other(text)) == (text != Self.uuid))
    }

    @Test func theSameUUIDInAnotherCaseIsAnotherName() {
        #expect(WireID(Self.uuid) != WireID(Self.uuid.uppercased()))
        #expect(WireID(Self.uuid).uuidInEitherCase == WireID(Self.uuid.uppercased()).uuidInEitherCase)
    }
}
