// The imitations of iOS call layers at work, with the real host: a call through each of them.

import OpenCallKitPort
import OpenCallKitTestKit
import Synchronization
import Testing

@preconcurrency @testable import Ports

/// Collects what a layer reports by name, on any queue.
private final class Events: Sendable {
    private let content = Mutex<[String]>([])
    var names: [String] { content.withLock { $0 } }
    func add(_ name: String) { content.withLock { $0.append(name) } }
}

@MainActor @Suite struct LayerTests {
    @Test func delegateAndManager() async throws {
        try await TestHost.run { @MainActor host in
            let app = WalkiePushReceiver()
            app.applicationDidFinishLaunching()
            try await host.settle()
            let (manager, delegate) = (app.callManager, app.providerDelegate)
            #expect(app.token == nil && app.pushRegistry.pushToken(for: .voIP) == nil)

            let uuid = UUID()
            let push = PKPushPayload(dictionaryPayload: ["UUID": uuid.uuidString, "handle": "5551", "hasVideo": true])
            await withCheckedContinuation { done in
                app.pushRegistry(app.pushRegistry, didReceiveIncomingPushWith: push, for: .voIP) { done.resume() }
            }
            try await host.settle()
            let incoming = try #require(host.call(uuid))
            #expect(incoming.state == .ringing && incoming.hasVideo && incoming.handle?.value == "5551")
            try await incoming.answer()
            #expect(incoming.state == .active && delegate.audioIsRunning)

            manager.startCall(handle: "5552")
            try await host.wait(for: "the second call") { host.call(in: .active)?.isOutgoing == true }
            try await host.settle()
            let outgoing = try #require(host.call(in: .active))
            #expect(incoming.state == .held && manager.calls.map(\.isOnHold) == [true, false])
            try await outgoing.mute()
            #expect(manager.calls[1].isMuted && outgoing.isMuted)
            manager.setOnHoldStatus(for: manager.calls[0], to: false)
            try await host.settle()
            #expect(incoming.state == .active && outgoing.state == .held)
            manager.end(call: manager.calls[0])
            try await host.settle()
            #expect(incoming.state == .ended && incoming.endReason == "local-ended")
            delegate.reportRemoteEnd(manager.calls[0])
            try await host.settle()
            #expect(outgoing.endReason == "remote-ended" && manager.calls.isEmpty)
            #expect(host.anomalies == [])
        }
    }

    @Test func softphone() async throws {
        try await TestHost.run { @MainActor host in
            SoftphoneCallManager.shared = SoftphoneCallManager()
            let manager = SoftphoneCallManager.shared
            let core = manager.core
            try await host.settle()

            core.receiveInvite(from: "sip:ada@example.com", callId: "a")
            try await host.settle()
            let incoming = try #require(host.call(in: .ringing))
            #expect(incoming.callerName == "sip:ada@example.com")
            manager.acceptCall(callId: "a")
            try await host.settle()
            #expect(incoming.state == .active && core.calls[0].state == .connected && core.audioSessionIsActive)
            manager.toggleSpeaker()
            #expect(!manager.speakerEnabled, "the category is still the default")
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
            manager.toggleSpeaker()
            #expect(manager.speakerEnabled)

            manager.startCall(addr: "sip:bob@example.com")
            try await host.settle()
            #expect(incoming.state == .held && core.calls.map(\.state) == [.paused, .outgoingProgress])
            core.remoteAccepts(core.calls[1])
            try await host.settle()
            let outgoing = try #require(host.call(in: .active))
            #expect(outgoing.isOutgoing)
            try await outgoing.play("12#")
            #expect(core.calls[1].tones == "12#")
            try await outgoing.mute()
            #expect(core.calls[1].microphoneMuted)
            manager.groupCall()
            try await host.settle()
            #expect(core.conferenceSize == 2 && incoming.group.count == 2 && incoming.state == .active)

            core.terminate(core.calls[0])
            try await host.settle()
            #expect(incoming.endReason == "remote-ended")
            manager.terminateCall(callId: core.calls[0].callId)
            try await host.settle()
            #expect(outgoing.state == .ended && core.calls.isEmpty)

            try await host.setDoNotDisturb(true)
            core.receiveInvite(from: "sip:eve@example.com", callId: "e")
            try await host.settle()
            #expect(core.calls.isEmpty && manager.providerDelegate.callInfos.isEmpty, "a refused call is declined")
            #expect(host.anomalies == [])
        }
    }

