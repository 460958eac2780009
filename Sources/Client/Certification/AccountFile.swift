// AccountFile: the file with the settings and secrets of the account with which a plugin is examined.

internal import CallModel
internal import EventLoop
internal import Files
internal import WorkerLaunch

/// Why the file cannot be used. Names a line or a field, and never a secret.
public struct AccountFileError: Error, Sendable, CustomStringConvertible {
    /// Whether there is no such file.
    public let isAbsence: Bool
    public let description: String

    init(_ description: String, isAbsence: Bool = false) {
        self.description = description
        self.isAbsence = isAbsence
    }
}

/// Lines `key = value` with the keys of a plugin's schema, those of its secrets included. Only their owner may read them.
struct AccountFile {
    /// The longest secret, in bytes.

    private let path: String
    private let text: ConfigurationText

    init(_ path: String) throws(AccountFileError) {
        self.path = path
        let (status, bytes): (FileStatus, [UInt8])
        do throws(SystemError) {
            let reader = try FileReader(path)
            status = reader.status
            bytes = status.isPrivate ? try reader.bytes(at: 0, count: ConfigurationText.longest + 1) : []
        } catch {
            throw AccountFileError("\(path) cannot be read: \(error)", isAbsence: true)
        }
        guard status.isPrivate, status.owner == FileStatus.currentUser else {
            throw AccountFileError("\(path) may have secrets, and not only you can read it: chmod 600 it")
        }
        guard bytes.count <= ConfigurationText.longest, let text = String(validating: bytes, as: UTF8.self) else {
            throw AccountFileError("\(path) is no text of at most \(ConfigurationText.longest) bytes")
        }
        self.text = ConfigurationText(text)
    }

    /// Returns the account that the file describes.
    ///
    /// - Throws: if a line is invalid, or if something is missing that the schema requires.
    func account(of schema: AccountSchema) throws(AccountFileError) -> ExaminedAccount {
        var (settings, secrets) = ([String: AccountValue](), [String: String]())
        for entry in text.entries {
            let place = "\(path), line \(entry.line)"
            // A key that is not known may be a part of a secret.
            guard let field = schema.field(entry.key) else {
                let known = schema.fields.map(\.key).joined(separator: ", ")
                throw AccountFileError("\(place) has no field of the schema, its fields: \(known)")
            }
            guard let value = entry.value else {
                throw AccountFileError("\(place): the field \(field.key) has no value")
            }
            guard settings[field.key] == nil, secrets[field.key] == nil else {
                throw AccountFileError("\(place) has the field \(field.key) again")
            }
            if field.kind == .secret {
                guard value.utf8.count <= AccountField.maximumSecret else {
                    throw AccountFileError(
                        "\(place): the secret \(field.key) is longer than \(AccountField.maximumSecret) bytes")
                }
                secrets[field.key] = value
            } else {
                do throws(CallError) {
                    settings[field.key] = try field.value(typed: value)
                } catch {
                    throw AccountFileError("\(place): \(error.message)")
                }
            }
        }
        for field in schema.fields where field.isRequired && field.standard == nil {
            guard settings[field.key] != nil || secrets[field.key] != nil else {
                throw AccountFileError("\(path) lacks the field \(field.key), which is required")
            }
        }
        return ExaminedAccount(settings: schema.completed(settings), secrets: secrets)
    }
}
