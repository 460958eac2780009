// How ModemManager is asked for calls and services.

import DBus
import EventLoop

extension ModemManagerModem {
    func perform(_ service: SupplementaryService) async throws(ModemFailure) {
        switch service {
        case .exchange: try await ask(path, Name.voice, "HoldAndAccept")
        case .releaseAndAccept: try await ask(path, Name.voice, "HangupAndAccept")
        case .accept(let call): try await ask(call, "Accept")
        case .hangUp(let call):
            if calls.count > 1 || calls[call]?.phase == .held { await numbering() }
            try await ask(call, "Hangup")
        case .join(let call):
            // Calls that are joined before they are numbered are never told apart.
            await numbering()
            try await ask(call, "JoinMultiparty")
        case .leave(let call): try await ask(call, "LeaveMultiparty")
        }
    }

    /// Waits until ModemManager knows which of the modem's calls is which. It reads the modem's list every two seconds while
    /// a call waits or is held. Before that, it ends any call with a command that ends the active one.
    private func numbering() async {
        guard let due = readsListSince?.advanced(byMilliseconds: Self.numberingTime) else { return }
        let left = due.milliseconds(since: .now)
        if left > 0 { await LoopTimer.pause(milliseconds: left) }
    }

    func dial(_ number: String, created: @escaping @LoopActor (String) -> Void) async throws(ModemFailure) {
        guard let number = PhoneDigits.dialable(number) else {
            throw .refused("the number has signs that a mobile network cannot dial")
        }
        let call: ObjectPath
        do throws(DBusError) {
            call = try await bus.call(
                to: Name.service, at: path, Name.voice, "CreateCall", ["number": Variant.string(number)],
                timeoutMilliseconds: Self.patience)
        } catch {
            throw failure(error)
        }
        created(call.text)
        do throws(ModemFailure) {
            try await ask(call, Name.call, "Start", milliseconds: Self.dialPatience)
        } catch {
            try? await bus.call(to: Name.service, at: path, Name.voice, "DeleteCall", call)
            throw error
        }
    }

    func sendTones(_ digits: String, to call: String) async throws(ModemFailure) {
        guard let tones = PhoneDigits.tones(digits) else { throw .refused("the digits are no tones") }
        guard let path = ObjectPath(call) else { return }
        for tone in tones {
            if tone == "," {
                await LoopTimer.pause(milliseconds: PhoneDigits.pause)
                continue
            }
            do throws(DBusError) {
                try await bus.call(
                    to: Name.service, at: path, Name.call, "SendDtmf", String(tone),
                    timeoutMilliseconds: Self.patience)
            } catch {
                throw failure(error)
            }
        }
    }

    func setMuted(_ isMuted: Bool) async throws(ModemFailure) {
        throw .refused("ModemManager does not mute: mute the microphone")
    }

    private func ask(_ call: String, _ member: String) async throws(ModemFailure) {
        guard let path = ObjectPath(call) else { throw .refused("the modem has no such call") }
        try await ask(path, Name.call, member)
    }

    private func ask(
        _ object: ObjectPath, _ interface: String, _ member: String, milliseconds: Int = ModemManagerModem.patience
    ) async throws(ModemFailure) {
        if isLost { throw .gone }
        do throws(DBusError) {
            try await bus.call(to: Name.service, at: object, interface, member, timeoutMilliseconds: milliseconds)
        } catch {
            // A call that is not there any more has ended.
            if member == "Hangup",
                error.name == DBusError.Name.unknownObject
                    || error.name == DBusError.Name.unknownMethod
            {
                return
            }
            throw failure(error)
        }
    }

    private func failure(_ error: DBusError) -> ModemFailure {
        let failure = ModemFailure(error)
        if failure == .gone { lose() }
        return failure
    }
}
