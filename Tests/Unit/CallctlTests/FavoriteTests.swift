// The text of favorites, and how to refer to one.

import ArgumentParser
import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct FavoriteTests {
    @Test func aFavoriteIsAHandleAlone() throws {
        #expect(try FavoritesAddCommand.handle("070-174 06 05").description == "phone-number:0701740605")
        for text in ["", "bananas", "070-174 06 05 ext. 12"] {
            #expect(throws: ValidationError.self, "\(text)") { try FavoritesAddCommand.handle(text) }
        }
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
