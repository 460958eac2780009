// Columns that fit the terminal.

/// One cell; its text is made safe to print.
struct Cell: Sendable, ExpressibleByStringLiteral {
    let text: String
    let style: Style
    /// What it says in a column that is shortened.
    let brief: String

    init(_ text: String, _ style: Style = .plain, brief: String? = nil) {
        self.text = text.printable
        self.style = style
        self.brief = brief?.printable ?? self.text
    }

    init(stringLiteral value: String) { self.init(value) }
}

/// A table with a line of titles. Empty columns are left out. If the table is too wide, flexible columns shrink, the
/// widest first, and the main column as far as its share. Then columns are shortened or left out in the order that they
/// say, and flexible ones shrink further.
struct Table: Sendable {
    struct Column: Sendable, ExpressibleByStringLiteral {
        let title: String
        var isFlexible = false
        var alignsRight = false
        /// What the table is about.
        var isMain = false
        /// Which step it is, the first, second, …, to leave the column out of a table that is too wide, or to show its
        /// brief texts; nil for one that stays as it is.
        var step: Int?
        /// Whether the step is to show its brief texts.
        var isShortened = false

        init(title: String, isFlexible: Bool = false, alignsRight: Bool = false) {
            (self.title, self.isFlexible, self.alignsRight) = (title, isFlexible, alignsRight)
        }

        init(stringLiteral title: String) { self.init(title: title) }

        static func fixed(_ title: String) -> Column { Column(title: title) }
        static func flexible(_ title: String) -> Column { Column(title: title, isFlexible: true) }
        static func right(_ title: String) -> Column { Column(title: title, alignsRight: true) }

        static func main(_ title: String) -> Column {
            var column = flexible(title)
            column.isMain = true
            return column
        }

        func leaves(_ step: Int) -> Column {
            var column = self
            column.step = step
            return column
        }

        func shortens(_ step: Int) -> Column {
            var column = leaves(step)
            column.isShortened = true
            return column
        }
    }

    static let gap = 2
    /// The minimum width of a flexible column.
    static let narrowest = 6
    /// What a flexible column keeps, if it has so much, until no column can be left out any more: a word or two.
    static let readable = 12
    /// What the main column keeps until then: a third of the table, and in a narrow one a name with its number.
    static func share(of room: Int) -> Int { max(24, room * 7 / 20) }

    let columns: [Column]
    var rows: [[Cell]] = []

    /// Returns the names and values of facts, one per line, without empty values. A value that does not fit is broken at
    /// spaces, and starts on a line of its own if it has a word that does not fit.
    static func facts(_ facts: [(name: String, value: Cell)], on terminal: Terminal) -> String {
        let facts = facts.filter { !$0.value.text.isEmpty }
        let column = (facts.map(\.name.displayWidth).max() ?? 0) + gap
        return facts.map { name, value in
            let head = Style.dim.applied(to: name, on: terminal)
            let space = String(repeating: " ", count: column - name.displayWidth)
            guard let width = terminal.width, column + value.text.displayWidth > width else {
                return head + space + value.style.applied(to: value.text, on: terminal)
            }
            let isWide = value.text.split(separator: " ").contains { String($0).displayWidth > width - column }
            let indent = isWide ? gap : column
            let lines = value.text.lines(first: width - indent, rest: width - indent)
                .map { value.style.applied(to: $0, on: terminal) }
            let newLine = "\n" + String(repeating: " ", count: indent)
            return head + (isWide ? newLine : space) + lines.joined(separator: newLine)
        }.joined(separator: "\n")
    }

    func text(on terminal: Terminal) -> String {
        var rows = rows
        var shown = columns.indices.filter { column in
            rows.contains { column < $0.count && !$0[column].text.isEmpty }
        }
        var steps = shown.filter { columns[$0].step != nil }
            .sorted { (columns[$0].step ?? 0) < (columns[$1].step ?? 0) }[...]
        var widths = fittedWidths(of: shown, rows, in: terminal.width)
        while widths.isCut, let next = steps.popFirst() {
            if columns[next].isShortened {
                rows = rows.map { $0.shortening(next) }
            } else {
                shown.removeAll { $0 == next }
            }
            widths = fittedWidths(of: shown, rows, in: terminal.width)
        }
        return ([columns.map { Cell($0.title, .dim) }] + rows).map { row in
            var line = ""
            var spaces = 0
            for (column, width) in zip(shown, widths.columns) where column < row.count {
                let text = row[column].text.truncated(to: width)
                let rest = width - text.displayWidth
                spaces += columns[column].alignsRight ? rest : 0
                if !text.isEmpty {
                    line += String(repeating: " ", count: spaces) + row[column].style.applied(to: text, on: terminal)
                    spaces = 0
                }
                spaces += (columns[column].alignsRight ? 0 : rest) + Self.gap
            }
            return line
        }.joined(separator: "\n")
    }

    /// - Returns: the width of each column, and whether the main column has less than its share, or another too little.
    private func fittedWidths(of shown: [Int], _ rows: [[Cell]], in room: Int?) -> (columns: [Int], isCut: Bool) {
        var widths = shown.map { column in
            let cells = rows.map { column < $0.count ? $0[column].text.displayWidth : 0 }
            return max(cells.max() ?? 0, columns[column].title.displayWidth)
        }
        guard let room else { return (widths, false) }
        var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - room
        /// Takes from the widest columns until the table fits, or each is as narrow as `least` says.
        func shrink(to least: (Column) -> Int) {
            while excess > 0 {
                let wide = shown.indices.filter { widths[$0] > least(columns[shown[$0]]) }
                guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { return }
                widths[widest] -= 1
                excess -= 1
            }
        }
        shrink { $0.isMain ? Self.share(of: room) : $0.isFlexible ? Self.readable : .max }
        let isCut = excess > 0
        shrink { $0.isFlexible ? Self.narrowest : .max }
        return (widths, isCut)
    }
}

extension [Cell] {
    /// The row with the brief text in one column.
    fileprivate func shortening(_ column: Int) -> [Cell] {
        guard column < count else { return self }
        var row = self
        row[column] = Cell(row[column].brief, row[column].style)
        return row
    }
}
