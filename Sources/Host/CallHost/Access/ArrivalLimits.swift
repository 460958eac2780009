// What is refused when it arrives, before anybody reads it: too many bytes, too much that waits, descriptors.

import CallModel
import CallWire
import DBus
import EventLoop

/// The limits of the calls that clients send. Each is one program's own: what others send counts only when all of them
/// together have much waiting.
@LoopActor
enum ArrivalLimits {
    /// The most bytes of arguments that one call may have.
    private static let maximumBytes = 64 << 10
    /// The same for calls that bring an icon.
    private static let maximumBytesWithIcon = 256 << 10
    private static let withIcon = [ProviderMember.System.registerProvider, ProviderMember.Host.updateConfiguration]
    /// The most calls and bytes of one program that wait for their turn.
    private static let maximumWaiting = 1_024
    private static let maximumWaitingBytes = 256 << 10
    /// The methods of accounts that take descriptors, with their arguments.
    private static let withDescriptor = ["SetSecret": "sha{sv}"]
    /// A call with a descriptor is refused if the client has so many calls waiting: each may keep descriptors open.
    private static let maximumWaitingWithDescriptor = 16
    /// When all clients together have more waiting than this, each may have a sixteenth of its share.
    private static let manyWaitingBytes = 8 << 20

    /// Why a call is refused; nil if it may wait for its turn.
    ///
    /// - Parameters:
    ///   - waiting: What its sender's program and all others have waiting.
    ///   - sender: The program, as the error names it.
    static func refusal(of call: Message, waiting: WaitingMessages, from sender: String) -> DBusError? {
        let member = call.member ?? ""
        if call.hasDescriptors {
            guard call.interface == Contract.account, let signature = withDescriptor[member] else {
                return CallError(.invalidArguments, "\(member): expected no file descriptors").dbusError
            }
            guard call.has(signature: signature) else {
                return CallError(.invalidArguments, "\(member): expected arguments of the signature \(signature)")
                    .dbusError
            }
            guard waiting.count < maximumWaitingWithDescriptor else {
                return CallError(.limitsExceeded, "\(sender): \(waiting.count) calls are waiting").dbusError
            }
        }
        let bytes = call.argumentBytes
        let most = withIcon.contains(member) ? maximumBytesWithIcon : maximumBytes
        guard bytes <= most else {
            return CallError(.invalidArguments, "\(member): \(bytes) bytes of arguments, expected at most \(most)")
                .dbusError
        }
        let share = waiting.bytesOfAll > manyWaitingBytes ? 16 : 1
        guard waiting.count < maximumWaiting / share, waiting.bytes <= maximumWaitingBytes / share else {
            return CallError(
                .limitsExceeded,
                "\(sender): \(waiting.count) calls of \(waiting.bytes) bytes are waiting, expected "
                    + "at most \(maximumWaiting / share) calls and \(maximumWaitingBytes / share) bytes"
            ).dbusError
        }
        return nil
    }
}
