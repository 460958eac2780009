// SettingsText: what a file of settings has, as lines of text, and what counts of a damaged one.

import CallModel

/// Settings that are kept in a file of text: a title, and a line for each entry.
protocol SettingsText: Equatable {
    /// The first line, or its first word; "" for a file without a title.
    static var title: String { get }
    /// The longest file, in bytes.
    static var longest: Int { get }
    /// The most lines.
    static var maximumLines: Int { get }

    init()
    /// The file. `take` reads each of its lines but the title.
    var text: String { get }
    /// Takes over what a line has.
    ///
    /// - Throws: `InvalidArguments` for a line that `text` would not have written.
    mutating func take(_ line: String) throws(CallError)
    /// Notes a line that cannot be read: what it may have refused remains refused.
    mutating func doubt(_ line: String)
}

extension SettingsText {
    static var longest: Int { 65_536 }
    static var maximumLines: Int { 1_001 }

    mutating func doubt(_ line: String) {}

    /// - Throws: `InvalidArguments` for anything that `text` would not have written.
    init(text: String) throws(CallError) {
        let reading = SettingsReading<Self>(Array(text.utf8))
        if let complaint = reading.complaint { throw complaint }
        self = reading.settings
    }
}

/// What can be read of a file. A last line without its end counts for nothing: what is missing would make it another one.
struct SettingsReading<Settings: SettingsText> {
    private(set) var settings = Settings()
    /// The first thing that is wrong; nil if nothing is.
    private(set) var complaint: CallError?
    /// Whether no line is missing as far as one can tell: the file has its title, and is not cut off.
    private(set) var isWhole = true

    init(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        let rest = lines.removeLast()
        takeTitle(of: &lines)
        if lines.count > Settings.maximumLines {
            complain("\(lines.count) lines, expected at most \(Settings.maximumLines)")
            isWhole = false
        }
        for line in lines.prefix(Settings.maximumLines) where !line.isEmpty { take(line) }
        guard !rest.isEmpty else { return }
        settings.doubt(String(decoding: rest, as: UTF8.self))
        complain("the last line is cut off")
        isWhole = false
    }

    private mutating func takeTitle(of lines: inout ArraySlice<ArraySlice<UInt8>>) {
        let title = Settings.title
        guard !title.isEmpty else { return }
        let first = lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if first == title {
            lines.removeFirst()
        } else if !first.hasPrefix(title + " ") {
            complain("the first line is not \"\(title)\"")
            isWhole = false
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard let line = String(validating: bytes, as: UTF8.self) else {
            settings.doubt(String(decoding: bytes, as: UTF8.self))
            return complain("a line is no text in UTF-8")
        }
        do throws(CallError) {
            try settings.take(line)
        } catch {
            settings.doubt(line)
            if complaint == nil { complaint = error }
        }
    }

    private mutating func complain(_ text: String) {
        if complaint == nil { complaint = CallError(.invalidArguments, text) }
    }
}
