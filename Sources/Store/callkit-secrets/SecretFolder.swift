// SecretFolder: secrets in files.

import CallModel
import EventLoop
import Files
import Glibc

/// The storage `file`: a file for each secret, `ACCOUNT.KEY`, which only the user can read. Symbolic links are refused.
@LoopActor
final class SecretFolder {
    private let folder: String

    /// The most files that are looked at.
    private static let maximumFiles = 4_096

    init(_ folder: String) { self.folder = folder }

    func store(_ secret: Secret, _ key: String, _ account: AccountID) throws(CallError) {
        try reporting { () throws(SystemError) in
            try FileWriter.makePrivateFolder(folder)
            let path = "\(folder)/\(account.rawValue).\(key)"
            if let kind = try kind(path), kind != .regular { throw .notRegular("open \(path)") }
            try FileWriter.replace(path, with: secret.bytes, durably: true)
        }
    }

    /// Ignores files that no secret can be in, being empty or too large.
    func lookUp(_ account: AccountID) throws(CallError) -> [String: Secret] {
        try reporting { () throws(SystemError) in
            var secrets: [String: Secret] = [:]
            for name in try names(of: account) {
                let key = String(name.dropFirst(account.rawValue.count + 1))
                guard AccountField(key, .secret) != nil else { continue }
                let file = try FileReader("\(folder)/\(name)", followingLinks: false)
                guard file.status.size <= AccountField.maximumSecret else { continue }
                let bytes = try file.bytes(at: 0, count: Int(file.status.size))
                if !bytes.isEmpty { secrets[key] = Secret(bytes) }
            }
            return secrets
        }
    }

    /// - Parameter key: Nil removes all of the account's.
    func clear(_ key: String?, _ account: AccountID) throws(CallError) {
        try reporting { () throws(SystemError) in
            for name in try names(of: account) where key.map({ Self.isOf($0, account, name) }) ?? true {
                try FileWriter.remove("\(folder)/\(name)", durably: true)
            }
        }
    }

    /// Whether a file has a secret, or was left by a `FileWriter.replace` that was interrupted.
    private static func isOf(_ key: String, _ account: AccountID, _ name: String) -> Bool {
        let file = "\(account.rawValue).\(key)"
        return name == file || name == file + ".new"
    }

    private func names(of account: AccountID) throws(SystemError) -> [String] {
        guard let kind = try kind(folder) else { return [] }
        guard kind == .folder else { throw SystemError(call: "open \(folder)", code: ENOTDIR) }
        return try FolderListing.names(in: folder, limit: Self.maximumFiles) { $0.hasPrefix(account.rawValue + ".") }
    }

    /// What lies at a path; nil if nothing does.
    private func kind(_ path: String) throws(SystemError) -> FileKind? {
        do throws(SystemError) {
            return try FileStatus(path, followingLinks: false).kind
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    private func reporting<Value>(_ work: () throws(SystemError) -> Value) throws(CallError) -> Value {
        do throws(SystemError) {
            return try work()
        } catch {
            throw CallError(.storeUnavailable, "the file of a secret: \(error)")
        }
    }
}
