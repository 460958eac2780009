// LinkHandover: gives a link, or a click on the icon, to the agent of the session.

import DBus
import DesktopAgent
import EventLoop

/// One request to the agent, which the bus starts if it is not there.
@LoopActor
enum LinkHandover {
    private static let timeout = Duration.seconds(25)

    /// - Parameters:
    ///   - link: nil is a click on the icon.
    ///   - ended: called with an error for people, or nil if the agent has taken it.
    static func open(_ link: String?, on address: String?, ended: @escaping @LoopActor (String?) -> Void) {
        Bus.connect(to: address) { result in
            do throws(DBusError) {
                let bus = try result.get()
                let message =
                    if let link { try call("Open", [link], VariantDictionary()) } else {
                        try call("Activate", VariantDictionary())
                    }
                bus.call(message, timeout: timeout) { result in
                    // Holding the bus, this keeps it open until it has answered.
                    bus.close()
                    guard case .failure(let error) = result else { return ended(nil) }
                    ended(error.message)
                }
            } catch {
                ended(error.message)
            }
        }
    }

    private static func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) throws(DBusError) -> Message {
        try Message.call(
            to: PhoneApplication.busName, at: PhoneApplication.path, PhoneApplication.interfaceName, member,
            repeat each arguments)
    }
}
