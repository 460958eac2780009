// Whom a name means.

import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct PersonTests {
    private func person(
        _ name: String, _ handle: String, type: String = "phone-number", label: String = "", isExact: Bool = false,
        provider: String? = nil
    ) -> PersonRow {
        PersonRow(properties: [
            "name": .string(name), "handle": Variant(Struct(type, handle)), "label": .string(label),
            "exact": .bool(isExact), "favorite": .bool(provider != nil), "provider-id": .string(provider ?? ""),
        ])
    }

    @Test func favoritesComeFirstAndThenTheExactName() {
        let contact = person("Carla", "1", isExact: true)
        let (home, work) = (
            person("Carla Home", "2", provider: ""), person("Carla", "3", isExact: true, provider: "Phone")
        )
        #expect(PersonRow.preferred(among: [home, contact]) == [home])
        #expect(PersonRow.preferred(among: [home, work, contact]) == [work])
        #expect(PersonRow.preferred(among: [contact, person("Carla Work", "4")]) == [contact])
        #expect(PersonRow.preferred(among: []).isEmpty)
        #expect(work.callee == Callee(handle: "phone-number:3", provider: "Phone"))
        #expect(contact.callee == Callee(handle: "phone-number:1"))
    }

    @Test func severalAreListed() {
        let people = [
            person("Carla Berg", "+46701740605", label: "mobile"), person("Åsa", "bananas", type: "generic"),
            person("C", "c@example.org", type: "email-address"),
        ]
        let message = """
            "c" matches 3 handles, which one:
              Carla Berg  +46701740605  mobile
              Åsa         generic:bananas
              C           c@example.org
            """
        for types in [[], ["phone-number", "generic", "email-address"]] as [Set<String>] {
            #expect(throws: Failure(.unknown, message)) { try PersonRow.only(of: people, taking: types, for: "c") }
        }
    }

    @Test func whatNoProviderTakesDoesNotCount() throws {
        let people = [person("Carla", "1"), person("Carla", "c@example.org", type: "email-address")]
        #expect(try PersonRow.only(of: people, taking: ["phone-number"], for: "c") == people[0])
    }
}
