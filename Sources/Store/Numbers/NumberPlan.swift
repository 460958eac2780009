// NumberPlan: normalizes handles, so that they can be compared.

internal import CPhoneNumber
public import CallModel

/// Normalizes handles: two handles with the same meaning have the same normalized text.
///
/// A phone number that libphonenumber accepts becomes its E.164 form, `+46701740605`; a number without a country code belongs
/// to the numbering plan of `region`. Any other number, such as `1234`, keeps its digits and letters and loses its formatting.
/// An e-mail address becomes lower case. A generic handle stays as it is.
public struct NumberPlan: Sendable, Hashable {
    /// The region of national numbers: two capital letters of ISO 3166. "" stands for an unknown region, where only numbers with
    /// a country code become E.164.
    public let region: String

    /// The longest text for libphonenumber, in bytes.
    static let maximumLength = 250

    /// - Parameter region: two letters in either case; anything else stands for an unknown region.
    public init(region: String) {
        self.region = NumberRegion.named(region)
    }

    /// Takes the region of the user's locale, from the first of LC_ALL, LC_TELEPHONE and LANG that is set.
    public init(environment: [String: String]) {
        region = NumberRegion.of(environment)
    }

    /// Loads the number plans, which takes some milliseconds, so that the first number need not wait.
    public static func prepare() { ock_phone_prepare() }

    public func normalized(_ handle: Handle) -> String {
        switch handle.type {
        case .phoneNumber: normalized(phoneNumber: handle.asDialed.value)
        case .emailAddress: Self.normalized(emailAddress: handle.value)
        case .generic: handle.value
        }
    }

    /// Returns the region whose numbering plan a number without a country code belongs to, "" if that is unknown; nil for any
    /// other handle, and for a number that is too short to have a country code.
    public func region(of handle: Handle) -> String? {
        let number = handle.asDialed
        guard number.type == .phoneNumber, !number.value.hasPrefix("+"), number.value.utf8.count > 6 else { return nil }
        return region
    }

    /// - Parameter text: a number as people or networks write it, with or without `tel:`.
    public func normalized(phoneNumber text: String) -> String {
        if let number = e164(text) { return "+\(number)" }
        let plain = Self.withoutFormatting(text)
        return e164(plain).map { "+\($0)" } ?? plain
    }

    /// Returns the digits of the E.164 form, without the plus sign; nil for an invalid number.
    public func e164(_ text: String) -> UInt64? {
        let text = text.withoutInvisibles
        guard text.utf8.count <= Self.maximumLength, Self.looksLikeNumber(text) else { return nil }
        let number = ock_phone_e164(
            text.hasPrefix("tel:") ? text : String(Self.withoutScheme(text)), region.isEmpty ? "ZZ" : region)
        return number == 0 ? nil : number
    }

    /// The least digits of a number that may be the end of another one. Numbers of a town have fewer, and are many.
    private static let leastCommon = 8

    /// Returns whether two normalized phone numbers may be the same, if networks leave out a part of one: good enough for a
    /// name, and never for a rule. Both have at least eight digits. Of two with a country code, that part can only be the
    /// sign of mobile numbers in Argentina (9) and Mexico (1).
    public static func mayBeSame(_ one: String, _ other: String) -> Bool {
        // The zero that is dialed within a country is no part of it.
        let lengths = [one, other].map { $0.drop { "+0".contains($0) }.utf8.count }
        guard lengths.allSatisfy({ (leastCommon...maximumLength).contains($0) }) else { return false }
        if one.hasPrefix("+"), other.hasPrefix("+") { return withoutMobileSign(one) == withoutMobileSign(other) }
        if ock_phone_may_be_same(one, other) != 0 { return true }
        // In Argentina a mobile number is dialed with 15 in its own area, and told without.
        return [(one, other), (other, one)].contains { local, whole in
            local.hasPrefix("15") && whole.hasPrefix("+54") && local.utf8.count > 7
                && ock_phone_may_be_same(String(local.dropFirst(2)), whole) != 0
        }
    }

    private static func withoutMobileSign(_ number: String) -> String {
        for (whole, told) in [("+549", "+54"), ("+521", "+52")] where number.hasPrefix(whole) {
            return told + number.dropFirst(whole.count)
        }
        return number
    }

    /// Returns the text without `tel:`, in either case.
    private static func withoutScheme(_ text: String) -> Substring {
        text.prefix(4).lowercased() == "tel:" ? text.dropFirst(4) : text[...]
    }

    /// Returns whether the text begins like a number: libphonenumber would find numbers within sentences, too.
    private static func looksLikeNumber(_ text: String) -> Bool {
        let body = withoutScheme(text)
        guard let first = body.unicodeScalars.first(where: { !$0.properties.isWhitespace }) else { return false }
        return first.properties.numericType != nil || ["+", "＋", "("].contains(Character(first))
    }

    /// Returns the text without formatting, or the text itself if it has nothing else.
    static func withoutFormatting(_ text: String) -> String {
        let plain = String(withoutScheme(text)).withoutNumberFormatting.lowercased()
        return plain.isEmpty ? text : plain
    }

    /// Returns the address in lower case, without surrounding spaces and without the final dot of the domain.
    static func normalized(emailAddress text: String) -> String {
        var address = text.lowercased()[...]
        while address.last == " " { address.removeLast() }
        address = address.drop { $0 == " " }
        if address.hasPrefix("mailto:") { address = address.dropFirst(7) }
        if address.last == "." { address.removeLast() }
        return address.isEmpty ? text : String(address)
    }
}
