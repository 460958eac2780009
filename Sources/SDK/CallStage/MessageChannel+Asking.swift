// Method calls without a time limit, whose outcome a closure takes.

package import DBus
import EventLoop

extension MessageChannel {
    package func ask<each Argument: DBusType>(
        _ host: String?, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let message = try Message.call(to: host, at: path, interface, member, repeat each arguments)
            message.autoStart = false
            call(message, timeout: .zero, reply: then)
        } catch {
            then(.failure(error))
        }
    }
}
