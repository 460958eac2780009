// ContactsReader: reads folders of vCards, and announces each folder and file first.

import CallModel
import CallWire
import DBus
import EventLoop
import Files
import Numbers

/// Walks through folders and sends the contacts in their vCards. One call is under way at a time, so that the store sets the
/// pace, and knows which file was being read if this process ends.
@LoopActor
final class ContactsReader {
    private enum Place {
        case folder(String, depth: Int)
        case file(String)
    }

    private let link: PrivateLink
    private let plan: NumberPlan
    private let sandbox: String
    /// The places to visit, the next one last.
    private var places: [Place] = []
    private var skipped: Set<String> = []
    /// The folders that were entered, by their paths without symbolic links.
    private var entered: Set<String> = []
    private var files = 0
    /// The contacts to send.
    private var contacts: ArraySlice<VCardFile.Contact> = []

    private static let maximumDepth = 8
    private static let maximumFolders = 64
    private static let maximumFiles = 20_000
    /// The most contacts of a message, and the most bytes.
    private static let batch = 64
    private static let batchBytes = 64 << 10
    private static let timeout = Duration.seconds(60)

    /// - Parameters:
    ///   - folders: absolute paths, in order.
    ///   - sandbox: the report of the sandbox.
    init(_ link: PrivateLink, _ folders: [String], _ plan: NumberPlan, sandbox: String) {
        self.link = link
        self.plan = plan
        self.sandbox = sandbox
        places = folders.reversed().map { .folder($0, depth: 0) }
    }

    func start() {
        link.acceptLargeMessages()
        call(PrivateMember.Contacts.hello, sandbox) { [self] reply in
            guard let skipped = try? reply.read([String].self) else { return link.close() }
            self.skipped = Set(skipped)
            next()
        }
    }

    private func next() {
        if contacts.count >= Self.batch || places.isEmpty && !contacts.isEmpty { return add() }
        switch places.popLast() {
        case .folder(let path, let depth): enter(path, depth)
        case .file(let path): read(path)
        case nil: call(PrivateMember.Contacts.complete) { [link] _ in link.close() }
        }
    }

    private func add() {
        var batch: [VCardFile.Contact] = []
        var bytes = 0
        while batch.count < Self.batch, let contact = contacts.first {
            bytes += contact.wireSize
            guard bytes <= Self.batchBytes || batch.isEmpty else { break }
            batch.append(contact)
            contacts = contacts.dropFirst()
        }
        call(PrivateMember.Contacts.add, batch.map(\.wire)) { [self] _ in next() }
    }

    private func enter(_ path: String, _ depth: Int) {
        guard let real = try? FileStatus.resolve(path) else {
            return depth == 0 ? next() : complain(path, "a broken symbolic link")
        }
        guard !entered.contains(real) else { return next() }
        guard depth <= Self.maximumDepth else { return complain(path, "more than \(Self.maximumDepth) folders deep") }
        guard entered.count < Self.maximumFolders else {
            return complain(path, "more than \(Self.maximumFolders) folders")
        }
        entered.insert(real)
        call(PrivateMember.Contacts.enter, path) { [self] _ in
            do throws(SystemError) {
                places += try list(path, depth)
            } catch {
                return complain(path, "\(error)")
            }
            next()
        }
    }

    /// Returns the files and folders in a folder, the last name first.
    private func list(_ path: String, _ depth: Int) throws(SystemError) -> [Place] {
        let names = try FolderListing.names(in: path, limit: Self.maximumFiles) { $0.first != "." }
        return names.reversed().compactMap { name in
            let path = "\(path)/\(name)"
            if VCardFile.isNamedSo(name) { return .file(path) }
            return (try? FileStatus(path))?.kind == .folder ? .folder(path, depth: depth + 1) : nil
        }
    }

    private func read(_ path: String) {
        guard !skipped.contains(path) else { return next() }
        files += 1
        guard files <= Self.maximumFiles else {
            places = []
            return complain(path, "more than \(Self.maximumFiles) files")
        }
        call(PrivateMember.Contacts.read, path) { [self] _ in
            switch VCardFile.contacts(in: path, plan) {
            case .success(let found):
                contacts = contacts.isEmpty ? found[...] : ArraySlice(contacts + found)
                next()
            case .failure(let complaint): complain(path, complaint.text)
            }
        }
    }

    private func complain(_ path: String, _ reason: String) {
        call(PrivateMember.Contacts.complain, path.displayable, reason.displayable) { [self] _ in next() }
    }

    private func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, then: @escaping @LoopActor (Message) -> Void
    ) {
        do throws(DBusError) {
            let path = ObjectPath.contacts
            let message = try Message.call(at: path, Contract.contactsHost, member, repeat each arguments)
            link.call(message, timeout: Self.timeout) { [link] result in
                if case .success(let reply) = result { then(reply) } else { link.close() }
            }
        } catch {
            link.close()
        }
    }
}
