// Who is behind a connection, as the bus found it when the connection was made.

internal import EventLoop

/// What the bus knows of a connection. The kernel vouches for it.
public struct ConnectionCredentials: Sendable {
    /// A user id; nil if the bus does not know it.
    public let user: UInt32?
    /// The process that connected; nil if the bus does not know it. It may have ended, and its id may mean another one
    /// now.
    public let process: UInt32?
    /// A pidfd of that process, from a bus that has one.
    public let descriptor: OwnedDescriptor?
    /// The label of the security module, such as `snap.phone.app (enforce)`; empty without one, cut at 1,024 bytes.
    public let label: String

    private static let longestLabel = 1_024

    public init(user: UInt32?, process: UInt32?, descriptor: OwnedDescriptor? = nil, label: String = "") {
        self.user = user
        self.process = process
        self.descriptor = descriptor
        self.label = label
    }

    /// Reads what the bus has answered. A value of an unexpected type counts as missing.
    public init(wire: VariantDictionary) {
        let label: [UInt8] = wire["LinuxSecurityLabel", default: []]
        self.init(
            user: wire["UnixUserID"].flatMap { UInt32(inside: $0) },
            process: wire["ProcessID"].flatMap { UInt32(inside: $0) },
            descriptor: wire["ProcessFD"].flatMap { OwnedDescriptor(inside: $0) },
            label: String(decoding: label.prefix { $0 != 0 }.prefix(Self.longestLabel), as: UTF8.self))
    }
}

extension Bus {
    /// Reports who is behind a connection.
    ///
    /// - Parameters:
    ///   - name: The connection's unique name.
    ///   - completion: Called exactly once, never before this returns. Fails with `NameHasNoOwner` if the connection is
    ///     gone, and with `Timeout` if the bus does not answer in time.
    public func credentials(
        of name: String, timeout: Duration,
        completion: @escaping @LoopActor (Result<ConnectionCredentials, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let message = try Message.call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetConnectionCredentials", name)
            call(message, timeout: timeout) { answer in
                completion(
                    answer.flatMap { reply in
                        Result { () throws(DBusError) in
                            ConnectionCredentials(wire: try reply.read(VariantDictionary.self))
                        }
                    })
            }
        } catch {
            Loop.shared.post { completion(.failure(error)) }
        }
    }
}
