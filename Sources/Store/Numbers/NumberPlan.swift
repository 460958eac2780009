// The one place that makes one text of all the ways in which a handle is written.

internal import CPhoneNumber
public import CallModel

/// How handles are compared: two that mean the same have the same normalized text.
///
/// A phone number that libphonenumber takes for one becomes its E.164 form, `+46701740605`. A number without a country
/// code is one of `region`'s numbering plan. What is none, such as `1234`, keeps its digits and letters and loses what
/// only makes it readable. An e-mail address is lower-cased. A generic handle is what it is.
public struct NumberPlan: Sendable, Hashable {
    /// Where national numbers are dialed: two capital letters of ISO 3166, or "" if that is not known. Then numbers need a
    /// country code to become E.164.
    public let region: String

    /// The longest text that is given to libphonenumber, in bytes.
    static let maximumLength = 250

    /// - Parameter region: in either case; anything but two letters is taken for unknown.
    public init(region: String) {
        self.region = Self.region(region[...]) ?? ""
    }

    /// The region of the user's locale: the first that is set of LC_ALL, LC_TELEPHONE and LANG, if it names one.
    public init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_TELEPHONE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let territory = locale.split(separator: "_", maxSplits: 1).dropFirst().first?.prefix { $0 != "." && $0 != "@" }
        region = territory.flatMap(Self.region) ?? ""
    }

    private static func region(_ text: Substring) -> String? {
        let letters = text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & ~0x20) }
        return text.utf8.count == 2 && letters ? text.uppercased() : nil
    }

    /// Loads what the first number would have to wait for, some milliseconds.
    public static func prepare() { ock_phone_prepare() }

    public func normalized(_ handle: Handle) -> String {
        switch handle.type {
        case .phoneNumber: normalized(phoneNumber: handle.value)
        case .emailAddress: Self.normalized(emailAddress: handle.value)
        case .generic: handle.value
        }
    }

    /// - Parameter text: a number as people or networks write it, `tel:` or not.
    public func normalized(phoneNumber text: String) -> String {
        if let number = e164(text) { return "+\(number)" }
        let plain = Self.withoutFormatting(text)
        return e164(plain).map { "+\($0)" } ?? plain
    }

    /// The digits after the plus sign; nil for what is no number.
    public func e164(_ text: String) -> UInt64? {
        guard text.utf8.count <= Self.maximumLength, Self.looksLikeNumber(text) else { return nil }
        let number = ock_phone_e164(
            text.hasPrefix("tel:") ? text : String(Self.withoutScheme(text)), region.isEmpty ? "ZZ" : region)
        return number == 0 ? nil : number
    }

    /// Schemes are the same in either case.
    private static func withoutScheme(_ text: String) -> Substring {
        text.prefix(4).lowercased() == "tel:" ? text.dropFirst(4) : text[...]
    }

    /// libphonenumber finds numbers in sentences; here the whole text must be one.
    private static func looksLikeNumber(_ text: String) -> Bool {
        let body = withoutScheme(text)
        guard let first = body.unicodeScalars.first(where: { !$0.properties.isWhitespace }) else { return false }
        return first.properties.numericType != nil || ["+", "＋", "("].contains(Character(first))
    }

    /// The text without what only makes a number readable; the text itself if nothing else is in it.
    static func withoutFormatting(_ text: String) -> String {
        let body = withoutScheme(text)
        var result = String.UnicodeScalarView()
        for scalar in body.unicodeScalars where !isFormatting(scalar) {
            if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
                result.append(contentsOf: String(Int(digit)).unicodeScalars)
            } else {
                result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return result.isEmpty ? text : String(result)
    }

    private static func isFormatting(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .format, .openPunctuation, .closePunctuation: true
        default: [".", "/", "~", "\u{2212}", "\u{FF0E}", "\u{FF0F}"].contains(scalar)
        }
    }

    /// Lower-cased as a whole: nobody tells two mailboxes by their capitals. The final dot of a domain says nothing.
    static func normalized(emailAddress text: String) -> String {
        var address = text.lowercased()[...]
        while address.last == " " { address.removeLast() }
        address = address.drop { $0 == " " }
        if address.hasPrefix("mailto:") { address = address.dropFirst(7) }
        if address.last == "." { address.removeLast() }
        return address.isEmpty ? text : String(address)
    }
}
