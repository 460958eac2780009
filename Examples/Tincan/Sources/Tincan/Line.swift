// Line: one account's provider, its socket and its calls.

import OpenCallKit

@MainActor
final class Line {
    private let account: PluginAccount
    private let name: String
    private let port: UInt16
    private let provider: CXProvider
    private var calls: [Call] = []
    private var socket: Socket?
    private var attempts = 0
    private var retry: Task<Void, any Error>?

    init(_ account: PluginAccount) {
        self.account = account
        name = account.settings["name"]?.stringValue ?? ""
        port = UInt16(clamping: account.settings["port"]?.integerValue ?? 0)
        let configuration = CXProviderConfiguration(localizedName: "Tincan (\(name))")
        configuration.key = account.key
        configuration.supportedHandleTypes = [.generic]
        configuration.supportedSchemes = ["tincan"]
        configuration.maximumCallsPerCallGroup = 1
        configuration.ringtoneSound = "ring.wav"
        configuration.customActions = [CXCustomButton(identifier: "reconnect", label: "Connect now")]
        configuration.availability = .connecting
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
        connect()
    }

    func close() {
        retry?.cancel()
        hangUp()
        socket?.close()
        provider.invalidate()
    }

    // The network

    private func connect() {
        retry?.cancel()
        do throws(SocketError) {
            socket = try Socket(port: port) { [weak self] in self?.receive($0, from: $1) }
            attempts = 0
            show(.online, "Calls arrive on port \(port)")
            account.report(.ready)
        } catch {
            socket = nil
            attempts += 1
            if attempts > 1 {
                show(.offline, error.text)
                account.report(.failed(.unreachable), text: error.text)
            }
            retry = Task { [weak self, attempts] in
                try await Task.sleep(for: .milliseconds(250 << min(attempts, 7)))
                self?.connect()
            }
        }
    }

    private func show(_ availability: CXProviderConfiguration.Availability, _ status: String) {
        let configuration = provider.configuration
        configuration.availability = availability
        configuration.status = status
        provider.configuration = configuration
    }

    private func send(_ verb: String, _ call: Call, _ rest: String = "") {
        socket?.send("\(verb) \(call.id) \(rest)", to: call.peer)
    }

    private func receive(_ text: String, from peer: Peer) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count >= 2 else { return }
        guard let call = calls.first(where: { $0.id == words[1] && $0.peer == peer }) else {
            if words[0] == "call", words.count == 4 {
                ring(words[1], words[2], words[3], peer)
            } else if words[0] != "bye" {
                socket?.send("bye \(words[1])", to: peer)  // a call that ended here while the message was on its way
            }
            return
        }
        switch (words[0], call.stage) {
        case ("ringing", .calling(let start)):
            call.timer?.cancel()
            call.stage = .alerting
            start.fulfill()
            provider.reportOutgoingCall(with: call.uuid, startedConnectingAt: nil)
            report(call) { $0.progress = .alerting }
        case ("busy", .calling(let start)):
            forget(call)
            start.fail(as: .busy)
        case ("unknown", .calling(let start)):
            forget(call)
            start.fail(as: .unreachable, "nobody there has this name")
        case ("answer", .alerting):
            call.stage = .connected
            provider.reportOutgoingCall(with: call.uuid, connectedAt: nil)
        case ("decline", .alerting):
            end(call, .remoteEnded, CXCallEndedDetails(reason: .rejected, code: "decline"))
        case ("hold", .connected): report(call) { $0.isRemoteHeld = true }
        case ("resume", .connected): report(call) { $0.isRemoteHeld = false }
        case ("bye", .ringing): end(call, .unanswered)
        case ("bye", _): end(call, .remoteEnded)
        default: break
        }
    }

    private func ring(_ id: String, _ called: String, _ caller: String, _ peer: Peer) {
        let call = Call(id: id, peer: peer, stage: .ringing)
        guard called == name else { return send("unknown", call) }
        calls.append(call)
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "tincan:\(caller)@\(peer)")
        update.networkName = caller
        provider.reportNewIncomingCall(with: call.uuid, update: update) { [weak self] error in
            if error != nil { self?.forget(call) }
            self?.send(error == nil ? "ringing" : "busy", call)
        }
    }

    // The system

    private func report(_ call: Call, _ change: (CXCallUpdate) -> Void) {
        let update = CXCallUpdate()
        change(update)
        provider.reportCall(with: call.uuid, updated: update)
    }

    private func end(_ call: Call, _ reason: CXCallEndedReason, _ details: CXCallEndedDetails = CXCallEndedDetails()) {
        forget(call)
        if case .calling(let start) = call.stage { return start.fail(as: .unreachable) }
        provider.reportCall(with: call.uuid, endedAt: nil, reason: reason, details: details)
    }

    private func forget(_ call: Call) {
        call.timer?.cancel()
        calls.removeAll { $0 === call }
    }

    private func hangUp() {
        for call in calls {
            send("bye", call)
            forget(call)
        }
    }

    /// The call of an action; fails the action and returns nil if there is none.
    private func call(of action: CXCallAction) -> Call? {
        let call = calls.first { $0.uuid == action.callUUID }
        if call == nil { action.fail("Tincan has no such call") }
        return call
    }
}

extension Line: @MainActor CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) { hangUp() }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let parts = action.handle.value.split(separator: "@")
        guard parts.count == 2, parts[0].hasPrefix("tincan:"), let peer = Peer(parts[1]) else {
            return action.fail(as: .unsupported, "expected tincan:NAME@ADDRESS:PORT, with the address in numbers")
        }
        guard socket != nil else { return action.fail(as: .unreachable, "this machine is not connected") }
        let call = Call(action.callUUID, id: action.callUUID.uuidString, peer: peer, stage: .calling(action))
        calls.append(call)
        send("call", call, "\(parts[0].dropFirst("tincan:".count)) \(name)")
        call.timer = Task { [weak self] in
            try await Task.sleep(for: .seconds(2))
            self?.forget(call)
            action.fail(as: .unreachable, "nobody listens there")
        }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        guard let call = call(of: action) else { return }
        call.stage = .connected
        send("answer", call)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        guard let call = call(of: action) else { return }
        if case .ringing = call.stage { send("decline", call) } else { send("bye", call) }
        forget(call)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        guard let call = call(of: action) else { return }
        send(action.isOnHold ? "hold" : "resume", call)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        if call(of: action) != nil { action.fulfill() }
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        guard let call = call(of: action) else { return }
        send("tones", call, action.digits)
        action.fulfill()
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        guard let action = action as? CXStartCallAction, let call = calls.first(where: { $0.uuid == action.callUUID })
        else { return }
        send("bye", call)
        forget(call)
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        guard action.identifier == "reconnect" else { return action.fail("Tincan has no button \(action.identifier)") }
        if socket == nil { connect() }
        if socket != nil { action.fulfill() } else { action.fail(provider.configuration.status) }
    }
}
