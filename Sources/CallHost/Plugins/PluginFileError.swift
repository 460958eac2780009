// Why a file in a plugin folder is not a plugin.

import EventLoop

/// Each case says what was found and what was expected; shown on the bus as the plugin's `Error`.
enum PluginFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String)
    case notAFile(FileStatus.Kind)
    case worldWritable(String)
    case foreignOwner(UInt32)
    case tooLarge(UInt64)
    case notELF
    case truncated(String)
    case wrongArchitecture(String)
    case notASharedObject(UInt16)
    case noNote
    case wrongProtocol(found: UInt32, expected: UInt32)
    case bundleWithoutLibrary(String)

    static let maximumSize: UInt64 = 1 << 30

    var description: String {
        switch self {
        case .unreadable(let why): "cannot be read: \(why)"
        case .notAFile(let kind): "is a \(kind.rawValue), expected a regular file"
        case .worldWritable(let what): "\(what) is writable by everybody, expected by its owner only"
        case .foreignOwner(let user): "belongs to user \(user), expected root or the user of the daemon"
        case .tooLarge(let size): "has \(size) bytes, at most \(Self.maximumSize) are accepted"
        case .notELF: "is no ELF file, expected a shared object"
        case .truncated(let part): "ends within its \(part)"
        case .wrongArchitecture(let found): "is built for \(found), expected \(ELFNoteReader.hostArchitecture)"
        case .notASharedObject(let type): "is an ELF file of type \(type), expected 3 (shared object)"
        case .noNote: "has no note OpenCallKit, expected one from the SDK"
        case .wrongProtocol(let found, let expected): "speaks protocol \(found), expected \(expected)"
        case .bundleWithoutLibrary(let name): "has no file \(name), expected the plugin's library"
        }
    }
}
