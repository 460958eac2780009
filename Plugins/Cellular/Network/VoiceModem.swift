// VoiceModem: a modem that carries calls, whatever service drives it.

import EventLoop

/// Why a service was not performed.
enum ModemFailure: Error, Hashable, Sendable {
    /// The network or the modem refuses it.
    case refused(String)
    /// The number could not be reached.
    case notReached(EndCause)
    /// The modem does not answer any more.
    case gone
}

/// A modem of one of the back ends. It keeps the list of its calls by itself, and says when that changes.
@LoopActor
protocol VoiceModem: AnyObject {
    /// Tells the modem from others, in letters and digits. It is the same each time the modem is plugged in.
    var key: String { get }
    /// The name to show.
    var name: String { get }
    var condition: ModemCondition { get }
    var calls: [MobileCall] { get }
    /// Called when the list of calls or the condition has changed.
    var onChange: (@LoopActor () -> Void)? { get set }

    /// Returns why a call that is not in the list any more has ended, and forgets it.
    func removeEndCause(of call: String) -> EndCause
    /// Reads the list of calls again.
    func refresh() async
    func perform(_ service: SupplementaryService) async throws(ModemFailure)
    /// Dials a number, as `PhoneDigits.dialable` returns it, and tells the name of the new call before the network is asked.
    ///
    /// - Parameter hidesNumber: whether the far side is not to see the own number; nil = as the network does it for others.
    func dial(
        _ number: String, hidesNumber: Bool?, created: @escaping @LoopActor (String) -> Void
    ) async throws(ModemFailure)
    /// Sends digits one after the other.
    func sendTones(_ digits: String, to call: String) async throws(ModemFailure)
    /// Closes the microphone to the far side. Throws if this is not the modem's to do.
    func setMuted(_ isMuted: Bool) async throws(ModemFailure)
    /// Sends a service code, or a reply to the network that has asked back, and returns what the network says.
    func exchange(_ text: String, isReply: Bool) async throws(ModemFailure) -> NetworkAnswer
    /// Ends the exchange with the network.
    func cancelExchange() async
    /// Looks whether the modem still answers, while it has calls.
    func probe() async throws(ModemFailure)
    /// Stops following the modem.
    func close()
}
