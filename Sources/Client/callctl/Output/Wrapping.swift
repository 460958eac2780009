// Breaks text into lines that fit.

extension String {
    /// Returns these lines with those that do not fit broken at spaces. What follows is indented to the second word of
    /// the broken line, or by two more than that line itself if it is indented.
    func fitted(to width: Int?) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard let width, line.first == " " else { return String(line).wrapped(to: width) }
            let indent = min(line.prefix { $0 == " " }.count, width / 2)
            return String(line.dropFirst(indent)).wrapped(to: width - indent, indent: 2)
                .split(separator: "\n").map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Returns this text in lines that fit, broken at spaces.
    ///
    /// - Parameter indent: that of later lines; nil for that of the second word of the first. It is smaller where a word
    ///   would not fit otherwise.
    func wrapped(to width: Int?, indent: Int? = nil) -> String {
        guard let width, displayWidth > width else { return self }
        let widest = split(separator: " ").map { String($0).displayWidth }.filter { $0 <= width }.max() ?? 0
        let indent = Swift.min(indent ?? secondWord, width / 2, width - widest)
        return lines(first: width, rest: width - indent).joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    /// The column in which the second word begins, as in a line of two columns.
    private var secondWord: Int {
        let word = prefix { $0 != " " }
        return String(word).displayWidth + dropFirst(word.count).prefix { $0 == " " }.count
    }

    /// Returns the words of this text in lines of these widths, with the spaces that are between those of a line. A word
    /// that is wider than a line is broken.
    func lines(first: Int, rest: Int) -> [String] {
        var lines: [String] = []
        var spaces = ""
        for word in split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            defer { spaces += " " }
            if word.isEmpty { continue }
            let room = lines.count > 1 ? rest : first
            if let line = lines.last, line.displayWidth + spaces.count + word.displayWidth <= room {
                lines[lines.count - 1] += spaces + word
            } else {
                let isFirst = lines.isEmpty && word.displayWidth <= first
                lines += isFirst ? [word] : word.pieces(of: max(1, Swift.min(first, rest)))
            }
            spaces = ""
        }
        return lines
    }

    private func pieces(of width: Int) -> [String] {
        guard displayWidth > width else { return [self] }
        var pieces: [String] = []
        for character in self {
            if let piece = pieces.last, piece.displayWidth + character.displayWidth <= width {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
        }
        return pieces
    }
}
