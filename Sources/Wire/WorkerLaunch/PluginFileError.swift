// Why a file is not taken for a plugin.

internal import CallModel
public import EventLoop
public import Files
internal import Glibc

/// A reason to skip a file. Its text goes with the file's name: "is a FIFO, expected a regular file".
public enum PluginFileError: Error, Hashable, Sendable {
    /// Neither `.so` nor `.callplugin`, or hidden.
    case notAPluginName
    /// The name is too long for an id, in characters.
    case nameTooLong(length: Int, limit: Int)
    /// The folder holds more plugins than are looked at.
    case tooMany(limit: Int)
    /// Missing, a dangling symbolic link, a loop of them, no permission.
    case unreadable(SystemError)
    case notAFile(FileKind)
    /// A `.callplugin` that is not a folder.
    case notAFolder(FileKind)
    /// A bundle without the library of its name.
    case noLibrary(expected: String)
    case tooLarge(size: UInt64, limit: UInt64)
    /// Anybody can change the file, or replace it in its folder.
    case worldWritable(FileKind, path: String)
    case groupWritable(FileKind, path: String)
    /// A symbolic link that leads out of the folder.
    case outside(path: String, folder: String)
    /// It is not the file that was looked at.
    case exchanged(path: String)
    /// Of neither root nor the user.
    case wrongOwner(path: String, owner: UInt32, user: UInt32)
    case notELF
    case truncated(expected: UInt64, found: UInt64)
    case wrongArchitecture(found: String, expected: String)
    case notASharedObject(type: UInt16)
    /// A header that no linker writes.
    case malformed(String)
    case noNote
    /// What the bundle asks for is not understood, or never granted: which line, and why.
    case manifest(String)
    case wrongProtocol(PluginNote, expected: UInt32)
    /// It is linked to the runtime of another Swift compiler, which is not here.
    case noRuntime(PluginNote, expected: PluginNote.Toolchain)
}

extension PluginFileError {
    /// Whether it says nothing of the file: the file is there and could not be looked at.
    public var isPassing: Bool {
        guard case .unreadable(let error) = self else { return false }
        return ![ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EINVAL].contains(error.code)
    }
}

extension PluginFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAPluginName: "is not named like a plugin, expected Name.so or Name.callplugin"
        case .nameTooLong(let length, let limit): "has a name of \(length) characters, expected at most \(limit)"
        case .tooMany(let limit): "is beyond the first \(limit) plugins of its folder"
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .notAFile(let kind): "is a \(kind), expected a regular file"
        case .notAFolder(let kind): "is a \(kind), expected a bundle, which is a folder"
        case .noLibrary(let name): "is a bundle without \(name)"
        case .tooLarge(let size, let limit): "has \(size) bytes, expected at most \(limit)"
        case .worldWritable(let kind, let path):
            "is not safe: anybody can write to the \(kind) \(path), expected its owner alone; "
                + "to mend that: chmod go-w \(path.shellWord)"
        case .groupWritable(let kind, let path):
            "is not safe: its group can write to the \(kind) \(path), expected its owner alone; "
                + "to mend that: chmod g-w \(path.shellWord)"
        case .outside(let path, let folder): "is not safe: it leads to \(path), expected a file in \(folder)"
        case .exchanged(let path): "has changed: \(path) is not the file that was looked at before"
        case .wrongOwner(let path, let owner, let user):
            "is not safe: \(path) belongs to user \(owner), expected root or user \(user)"
        case .notELF: "is not an ELF file"
        case .truncated(let expected, let found): "is cut off: \(found) bytes, expected at least \(expected)"
        case .wrongArchitecture(let found, let expected): "is built for \(found), expected \(expected)"
        case .notASharedObject(let type): "is an ELF file of type \(type), expected a shared object (type 3)"
        case .malformed(let what): "is a damaged ELF file: \(what)"
        case .noNote: "has no OpenCallKit note, expected a library that links the SDK"
        case .manifest(let reason): "is not usable: \(reason)"
        case .wrongProtocol(let note, let expected):
            "speaks protocol version \(note.protocolVersion) (SDK \(note.sdkVersion)), expected \(expected)"
        case .noRuntime(let note, let expected):
            "needs the runtime of Swift \(note.toolchain), and only that of Swift \(expected) is here; "
                + "build it with Swift \(expected), or with -static-stdlib"
        }
    }
}
