// The part of JSON that callctl prints. (Foundation's encoder would triple the start-up time.)

import CallModel
import DBus

/// A JSON value; objects keep the order of their keys.
indirect enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member: Sendable, Equatable {
        let key: String
        let value: JSON

        init(_ key: String, _ value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// One line of text. Control and bidirectional-override characters are escaped.
    var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .unsigned(let value): text += String(value)
        case .number(let value): text += value.isFinite ? value.description : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case _ where scalar.isUnsafeInText:
                text += "\\u" + ("000" + String(scalar.value, radix: 16)).suffix(4)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSON {
    init(_ variant: Variant) {
        self =
            switch variant {
            case .bool(let value): .bool(value)
            case .byte(let value): .unsigned(UInt64(value))
            case .int16(let value): .integer(Int64(value))
            case .uint16(let value): .unsigned(UInt64(value))
            case .int32(let value): .integer(Int64(value))
            case .uint32(let value): .unsigned(UInt64(value))
            case .int64(let value): .integer(value)
            case .uint64(let value): .unsigned(value)
            case .double(let value): .number(value)
            case .string(let value): .string(value)
            case .objectPath(let value): .string(value.text)
            case .signature(let value): .string(value.text)
            case .descriptor: .string("(a file)")
            case .bytes(let value): .array(value.map { .unsigned(UInt64($0)) })
            case .array(_, let elements): .array(elements.map { JSON($0) })
            case .structure(let fields): .array(fields.map { JSON($0) })
            case .dictionary(_, _, let entries): .object(entries.sortedForPeople.map { Member($0.key, JSON($0.value)) })
            case .variant(let value): JSON(value)
            }
    }

    /// The entries of a dictionary, sorted by name.
    init(_ dictionary: VariantDictionary) {
        self = .object(dictionary.members)
    }
}

extension VariantDictionary {
    var members: [JSON.Member] { sorted { $0.key < $1.key }.map { JSON.Member($0.key, JSON($0.value)) } }

    /// Properties, with keys in the style of all other keys: `CallerName` is `caller-name`.
    var propertyMembers: [JSON.Member] {
        sorted { $0.key < $1.key }.map { JSON.Member($0.key.dashed, JSON($0.value)) }
    }
}

extension String {
    /// A property's name in lower case, with a dash between its words: `SDKVersion` is `sdk-version`.
    var dashed: String {
        let letters = Array(self)
        var text = ""
        for (index, letter) in letters.enumerated() {
            let endsWord = index > 0 && !letters[index - 1].isUppercase
            let beginsWord = index > 0 && index + 1 < letters.count && letters[index + 1].isLowercase
            if letter.isUppercase, endsWord || beginsWord { text += "-" }
            text += letter.lowercased()
        }
        return text
    }
}

extension Variant {
    /// This value for people: strings without quotes, structures and arrays with commas.
    var plainText: String {
        switch self {
        case .string(let value): value
        case .array(_, let elements): elements.map(\.plainText).joined(separator: ", ")
        case .structure(let fields): "(" + fields.map(\.plainText).joined(separator: ", ") + ")"
        case .dictionary(_, _, let entries):
            "{" + entries.sortedForPeople.map { "\($0.key)=\($0.value.plainText)" }.joined(separator: ", ") + "}"
        case .variant(let value): value.plainText
        case .objectPath(let value): value.text
        case .signature(let value): value.text
        case .descriptor: "(a file)"
        case .bool, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .bytes: JSON(self).text
        }
    }
}

extension [VariantEntry] {
    /// The entries in a fixed order; a dictionary has none of its own.
    fileprivate var sortedForPeople: [(key: String, value: Variant)] {
        map { ($0.key.plainText, $0.value) }.sorted { $0.key < $1.key }
    }
}
