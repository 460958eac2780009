// The fixture that also runs as a plugin and as an app, in the test kit: the same steps have the same outcome.

import Foundation
import OpenCallKit
import OpenCallKitTestKit
import Surface
import Testing

@Suite struct ThreePlacesTests {
    /// `test_three_places.py` takes the same steps in a worker and in an app.
    @Test func theSameOutcomeAsInAWorkerAndInAnApp() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Fixtures/ThreePlaces/steps.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        let end = try #require(lines.firstIndex(of: "heard"))
        try await TestHost.run { host in
            let surface = Surface()
            var steps = Steps(host: host)
            for line in lines[..<end] { try await steps.take(String(line)) }
            let heard = try await steps.heard()
            if heard != lines[(end + 1)...].map(String.init) {
                Issue.record("another outcome:\n\(heard.joined(separator: "\n"))")
            }
            withExtendedLifetime(surface) {}
        }
    }
}

extension ThreePlacesTests {
    /// `test_observers.py` does so in a worker and in an app.
    @Test func aCallIsThereWhenItsCompletionHandlerRuns() async throws {
        try await TestHost.run { host in
            let surface = Surface()
            let told = try await host.press("calls", of: "app_Surface", ["see": .integer(25)])
            #expect(told.isEmpty, "\(told)")
            withExtendedLifetime(surface) {}
        }
    }
}

private struct Steps {
    let host: TestHost
    private var calls: [String: UUID] = [:]
    private var stranger: TestProvider?

    init(host: TestHost) { self.host = host }

    private struct Unexpected: Error {
        let step: String
    }

    mutating func take(_ line: String) async throws {
        let parts = line.components(separatedBy: " -> ")
        var refusal: String?
        do {
            refusal = try await take(parts[0].components(separatedBy: " "))
        } catch let error as CXErrorCodeRequestTransactionError {
            refusal = error.busName
        }
        let expected = parts.count > 1 ? "org.opencallkit.Error.\(parts[1])" : nil
        #expect(refusal == expected, "\(line)")
    }

    /// - Returns: the bus name of the error that a custom action failed with.
    private mutating func take(_ words: [String]) async throws -> String? {
        let name = words.count > 1 ? words[words.count > 2 && Self.prefixed.contains(words[0]) ? 2 : 1] : ""
        let uuid = calls[name] ?? UUID()
        switch words[0] {
        case "observe": return try await press("observe")
        case "behave": return try await press("behave", ["kind": .string(words[1]), "how": .string(words[2])])
        case "start":
            let handle = CXHandle(type: .generic, value: words[2])
            calls[name] = try await host.startCall(to: handle, with: "app_Surface").uuid
        case "incoming":
            calls[name] = uuid
            return try await press("incoming", ["call": .string(uuid.uuidString), "handle": .string(words[2])])
        case "stranger":
            let stranger = try await host.addProvider("Stranger")
            calls[name] = try await stranger.receiveCall().uuid
            self.stranger = stranger
        case "report": return try await press("report", ["call": .string(uuid.uuidString), "what": .string(words[1])])
        case "own": return try await own("perform", words[1], uuid)
        case "on-main": return try await own("request-on-main", words[1], uuid)
        case "execute": return try await press("execute", ["executes": .bool(words[1] == "yes")])
        case "together":
            let actions = try stride(from: 1, to: words.count, by: 2).map { index in
                try action(words[index], try #require(calls[words[index + 1]]))
            }
            return try await request(CXTransaction(actions: actions), by: "perform")
        case "state":
            let call = try #require(host.call(uuid))
            try await host.wait(for: words.joined(separator: " ")) { call.state.rawValue == words[2] }
        default: return try await user(words, try #require(host.call(uuid)))
        }
        return nil
    }

    private static let prefixed: Set = ["report", "own", "on-main"]

    /// An action that the provider keeps ends with its time-out.
    private func user(_ words: [String], _ call: TestCall) async throws -> String? {
        let request: TestRequest
        switch words[0] {
        case "answer": request = try await call.answer(until: .accepted)
        case "end": request = try await call.end(until: .accepted)
        case "hold": request = try await call.hold(until: .accepted)
        case "resume": request = try await call.resume(until: .accepted)
        case "ungroup": request = try await call.ungroup(until: .accepted)
        case "play": request = try await call.play(words[2], until: .accepted)
        case "translate": request = try await call.stopTranslating(until: .accepted)
        case "group":
            let other = try #require(calls[words[2]].flatMap(host.call))
            request = try await call.group(with: other, until: .accepted)
        default: throw Unexpected(step: words.joined(separator: " "))
        }
        if request.outcome == .pending { try await host.advance(by: .seconds(5)) }
        if case .failed(let error) = request.outcome { return error.busName }
        #expect(request.outcome == .performed)
        return nil
    }

    private func own(_ button: String, _ verb: String, _ uuid: UUID) async throws -> String? {
        try await request(CXTransaction(action: try action(verb, uuid)), by: button)
    }

    private func action(_ verb: String, _ uuid: UUID) throws -> CXCallAction {
        switch verb {
        case "answer": CXAnswerCallAction(call: uuid)
        case "mute", "unmute": CXSetMutedCallAction(call: uuid, muted: verb == "mute")
        case "hold", "resume": CXSetHeldCallAction(call: uuid, onHold: verb == "hold")
        case "translate":
            CXSetTranslatingCallAction(
                call: uuid, isTranslating: true, localLanguage: "en-GB", remoteLanguage: "sv")
        case "end": CXEndCallAction(call: uuid)
        default: throw Unexpected(step: verb)
        }
    }

    private func request(_ transaction: CXTransaction, by button: String) async throws -> String? {
        let data = try JSONEncoder().encode(transaction)
        let values: [String: CXValue] = ["transaction": .string(String(decoding: data, as: UTF8.self))]
        let answer = try await host.press(button, of: "app_Surface", values)
        if button == "request-on-main" {
            #expect(answer["course"] == .array(["asked", "looked", "completed"]))
        }
        return answer["name"]?.stringValue
    }

    private func press(_ button: String, _ values: [String: CXValue] = [:]) async throws -> String? {
        try await host.press(button, of: "app_Surface", values)["name"]?.stringValue
    }

    /// The calls of the delegate, in order, and then the observer's changes of each call.
    func heard() async throws -> [String] {
        try await host.settle()
        let log = try await host.press("log", of: "app_Surface")["lines"]?.arrayValue?.compactMap(\.stringValue) ?? []
        var lines = log.joined(separator: "\n")
        for (name, uuid) in calls { lines = lines.replacing(uuid.uuidString.lowercased(), with: name) }
        let all = lines.components(separatedBy: "\n")
        return all.filter { !$0.hasPrefix("changed ") }
            + all.filter { $0.hasPrefix("changed ") }.sorted(by: Self.byCall)
    }

    /// Keeps the order of the changes of one call.
    private static func byCall(_ one: String, _ other: String) -> Bool {
        one.components(separatedBy: " ")[1] < other.components(separatedBy: " ")[1]
    }
}
