// Denials: what a plugin tried in the sandbox and was denied, for its author.

/// The lines of a worker's report, such as `socket AF_INET` and `file /home/alice/Music`, in the order in which they
/// matter.
struct Denials {
    /// How much of it is told, in characters.
    private static let longest = 140

    private let lines: [String]

    /// - Parameters:
    ///   - lines: each a call and what it was about.
    ///   - home: the user's home folder. Libraries look for many files that are not the user's, and do without.
    init(_ lines: [String], home: String) {
        let files = lines.filter { $0.hasPrefix("file ") }
        let ofUser = files.filter { $0.hasPrefix("file /dev/") || !home.isEmpty && $0.hasPrefix("file \(home)/") }
        let calls = lines.filter { !$0.hasPrefix("file ") }
        self.lines = calls.map(Self.explained) + ofUser + files.filter { !ofUser.contains($0) }
    }

    /// The beginning of the list, and how many more there are. Empty if nothing was denied.
    var text: String {
        var (told, length) = ([String](), 0)
        for line in lines {
            length += line.count + 2
            if !told.isEmpty, length > Self.longest { break }
            told.append(line)
        }
        let rest = lines.count - told.count
        return (told + (rest == 0 ? [] : ["\(rest) more"])).joined(separator: ", ")
    }

    /// The line with the permission that allows it.
    private static func explained(_ line: String) -> String {
        switch line {
        case "socket AF_INET", "socket AF_INET6", "socket AF_NETLINK": "\(line) (network)"
        case "socket AF_UNIX": "\(line) (audio, a bus)"
        default: line
        }
    }
}
