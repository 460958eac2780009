// The text of favorites, and how to refer to one.

import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct FavoriteTests {
    @Test(arguments: [
        ("+46701740605", "phone-number:+46701740605"), ("070-174 06 05", "phone-number:070-174 06 05"),
        ("1234", "phone-number:1234"), ("anna@example.com", "email-address:anna@example.com"),
        ("tel:1", "phone-number:1"), ("generic:555", "generic:555"), ("bananas", "generic:bananas"),
        ("sip:a@b", "generic:sip:a@b"), ("@home", "generic:@home"), ("+", "generic:+"),
    ])
    func whomSomebodyMeans(text: String, handle: String) {
        #expect(HandleArgument(argument: text)?.handle.description == handle)
    }

    @Test func nobody() {
        #expect(HandleArgument(argument: "") == nil)
        #expect(HandleArgument(argument: "a\nb") == nil)
    }

    @Test func favoritesGoByIDNameAndHandle() throws {
        let favorites = [(3, "Alice", "555"), (5, "Bob", "444"), (9, "Alina", "5"), (11, "", "777")].map {
            FavoriteRow(properties: [
                "id": .int64($0.0), "name": .string($0.1), "handle": Variant(Struct("phone-number", $0.2)),
            ])
        }
        for (text, id) in [("5", 5), ("#9", 9), ("bo", 5), ("ALICE", 3), ("555", 3), ("77", 11)] as [(String, Int64)] {
            #expect(try FavoriteRow.find(text, in: favorites).id == id, "\(text)")
        }
        #expect(throws: Failure(.unknown, "no favorite \"x\"")) { try FavoriteRow.find("x", in: favorites) }
        #expect(throws: Failure(.unknown, "\"al\" matches 2 favorites:\n  3  Alice (555)\n  9  Alina (5)")) {
            try FavoriteRow.find("al", in: favorites)
        }
    }

    @Test(
        arguments: [("first", 0), ("1", 0), ("3", 2), ("Last", .max), ("4294967295", 4_294_967_294)]
            as [(String, UInt32)])
    func places(text: String, position: UInt32) {
        #expect(Place(argument: text)?.position == position)
    }

    @Test(arguments: ["0", "-1", "", "4294967296", "top"]) func noPlaces(text: String) {
        #expect(Place(argument: text) == nil)
    }
}
