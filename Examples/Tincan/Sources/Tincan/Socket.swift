// Socket: sends and receives messages, one line of text in each UDP packet.

import Glibc
import OpenCallKit

/// The address of a machine and a port, such as 192.0.2.1:7300.
struct Peer: Equatable, CustomStringConvertible {
    private var host = in_addr()
    private var port: UInt16 = 0

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]), inet_pton(AF_INET, String(parts[0]), &host) == 1 else {
            return nil
        }
        self.port = port
    }

    init(_ address: sockaddr_in) { (host, port) = (address.sin_addr, UInt16(bigEndian: address.sin_port)) }

    var address: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        (address.sin_addr, address.sin_port) = (host, port.bigEndian)
        return address
    }

    var description: String {
        let bytes = (0..<4).map { String(UInt32(bigEndian: host.s_addr) >> (24 - 8 * $0) & 255) }
        return "\(bytes.joined(separator: ".")):\(port)"
    }

    static func == (one: Peer, other: Peer) -> Bool { one.description == other.description }
}

struct SocketError: Error {
    let text: String

    /// What the last call of the C library says.
    init(_ doing: String) { text = "\(doing): \(String(cString: strerror(errno)))" }
}

@MainActor
final class Socket {
    private let descriptor: CInt
    private let source: any DispatchSourceRead

    /// - Parameter receive: gets each message, on the main queue.
    init(port: UInt16, receive: @escaping @MainActor (String, Peer) -> Void) throws(SocketError) {
        let kind = SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(AF_INET, CInt(kind), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        guard let any = Peer("0.0.0.0:\(port)"), Self.withAddress(of: any, { bind(descriptor, $0, $1) }) == 0 else {
            defer { Glibc.close(descriptor) }
            throw SocketError("port \(port)")
        }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler {
            MainActor.assumeIsolated {
                while let (text, peer) = Self.next(of: descriptor) { receive(text, peer) }
            }
        }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.resume()
    }

    func send(_ text: String, to peer: Peer) {
        let bytes = Array(text.utf8)
        _ = Self.withAddress(of: peer) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
    }

    func close() { source.cancel() }

    private static func next(of descriptor: CInt) -> (String, Peer)? {
        var bytes = [UInt8](repeating: 0, count: 1500)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &bytes, bytes.count, 0, $0, &length)
            }
        }
        return count < 0 ? nil : (String(decoding: bytes[..<count], as: UTF8.self), Peer(address))
    }

    private static func withAddress<Result>(
        of peer: Peer, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: peer.address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
