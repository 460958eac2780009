// Engine: the engine in C, its commands and its events.

import CSIP
import EventLoop
import Glibc
import OpenCallKit
import SIPCalls

/// The engine's thread, which there is once in a process. Commands may be given on any thread; events come on the loop.
enum Engine {
    /// What accounts and calls are told of. Set on the loop, before the engine is started.
    @LoopActor static var onAccountEvent: (@LoopActor (UInt32, SIPAccountEvent) -> Void)?
    @LoopActor static var onCallEvent: (@LoopActor (UInt32, UInt64, SIPCallEvent) -> Void)?

    /// Returns 0, or an error number.
    static func start() -> Int32 {
        csip_start("OpenCallKit", { event, _ in if let event { Engine.post(event.pointee) } }, nil)
    }

    /// Ends all calls and registrations. No event comes after it.
    static func stop(within limit: Duration) { csip_stop(UInt32(clamping: limit.milliseconds)) }

    static func setAudio(_ isOn: Bool) { csip_audio(isOn, nil, nil) }

    /// Registers an account, or replaces the one with this number.
    static func put(_ account: UInt32, _ settings: SIPSettings, instance: UUID) {
        var texts = Texts()
        defer { texts.free() }
        var record = csip_account()
        record.id = account
        record.user = texts.copy(settings.user)
        record.domain = texts.copy(settings.domain.name)
        record.display_name = texts.copy(settings.displayName)
        record.auth_user = texts.copy(settings.authUser)
        record.password = texts.copy(settings.password)
        record.instance = texts.copy(instance.uuidString.lowercased())
        record.proxy = texts.copy(settings.proxy)
        record.transport = settings.transport.engineValue
        record.encryption = settings.encryption.engineValue
        record.stun_server = texts.copy(settings.stunServer)
        record.turn_server = texts.copy(settings.turnServer)
        record.turn_user = texts.copy(settings.turnUser)
        record.turn_password = texts.copy(settings.turnPassword)
        record.codecs = texts.copy(settings.codecs)
        record.expires = registrationSeconds
        record.is_traced = settings.isTraced
        csip_account_put(&record)
    }

    /// For how long a registration is asked, in seconds.
    private static let registrationSeconds: UInt32 = 600

    static func remove(_ account: UInt32) { csip_account_remove(account) }

    static func perform(_ command: SIPCommand, of account: UInt32) {
        switch command {
        case .start(let call, let uri, let hidesNumber): csip_call_start(account, call, uri, hidesNumber)
        case .ring(let call): csip_call_ring(call)
        case .answer(let call, let token): csip_call_answer(call, token)
        case .end(let call, let code): csip_call_end(call, code)
        case .hold(let call, let isHeld, let token): csip_call_hold(call, isHeld, token)
        case .mute(let call, let isMuted): csip_call_mute(call, isMuted)
        case .digits(let call, let digits, let token): csip_call_send_digits(call, digits, token)
        case .group(let call, let group): csip_call_group(call, group)
        case .transfer(let call, let uri, let token): csip_call_transfer(call, uri, token)
        case .transferTo(let call, let other, let token): csip_call_transfer_to(call, other, token)
        case .takeTransfer(let call, let uri, let replaces): csip_call_take_transfer(call, uri, replaces, 0)
        case .refuseTransfer(let call, let code): csip_call_take_transfer(call, nil, nil, code)
        case .answerTransfer(let call, let isAccepted, let token): csip_call_answer_transfer(call, isAccepted, token)
        }
    }

    private static let backlog = Backlog()

    /// Copies an event, on the engine's thread, and hands it to the loop.
    private static func post(_ event: csip_event) {
        let (account, call) = (event.account, event.call)
        if event.kind == CSIP_TRACE || event.kind == CSIP_NOTE {
            guard backlog.enter(), let event = event.accountEvent else { return }
            Loop.shared.post {
                let missed = backlog.leave()
                if missed > 0 { onAccountEvent?(account, .note("\(missed) messages are not shown")) }
                onAccountEvent?(account, event)
            }
        } else if let event = event.accountEvent {
            Loop.shared.post { onAccountEvent?(account, event) }
        } else if let event = event.callEvent {
            Loop.shared.post { onCallEvent?(account, call, event) }
        }
    }
}

/// Texts for the time of a call to the engine. Passwords are overwritten when they are freed.
private struct Texts {
    private var texts: [UnsafeMutablePointer<CChar>] = []

    mutating func copy(_ text: String?) -> UnsafePointer<CChar>? {
        guard let text, let copy = strdup(text) else { return nil }
        texts.append(copy)
        return UnsafePointer(copy)
    }

    mutating func free() {
        for text in texts {
            explicit_bzero(text, strlen(text))
            Glibc.free(text)
        }
        texts = []
    }
}

extension SIPSettings.Transport {
    fileprivate var engineValue: csip_transport {
        switch self {
        case .udp: CSIP_UDP
        case .tcp: CSIP_TCP
        case .tls: CSIP_TLS
        }
    }
}

extension SIPSettings.Encryption {
    fileprivate var engineValue: csip_encryption {
        switch self {
        case .off: CSIP_ENCRYPTION_OFF
        case .preferred: CSIP_ENCRYPTION_PREFERRED
        case .required: CSIP_ENCRYPTION_REQUIRED
        case .dtls: CSIP_ENCRYPTION_DTLS
        }
    }
}