    @Test func crossPlatformModule() async throws {
        try await TestHost.run { @MainActor host in
            Keep.sharedProvider = nil
            let keep = Keep()
            keep.setup(["appName": "Keep", "maximumCallGroups": "2", "handleType": "generic"])
            try await host.settle()
            let (first, second) = (UUID(), UUID())
            keep.displayIncomingCall(
                first.uuidString, handle: "5551", localizedCallerName: "Ada")
            try await host.settle()
            let events = Events()
            keep.listener = { @Sendable name, body in events.add(body["error"].map { "\(name) \($0)" } ?? name) }
            #expect(events.names.contains("didDisplayIncomingCall "), "events wait for a listener")
            let incoming = try #require(host.call(first))
            #expect(incoming.callerName == "Ada")
            keep.answerIncomingCall(first.uuidString)
            try await host.settle()
            #expect(incoming.state == .active)
            keep.updateDisplay(first.uuidString, displayName: "Ada L.", uri: "ada")
            keep.setMutedCall(first.uuidString, true)
            keep.sendDTMF(first.uuidString, "5")
            try await host.settle()
            #expect(incoming.callerName == "Ada L." && incoming.isMuted)
            #expect(keep.getAudioRoutes().last?["selected"] as? Bool == true)
            try keep.setAudioRoute("Speaker")

            keep.startCall(second.uuidString, handle: "5552", contactIdentifier: nil)
            try await host.settle()
            keep.reportConnectingOutgoingCall(second.uuidString)
            keep.reportConnectedOutgoingCall(second.uuidString)
            try await host.settle()
            #expect(host.call(second)?.state == .active && incoming.state == .held)
            keep.setOnHold(first.uuidString, false)
            try await host.settle()
            #expect(host.call(second)?.state == .held && incoming.state == .active)
            keep.reportEndCall(second.uuidString, reason: CXCallEndedReason.remoteEnded.rawValue)
            try await host.settle()
            keep.endAllCalls()
            try await host.settle()
            #expect(host.calls.isEmpty)
            for name in [
                "performAnswerCallAction", "didPerformSetMutedCallAction", "didPerformDTMFAction",
                "didReceiveStartCallAction", "didToggleHoldAction", "performEndCallAction", "didActivateAudioSession",
                "didDeactivateAudioSession", "didChangeCall",
            ] { #expect(events.names.contains(name), "no event \(name)") }
            #expect(events.names.filter { $0.hasPrefix("requestFailed") } == [])
            #expect(host.anomalies == [])
        }
    }

    @Test func meeting() async throws {
        try await TestHost.run { @MainActor host in
            MeetingCallKitProxy.enabled = false
            MeetingCallKitProxy.enabled = true
            MeetingCallKitProxy.configureProvider(
                localizedName: "Meeting", ringtoneSound: nil, iconTemplateImageData: nil)
            let listener = MeetingListener()
            MeetingCallKitProxy.addListener(listener)
            defer { MeetingCallKitProxy.removeListener(listener) }
            try await host.settle()
            #expect(MeetingCallKitProxy.isProviderConfigured())

            let uuid = UUID()
            let failure = await withCheckedContinuation { (done: CheckedContinuation<String?, Never>) in
                MeetingCallKitProxy.reportNewIncomingCall(
                    UUID: uuid, handle: "room", displayName: "Standup", hasVideo: true
                ) { done.resume(returning: $0.map { "\($0)" }) }
            }
            #expect(failure == nil)
            try await host.settle()
            let call = try #require(host.call(uuid))
            #expect(!call.can.contains("hold"))
            try await call.answer()
            #expect(listener.heard == ["answer", "activate"])
            try await host.settle()
            try await host.wait(for: "the observer") { MeetingCallKitProxy.hasActiveCallForUUID(uuid.uuidString) }

            MeetingCallKitProxy.request(CXTransaction(action: CXSetMutedCallAction(call: uuid, muted: true))) {
                @Sendable _ in
            }
            try await host.settle()
            #expect(call.isMuted)
            #expect(listener.heard.last == "muted true", "the delegate's action has a UUID of its own")
            try await call.unmute()
            #expect(listener.heard.last == "muted false")
            MeetingCallKitProxy.reportCall(with: uuid, endedAt: nil, reason: .remoteEnded)
            try await host.settle()
            #expect(call.endReason == "remote-ended")

            let next = UUID()
            let start = CXStartCallAction(call: next, handle: CXHandle(type: .generic, value: "room"))
            MeetingCallKitProxy.request(CXTransaction(action: start)) { @Sendable _ in }
            try await host.settle()
            MeetingCallKitProxy.reportOutgoingCall(with: next, connectedAt: nil)
            try await host.settle()
            #expect(host.call(next)?.state == .active)
            try await host.call(next)?.end()
            #expect(listener.heard.suffix(4) == ["start", "activate", "end", "deactivate"])
            #expect(host.anomalies == [])
            MeetingCallKitProxy.enabled = false
        }
    }

    @Test func channelPlugin() async throws {
        try await TestHost.run { @MainActor host in
            let plugin = ChannelCallPlugin()
            let events = Events()
            plugin.eventSink = { @Sendable event in
                let name = (event as? [String: Any])?["event"] as? String ?? ""
                events.add(String(name.split(separator: ".").last ?? ""))
            }
            @MainActor func invoke(_ method: String, _ arguments: [String: Any?]) async throws -> String {
                let result = await withCheckedContinuation { (done: CheckedContinuation<String, Never>) in
                    plugin.handle(ChannelMethodCall(method: method, arguments: arguments)) { @Sendable result in
                        done.resume(returning: result as? String ?? "\(String(describing: result))")
                    }
                }
                try await host.settle()
                return result
            }
            let (first, second) = (UUID(), UUID())
            #expect(try await invoke("getDevicePushTokenVoIP", [:]) == "")
            let push = PKPushPayload(dictionaryPayload: ["id": first.uuidString, "handle": "ada", "nameCaller": "Ada"])
            let registry = PKPushRegistry(queue: nil)
            await withCheckedContinuation { done in
                plugin.pushRegistry(registry, didReceiveIncomingPushWith: push, for: .voIP) { done.resume() }
            }
            try await host.settle()
            try await host.call(first)?.answer()
            #expect(host.call(first)?.state == .active)

            #expect(try await invoke("startCall", ["id": second.uuidString, "handle": "bob", "type": 1]) == "OK")
            #expect(try await invoke("callConnected", ["id": second.uuidString]) == "OK")
            #expect(host.call(second)?.state == .active && host.call(second)?.hasVideo == true)
            #expect(plugin.calls[first]?.isOnHold == true)
            #expect(try await invoke("muteCall", ["id": second.uuidString, "isMuted": true]) == "OK")
            #expect(try await invoke("holdCall", ["id": first.uuidString, "isOnHold": false]) == "OK")
            #expect(host.call(first)?.state == .active && host.call(second)?.state == .held)
            try await host.call(first)?.play("1")
            #expect(try await invoke("endCall", ["id": first.uuidString]) == "OK")
            try await host.call(second)?.end()
            #expect(try await invoke("endCall", ["id": second.uuidString]).contains("REQUEST"))
            #expect(plugin.calls.isEmpty && host.calls.isEmpty)
            let expected: Set = ["INCOMING", "ACCEPT", "START", "TOGGLE_HOLD", "TOGGLE_MUTE", "DTMF", "ENDED"]
            #expect(expected.isSubset(of: events.names), "\(events.names)")
            #expect(host.anomalies == [])
        }
    }
}

private final class MeetingListener: NSObject, MeetingCallKitListener {
    var heard: [String] = []
    func providerDidReset() { heard.append("reset") }
    func performAnswerCall(UUID: UUID) { heard.append("answer") }
    func performEndCall(UUID: UUID) { heard.append("end") }
    func performSetMutedCall(UUID: UUID, isMuted: Bool) { heard.append("muted \(isMuted)") }
    func performStartCall(UUID: UUID, isVideo: Bool) { heard.append("start") }
    func providerDidActivateAudioSession(session: AVAudioSession) { heard.append("activate") }
    func providerDidDeactivateAudioSession(session: AVAudioSession) { heard.append("deactivate") }
}
