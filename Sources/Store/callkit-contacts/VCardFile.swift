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
        let handles: [Struct<Bool, String>]

        var wire: Struct<String, String, [Struct<Bool, String>]> { Struct(uid, name, handles) }

        /// The most bytes that it takes in a message; lengths and padding of a text take up to 24.
        var wireSize: Int { handles.reduce(uid.utf8.count + name.utf8.count + 64) { $0 + $1.fields.1.utf8.count + 24 } }
    }

    struct Complaint: Error {
        let text: String
    }

    /// The largest file that is read, in bytes.
    private static let maximumSize: UInt64 = 32 << 20
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
        let count = ock_vcards_count(cards)
        guard count > 0 else { return .failure(Complaint(text: "it has no vCard")) }
        var contacts: [Contact] = []
        for card in 0..<count {
            let name = String(cString: ock_vcard_name(cards, card)).displayable
            let handles = (0..<ock_vcard_handle_count(cards, card)).flatMap { handle in
                Self.handles(
                    String(cString: ock_vcard_handle(cards, card, handle)), ock_vcard_handle_kind(cards, card, handle),
                    plan)
            }
            guard !name.isEmpty, !handles.isEmpty else { continue }
            let uid = String(cString: ock_vcard_uid(cards, card)).displayable
            contacts.append(
                Contact(uid: uid.isEmpty ? "file:\(path)".displayable : uid, name: name, handles: handles))
        }
        return .success(contacts)
    }

    /// Returns the normalized forms of a handle; empty for a handle that no call can have.
    private static func handles(_ text: String, _ kind: CInt, _ plan: NumberPlan) -> [Struct<Bool, String>] {
        // Phones put marks of the writing direction around numbers.
        let text = kind == CInt(OCK_PHONE) ? text.displayable : text
        guard text.utf8.count <= maximumHandle, !text.unicodeScalars.contains(where: \.isUnsafeInText) else {
            return []
        }
        func compared(_ type: HandleType, _ text: String) -> String {
            (try? Handle(type: type, value: text)).map(plan.normalized) ?? ""
        }
        let isEmail = kind == CInt(OCK_EMAIL)
        var found: [String]
        if kind == CInt(OCK_PHONE) {
            found = [compared(.phoneNumber, text)]
        } else if isEmail {
            found = [compared(.emailAddress, text)]
        } else {
            // With the scheme and without: providers report either.
            found = [compared(.generic, text)]
            if let colon = text.firstIndex(of: ":") {
                found.append(compared(.generic, String(text[colon...].dropFirst())))
            }
        }
        return found.filter { !$0.isEmpty }.map { Struct(isEmail, $0) }
    }
}
