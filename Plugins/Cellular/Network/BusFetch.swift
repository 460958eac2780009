// Questions whose answers are taken in order with the signals that arrive.

import DBus
import EventLoop

extension Bus {
    /// Calls a method with one text, or with none, and hands over its answer before any signal that arrives after it. What
    /// was read then is not older than what a signal has told before.
    func fetch<Value: DBusType>(
        from service: String, at path: ObjectPath, _ interface: String, _ member: String, _ argument: String? = nil,
        timeout: Duration = .seconds(2), then handle: @escaping @LoopActor (Result<Value, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let message = try Message.call(to: service, at: path, interface, member)
            if let argument { try message.append(argument) }
            call(message, timeout: timeout) { answer in
                handle(answer.flatMap { message in Result { () throws(DBusError) in try message.read(Value.self) } })
            }
        } catch {
            handle(.failure(error))
        }
    }
}
