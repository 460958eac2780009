// How oFono is asked for calls and services.

import DBus
import EventLoop

extension OfonoModem {
    func perform(_ service: SupplementaryService) async throws(ModemFailure) {
        switch service {
        case .exchange:
            // One service of the network has two names here.
            let isWaiting = !calls.ids(.waiting, .incoming).isEmpty
            try await ask(path, Name.calls, isWaiting ? "HoldAndAnswer" : "SwapCalls")
        case .releaseAndAccept: try await ask(path, Name.calls, "ReleaseAndAnswer")
        case .accept(let call): try await ask(call, "Answer")
        case .hangUp(let call): try await ask(call, "Hangup")
        case .join: try await conference("CreateMultiparty")
        case .leave(let call):
            guard let call = ObjectPath(call) else { return }
            try await conference("PrivateChat", call)
        }
    }

    func dial(_ number: String, created: @escaping @LoopActor (String) -> Void) async throws(ModemFailure) {
        guard let number = PhoneDigits.dialable(number) else {
            throw .refused("the number has signs that a mobile network cannot dial")
        }
        let call: ObjectPath
        do throws(DBusError) {
            call = try await bus.call(
                to: service, at: path, Name.calls, "Dial", number, "", timeoutMilliseconds: Self.dialPatience)
        } catch {
            throw error.name == "org.ofono.Error.Failed" ? .notReached(.notReached) : ModemFailure(error)
        }
        // The call may be announced after the answer.
        if records[call.text] == nil {
            add(call, ["State": "dialing", "LineIdentification": .string(number)])
        }
        created(call.text)
    }

    func sendTones(_ digits: String, to call: String) async throws(ModemFailure) {
        guard let tones = PhoneDigits.tones(digits) else { throw .refused("the digits are no tones") }
        for part in tones.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { await LoopTimer.pause(milliseconds: PhoneDigits.pause) }
            if part.element.isEmpty { continue }
            do throws(DBusError) {
                try await bus.call(
                    to: service, at: path, Name.calls, "SendTones", String(part.element),
                    timeoutMilliseconds: Self.patience)
            } catch {
                throw ModemFailure(error)
            }
        }
    }

    func setMuted(_ isMuted: Bool) async throws(ModemFailure) {
        do throws(DBusError) {
            try await bus.call(
                to: service, at: path, Name.volume, "SetProperty", "Muted", Variant.bool(isMuted),
                timeoutMilliseconds: Self.patience)
        } catch {
            throw ModemFailure(error)
        }
    }

    private func conference<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) async throws(ModemFailure) {
        do throws(DBusError) {
            let _: [ObjectPath] = try await bus.call(
                to: service, at: path, Name.calls, member, repeat each arguments, timeoutMilliseconds: Self.patience)
        } catch {
            throw ModemFailure(error)
        }
    }

    private func ask(_ call: String, _ member: String) async throws(ModemFailure) {
        guard let path = ObjectPath(call) else { throw .refused("the modem has no such call") }
        try await ask(path, Name.call, member)
    }

    private func ask(_ object: ObjectPath, _ interface: String, _ member: String) async throws(ModemFailure) {
        do throws(DBusError) {
            try await bus.call(to: service, at: object, interface, member, timeoutMilliseconds: Self.patience)
        } catch {
            let isOver = [DBusError.Name.unknownObject, DBusError.Name.unknownMethod].contains(error.name)
            if member == "Hangup", isOver { return }
            throw ModemFailure(error)
        }
    }
}
