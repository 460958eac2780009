// The test kit with one provider.

import OpenCallKit
import OpenCallKitTestKit
import Testing

private let ada = CXHandle(type: .generic, value: "ada")
private let bob = CXHandle(type: .generic, value: "bob")

@Suite struct TestHostTests {
    @Test func anOutgoingCall() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await host.startCall(to: ada, video: true)
            #expect(call.state == .started && call.isOutgoing && call.handle == ada && call.provider == "app_Phone")
            #expect(call.hasVideo)
            phone.provider.reportOutgoingCall(with: call.uuid, connectedAt: nil)
            try await host.settle()
            #expect(call.state == .active)
            try await call.hold()
            #expect(call.isOnHold && call.heldBy == "user" && call.can.contains("resume"))
            try await call.resume()
            try await call.mute()
            #expect(call.isMuted)
            try await call.unmute()
            try await call.play("1,2")
            try await call.translate(from: "en-GB", to: "sv")
            #expect(try #require(call.translation) == ("en-GB", "sv", .custom))
            try await call.stopTranslating()
            #expect(call.translation == nil)
            try await host.advance(by: .seconds(90))
            try await call.end()
            #expect(call.endReason == "local-ended" && call.endedBy == "user" && host.calls.isEmpty)
            let (connected, ended) = (try #require(call.dateConnected), try #require(call.dateEnded))
            #expect(ended.timeIntervalSince(connected) == 90 && ended == host.now)
            #expect(
                phone.heard == [
                    "begin", "start ada", "activated", "held true", "deactivated", "held false", "activated",
                    "muted true", "muted false", "play 1,2", "translate true en-GB sv", "translate false en-GB sv",
                    "end",
                    "deactivated",
                ])
        }
    }

    /// On a queue of its own, on the main queue, and with answers from a task: the kit waits for the delegate in each
    /// case.
    @Test(arguments: [nil, DispatchQueue(label: "phone")]) func anIncomingCall(on queue: DispatchQueue?) async throws {
        try await TestHost.run { host in
            let phone = Phone(queue: queue)
            let call = try await phone.ring(from: ada, in: host)
            #expect(call.state == .ringing && call.ringing == "audible" && !call.isOutgoing)
            #expect(host.call(in: .ringing) == call && host.call(call.uuid) == call && host.call(UUID()) == nil)
            phone.answersElsewhere()
            try await call.answer()
            #expect(call.state == .active && host.calls == [call])
            phone.provider.reportCall(with: call.uuid, endedAt: nil, reason: .remoteEnded)
            try await host.settle()
            #expect(call.state == .ended && call.endReason == "remote-ended" && host.allCalls == [call])
        }
    }

    @Test func callsAreGrouped() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let one = try await phone.ring(from: ada, in: host)
            try await one.answer()
            let two = try await phone.ring(from: bob, in: host)
            #expect(two.ringing == "waiting")
            try await two.answer()
            try await one.group(with: two)
            #expect(one.group == [one, two] && phone.heard.last == "group")
            try await one.ungroup()
            #expect(one.group.isEmpty)
            try await two.answer(endingOthers: true, until: .accepted)
        }
    }

    @Test func aLateAnswerIsAnAnomaly() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await call.answer()
            phone.keepActions()
            let request = try await call.hold(until: .accepted)
            #expect(request.outcome == .pending && call.state == .holding)
            try await host.advance(by: .milliseconds(4_999))
            #expect(request.outcome == .pending)
            try await host.advance(by: .milliseconds(1))
            guard case .failed(let error) = request.outcome else {
                Issue.record("\(request.outcome)")
                return
            }
            #expect(error.busName == "org.opencallkit.Error.ActionTimedOut" && call.state == .active)
            #expect(phone.heard.last == "timed out CXSetHeldCallAction")
            #expect(host.anomalies.count == 1 && host.anomalies[0].hasPrefix("silent-provider"))
            for action in phone.takeKept() { action.fulfill() }
            try await host.settle()
            #expect(host.anomalies.count == 2 && host.anomalies[1].hasPrefix("late-completion"))
            #expect(host.transcript.contains { $0.contains("anomaly late-completion") })
        }
    }

    @Test func nobodyAnswers() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await host.advance(by: .seconds(60))
            #expect(call.state == .ended && call.endedBy == "deadline")
        }
    }

    @Test func doNotDisturbAndSilence() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await host.silenceRinging()
            #expect(call.ringing == "silent")
            try await host.setDoNotDisturb(true)
            await #expect(throws: CXErrorCodeIncomingCallError.self) { _ = try await phone.ring(from: bob, in: host) }
            try await host.setDoNotDisturb(false)
            #expect(try await phone.ring(from: bob, in: host).state == .ringing)
        }
    }

    @Test func refusalsAreCallKitsErrors() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let call = try await phone.ring(from: ada, in: host)
            try await call.end()
            #expect(call.endReason == "declined")
            do {
                try await call.hold()
                Issue.record("it was held")
            } catch CXErrorCodeRequestTransactionError.unknownCallUUID {}
            await #expect(throws: TestHostError.noProvider("no id")) {
                try await host.startCall(to: ada, with: "no id")
            }
            await #expect(throws: CXErrorCodeRequestTransactionError.self) { try await host.request([]) }
        }
    }

    @Test func itsOwnButtons() async throws {
        try await TestHost.run { host in
            let phone = Phone()
            let answer = try await host.press("greet", of: "app_Phone", ["name": "Ada"])
            #expect(answer == ["greeting": "hello Ada"])
            await #expect(throws: CXErrorCodeRequestTransactionError.self) {
                try await host.press("none", of: "app_Phone")
            }
            withExtendedLifetime(phone) {}
        }
    }

    @Test func whatNeverComesIsReported() async throws {
        try await TestHost.run { host in
            do {
                try await host.wait(for: "rain", within: .milliseconds(20)) { false }
                Issue.record("it has rained")
            } catch TestHostError.late(let text) {
                #expect(text.hasPrefix("waited in vain for rain"))
            }
        }
    }
}
