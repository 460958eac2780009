// NumberRegion: whose numbering plan national numbers belong to.

/// The region of national numbers.
public enum NumberRegion {
    /// Returns the region of a user's locale, from the first of LC_ALL, LC_TELEPHONE and LANG that is set: two capital letters
    /// of ISO 3166; "" if it is unknown.
    public static func of(_ environment: [String: String]) -> String {
        let locale = ["LC_ALL", "LC_TELEPHONE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let territory = locale.split(separator: "_", maxSplits: 1).dropFirst().first?.prefix { $0 != "." && $0 != "@" }
        return territory.map(named) ?? ""
    }

    /// Returns a region as it is written, in capital letters; "" for anything but two letters.
    public static func named(_ text: some StringProtocol) -> String {
        let letters = text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & ~0x20) }
        return text.utf8.count == 2 && letters ? text.uppercased() : ""
    }
}
