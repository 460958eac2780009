// Which column of a table has the number, and which one the label.

/// Finds the columns by their headings, or else by what is in them.
struct ListColumns {
    private(set) var number: Int?
    private(set) var label: Int?

    /// The words of headings, the best ones first, in the languages of the lists that are published most.
    private static let numberWords = [
        "number", "numbers", "phone", "phones", "phonenumber", "pattern", "telephone", "tel", "callerid", "cid",
        "msisdn", "mobile",
        "telefon",
        "telefonnummer", "rufnummer", "nummer", "numéro", "numero", "número", "téléphone", "teléfono", "telefono",
        "telefone",
        "numer", "telefoon", "telefoonnummer", "telefonszám", "číslo", "номер", "телефон", "電話番号", "电话", "号码", "전화번호",
    ]
    private static let labelWords = [
        "label", "realname", "name", "caller", "title", "description", "reason", "comment", "subject", "company",
        "category",
        "type", "notes",
        "note", "bezeichnung", "beschreibung", "grund", "kommentar", "nom", "nombre", "nome", "descripción", "motivo",
        "nazwa", "opis", "naam", "namn", "navn", "név", "jméno", "имя", "название", "описание", "名前", "名称", "이름",
    ]

    init() {}

    /// Whether values with this key are numbers.
    static func isNumber(_ key: String) -> Bool { numberWords.contains(words(key).joined()) }

    /// Returns the place of a key among those of labels, of which the lowest is best; nil for any other key.
    static func rankOfLabel(_ key: String) -> Int? { labelWords.firstIndex(of: words(key).joined()) }

    private static func words(_ heading: String) -> [String] {
        heading.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// - Returns: nil if no field is a heading of numbers.
    init?(headings: [String]) {
        let words = headings.map(Self.words)
        func column(_ known: [String], except other: Int? = nil) -> Int? {
            // A heading that is the word comes before one that has it.
            for isWhole in [true, false] {
                for word in known {
                    let found = words.indices.first {
                        $0 != other && (isWhole ? words[$0].joined() == word : words[$0].contains(word))
                    }
                    if let found { return found }
                }
            }
            return nil
        }
        guard !headings.contains(where: { Self.likeness(of: $0) > 0 }), let number = column(Self.numberWords) else {
            return nil
        }
        self.number = number
        label = column(Self.labelWords, except: number)
    }

    /// Finds the columns by a record with a number: that with the text that is most like one, and the next that has letters.
    /// Of a table whose headings tell the numbers alone, the first column with letters is the label.
    mutating func find(in fields: [String]) {
        let likeness = fields.map(Self.likeness)
        if let number, label == nil {
            label = fields.indices.first {
                $0 != number && likeness[$0] == 0 && fields[$0].contains(where: \.isLetter)
            }
        }
        guard number == nil, let best = likeness.max(), best > 0, let found = likeness.firstIndex(of: best) else {
            return
        }
        number = found
        let others = Array(fields.indices[(found + 1)...]) + Array(fields.indices[..<found])
        label = others.first { fields[$0].contains(where: \.isLetter) && likeness[$0] == 0 } ?? (found == 0 ? 1 : nil)
    }

    /// Returns how much a text is like a number: 0 for none, 2 for one with a country code or as long as telephone numbers are,
    /// or that would be one if it told all of its digits.
    static func likeness(of text: String) -> Int {
        guard !isDate(text) else { return 0 }
        guard let numbers = try? ListNumbers(text, countryCode: "0") else {
            return SpreadsheetNumber.isUnclear(text) || NumberSpan.isUnclear(text) ? 2 : 0
        }
        let digits = text.count(where: \.isNumber)
        let isWritten = text.contains("+") || numbers.single == nil
        return isWritten || (7...15).contains(digits) ? 2 : 1
    }

    /// Whether it has eight digits, which are the year, the month and the day.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { "-./".contains($0) }.map(\.count)
        return parts == [4, 2, 2] || parts == [2, 2, 4]
    }
}
