// VCardFile: reads the contacts of a file of vCards.

import CVCard
import CallModel
import DBus
import EventLoop
import Files
import Numbers

enum VCardFile {
    /// A contact with at least one handle.
    struct Contact {
        let uid: String
        let name: String
        /// The type, the normalized value, the label, and what is dialed after the number.
        let handles: [Struct<String, String, String, String>]
        /// The bytes of its picture, of any content; empty for none.
        let picture: [UInt8]

        var wire: Struct<String, String, [Struct<String, String, String, String>], [UInt8]> {
            Struct(uid, name, handles, picture)
        }

        /// The most bytes that it takes in a message; lengths, padding, type and label of a handle take up to 64, and what
        /// is dialed after it 72.
        var wireSize: Int {
            handles.reduce(uid.utf8.count + name.utf8.count + picture.count + 64) { $0 + $1.fields.1.utf8.count + 136 }
        }
    }

    struct Complaint: Error {
        let text: String
    }

    /// The largest file that is read, in bytes.
    private static let maximumSize: UInt64 = 32 << 20
    /// The largest picture, in bytes.
    private static let maximumPicture = 1 << 20
    /// The most handles of a contact.
    private static let maximumHandles = 64
    /// The longest handle, in bytes.
    private static let maximumHandle = 256

    static func isNamedSo(_ name: String) -> Bool {
        [".vcf", ".vcard"].contains { name.utf8.count > $0.utf8.count && name.lowercased().hasSuffix($0) }
    }

    /// Reads a file of any content. Ignores contacts without a name or a handle.
    static func contacts(in path: String, _ plan: NumberPlan) -> Result<[Contact], Complaint> {
        do throws(SystemError) {
            let file = try FileReader(path)
            guard file.status.size <= maximumSize else {
                return .failure(Complaint(text: "it has \(file.status.size) bytes, at most \(maximumSize) are read"))
            }
            let bytes = try file.bytes(at: 0, count: Int(file.status.size))
            return read(bytes, path, plan)
        } catch {
            return .failure(Complaint(text: "\(error)"))
        }
    }

    private static func read(_ bytes: [UInt8], _ path: String, _ plan: NumberPlan) -> Result<[Contact], Complaint> {
        guard !bytes.isEmpty else { return .success([]) }
        guard let cards = ock_vcards_read(bytes, bytes.count) else {
            return .failure(Complaint(text: "reading it takes too much memory"))
        }
        defer { ock_vcards_free(cards) }
        func picture(of card: Int) -> [UInt8] {
            let size = ock_vcard_picture_size(cards, card)
            guard size > 0 else { return Self.picture(in: String(cString: ock_vcard_picture_file(cards, card))) }
            var bytes = [UInt8](repeating: 0, count: size)
            ock_vcard_copy_picture(cards, card, &bytes)
            return size > maximumPicture ? [] : bytes
        }
        let count = ock_vcards_count(cards)
        guard count > 0 else { return .failure(Complaint(text: "it has no vCard")) }
        var contacts: [Contact] = []
        for card in 0..<count {
            let name = String(cString: ock_vcard_name(cards, card)).displayable
            let handles = (0..<ock_vcard_handle_count(cards, card)).flatMap { index in
                let label = String(cString: ock_vcard_handle_label(cards, card, index))
                return self.handles(
                    String(cString: ock_vcard_handle(cards, card, index)), ock_vcard_handle_kind(cards, card, index),
                    plan
                ).map { Struct($0.handle.type.rawValue, $0.handle.value, label, $0.postDial) }
            }.prefix(maximumHandles)
            guard !name.isEmpty, !handles.isEmpty else { continue }
            let uid = String(cString: ock_vcard_uid(cards, card)).displayable
            contacts.append(
                Contact(
                    uid: uid.isEmpty ? "file:\(path)".displayable : uid, name: name, handles: Array(handles),
                    picture: picture(of: card)))
        }
        return .success(contacts)
    }

    /// Returns the picture in a file of any kind; empty if it cannot be read or is too large.
    private static func picture(in path: String) -> [UInt8] {
        guard path.hasPrefix("/"), let file = try? FileReader(path), file.status.size <= maximumPicture else {
            return []
        }
        return (try? file.bytes(at: 0, count: Int(file.status.size))) ?? []
    }

    /// Returns the normalized handles of a property, and what is dialed after each; none for one that no call can have.
    private static func handles(
        _ text: String, _ kind: CInt, _ plan: NumberPlan
    ) -> [(handle: Handle, postDial: String)] {
        switch kind {
        case CInt(OCK_PHONE):
            // Phones put marks of the writing direction around numbers, and backslashes before the signs that wait.
            let text = text.displayable.filter { $0 != "\\" }
            // Most are one number and nothing else.
            if !text.dropFirst().utf8.contains(where: { ":@+,;/|\n".utf8.contains($0) || $0 | 0x20 >= 0x61 }) {
                return [handle(text, .phoneNumber, plan)].compactMap(\.self)
            }
            // A number may be a URI of another kind (RFC 6350, 6.4.1).
            if let other = try? DialString(parsing: text).handle, other.type != .phoneNumber {
                return [handle(other.value, other.type, plan)].compactMap(\.self)
            }
            return text.writtenNumbers.compactMap { handle($0, .phoneNumber, plan) }
        case CInt(OCK_EMAIL): return [handle(text, .emailAddress, plan)].compactMap(\.self)
        default: return [handle(text, .generic, plan)].compactMap(\.self)
        }
    }

    private static func handle(
        _ text: String, _ type: HandleType, _ plan: NumberPlan
    ) -> (handle: Handle, postDial: String)? {
        guard text.utf8.count <= maximumHandle else { return nil }
        guard let written = try? Handle(type: type, value: text) else { return nil }
        let value = plan.normalized(written.withoutPostDial)
        let postDial = type == .phoneNumber ? (try? DialString(parsing: text))?.postDial ?? "" : ""
        return (try? Handle(type: type, value: value)).map { ($0, postDial) }
    }
}

extension Handle {
    /// A phone number without its URI and without what is dialed after a pause or a wait: it is called without that, and
    /// it calls without that.
    fileprivate var withoutPostDial: Handle {
        guard type == .phoneNumber else { return self }
        guard let dialed = try? DialString(parsing: value), dialed.handle.type == .phoneNumber else {
            return beforePause ?? self
        }
        let isPlain = dialed.postDial.isEmpty && !value.contains { ":;".contains($0) }
        return isPlain ? self : dialed.handle
    }

    /// The number before the first sign that waits, or that pauses before a digit; nil if there is none.
    private var beforePause: Handle? {
        let signs = Array(value)
        let end = signs.indices.first { index in
            let isFollowed = signs.dropFirst(index + 1).first.map { $0.isNumber || "*#,;".contains($0) } ?? false
            return ",;".contains(signs[index]) || ("pPwW".contains(signs[index]) && isFollowed)
        }
        guard let end, signs[..<end].contains(where: \.isNumber) else { return nil }
        return try? Handle(type: .phoneNumber, value: String(signs[..<end]))
    }
}
