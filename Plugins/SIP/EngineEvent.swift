// The engine's events as values.

import CSIP
import Glibc
import SIPCalls

extension csip_event {
    /// Nil for an event of a call.
    var accountEvent: SIPAccountEvent? {
        switch kind {
        case CSIP_REGISTERED: .registered
        case CSIP_NOT_REGISTERED: .notRegistered(code: code, failure: SIPFailure(error))
        case CSIP_TRACE: .message(string(text), isSent: is_sent)
        case CSIP_NOTE: .note(string(text))
        default: nil
        }
    }

    /// Nil for an event of an account.
    var callEvent: SIPCallEvent? {
        switch kind {
        case CSIP_INCOMING:
            .incoming(SIPCaller(headers: string(identity), isTrusted: is_trusted))
        case CSIP_PROGRESS: .progress(code: code, hasMedia: has_media)
        case CSIP_CONNECTED: .connected
        case CSIP_MEDIA: .media(codec: string(codec), encryption: string(encryption), isRemoteHeld: is_remote_held)
        case CSIP_DIGIT: .digit(string(text))
        case CSIP_ENDED: .ended(code: code, failure: SIPFailure(error), reason: string(reason))
        case CSIP_DONE: .done(token: token, code: code, failure: SIPFailure(error))
        case CSIP_TRANSFER_REQUESTED: .transferRequested(target: string(text))
        case CSIP_REPLACED: .replaced(SIPCaller(headers: string(identity), isTrusted: is_trusted))
        case CSIP_IDENTIFIED: .identified(SIPCaller(headers: string(identity), isTrusted: is_trusted))
        case CSIP_QUALITY:
            .quality(SIPQuality(roundTrip: known(round_trip), jitter: known(jitter), loss: known(loss)))
        default: nil
        }
    }

    private func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

    private func known(_ value: Double) -> Double? { value >= 0 && value.isFinite ? value : nil }
}

extension SIPFailure {
    /// Nil for no error.
    fileprivate init?(_ error: CInt) {
        switch error {
        case 0: return nil
        case ETIMEDOUT: self = .timeout
        case ECONNREFUSED, ECONNRESET, ECONNABORTED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, ENOTCONN, EPIPE,
            EADDRNOTAVAIL:
            self = .unreachable
        case EDESTADDRREQ, ENOENT, ENODATA: self = .nameNotFound
        case EPROTO, EACCES: self = .certificate
        case EBADMSG, ENOTSUP, ENOSYS: self = .incompatible
        default: self = .other(error)
        }
    }
}
