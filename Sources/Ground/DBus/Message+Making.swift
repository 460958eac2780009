// Making messages. Names and paths are checked here; libdbus would end the process over them.

internal import CDBus

extension Message {
    /// Returns a method call.
    ///
    /// Throws `InvalidArgs` if a name is invalid or an argument cannot travel.
    public static func call<each Argument: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument
    ) throws(DBusError) -> Message {
        try checkNames(destination, interface, member)
        guard LibDBus.isReady, let raw = dbus_message_new_method_call(destination, path.text, interface, member) else {
            throw .noMemory
        }
        let message = Message(owning: raw)
        try message.append(repeat each arguments)
        return message
    }

    /// Returns a signal, for all listeners or for one destination.
    public static func signal<each Argument: DBusType>(
        from path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument,
        to destination: String? = nil
    ) throws(DBusError) -> Message {
        try checkNames(destination, interface, member)
        guard LibDBus.isReady, let raw = dbus_message_new_signal(path.text, interface, member) else { throw .noMemory }
        let message = Message(owning: raw)
        if let destination, dbus_message_set_destination(raw, destination) == 0 { throw .noMemory }
        try message.append(repeat each arguments)
        return message
    }

    private static func checkNames(_ destination: String?, _ interface: String, _ member: String) throws(DBusError) {
        if let destination { try check(destination, "a bus name", BusName.isValid) }
        try check(interface, "an interface name", InterfaceName.isValid)
        try check(member, "a member name", MemberName.isValid)
    }

    /// Returns the answer to this call.
    public func reply<each Value: DBusType>(_ values: repeat each Value) throws(DBusError) -> Message {
        let message = try emptyReply()
        try message.append(repeat each values)
        return message
    }

    func emptyReply() throws(DBusError) -> Message {
        guard let raw = dbus_message_new_method_return(raw) else { throw .noMemory }
        return Message(owning: raw)
    }

    /// Returns this call without its arguments and descriptors: what is needed to answer it.
    func envelope() throws(DBusError) -> Message {
        let raw = dbus_message_new_method_call(
            dbus_message_get_destination(raw), dbus_message_get_path(raw), dbus_message_get_interface(raw),
            dbus_message_get_member(raw))
        guard let raw, dbus_message_set_sender(raw, dbus_message_get_sender(self.raw)) != 0 else { throw .noMemory }
        if serial != 0 { dbus_message_set_serial(raw, serial) }
        dbus_message_set_no_reply(raw, dbus_message_get_no_reply(self.raw))
        return Message(owning: raw, limits: limits)
    }

    /// Returns a copy of this answer that answers another call.
    func copy(answering call: Message) throws(DBusError) -> Message {
        guard let raw = dbus_message_copy(raw) else { throw .noMemory }
        let copy = Message(owning: raw)
        let isComplete =
            dbus_message_set_reply_serial(raw, call.serial) != 0
            && dbus_message_set_destination(raw, dbus_message_get_sender(call.raw)) != 0
        guard isComplete else { throw .noMemory }
        return copy
    }

    /// Returns the answer that this call failed. An invalid name becomes `Failed`; text after a NUL is cut.
    public func errorReply(_ error: DBusError) -> Message {
        let name = ErrorName.isValid(error.name) ? error.name : DBusError.Name.failed
        let text = String(String.UnicodeScalarView(error.message.unicodeScalars.prefix { $0 != "\0" }.prefix(4096)))
        // An answer needs the serial of its call, which a call that was never sent has not got.
        if serial == 0 { dbus_message_set_serial(raw, 1) }
        guard let raw = dbus_message_new_error(raw, name, text) else {
            // Without memory for a hundred bytes libdbus cannot go on either.
            preconditionFailure("out of memory")
        }
        return Message(owning: raw)
    }

    /// Returns an error that answers the same call as this answer.
    func replaced(by error: DBusError) throws(DBusError) -> Message {
        guard let raw = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR) else { throw .noMemory }
        let failure = Message(owning: raw)
        let isComplete =
            dbus_message_set_error_name(raw, error.name) != 0
            && dbus_message_set_reply_serial(raw, replySerial) != 0
            && dbus_message_set_destination(raw, dbus_message_get_destination(self.raw)) != 0
        guard isComplete else { throw .noMemory }
        try failure.append(error.message)
        return failure
    }

    /// Appends arguments.
    nonisolated public func append<each Value: DBusType>(_ values: repeat each Value) throws(DBusError) {
        try write { (writer) throws(DBusError) in
            repeat try (each values).append(to: &writer)
        }
    }

    nonisolated func write<Failure: Error>(_ body: (inout MessageWriter) throws(Failure) -> Void) throws(Failure) {
        var iterator = DBusMessageIter()
        try withUnsafeMutablePointer(to: &iterator) { (iterator) throws(Failure) in
            dbus_message_iter_init_append(raw, iterator)
            var writer = MessageWriter(iterator)
            try body(&writer)
        }
    }
}
