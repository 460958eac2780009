// ProcessStat: the file stat of a process in /proc, field by field.

internal import CSystem
internal import Glibc

/// The numbers behind the name of the program, which may have any characters.
struct ProcessStat {
    /// In a second, for the fields that are times.
    static let ticksPerSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// The first one is the third field of the file.
    private let fields: [Substring]

    init(_ text: String) {
        fields = text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") } ?? []
    }

    /// A field by its number in proc_pid_stat(5), from 3; nil if it is not there or no number.
    subscript(number: Int) -> UInt64? {
        fields.indices.contains(number - 3) ? UInt64(fields[number - 3]) : nil
    }
}
