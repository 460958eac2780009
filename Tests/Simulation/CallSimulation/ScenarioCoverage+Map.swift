// The map of cells as a page of text.

extension ScenarioCoverage {
    /// Every cell with a file that covers it, and the cells that no file covers.
    package var map: String {
        let covered = covered
        let all = Cell.all
        let reached = all.filter { covered[$0] != nil }
        var text = """
            # The cells of the decision table

            Written by `make cells`, with the scenarios that it names.

            A cell is an event with all that matters for it: the state of its call, who is in the way and whether that can be
            held, of which provider, what the request says of conflicts, and the policy's row where one applies
            (`Tests/Simulation/CallSimulation/Cell.swift`). The simulation reaches cells at random; each cell that it reaches
            has a scenario. Those that it did not reach are rare or impossible; they are listed below without a file.

            \(all.count) cells: \(reached.count) with a scenario, \(all.count - reached.count) not reached.

            """
        for event in Cell.Event.allCases {
            let cells = all.filter { $0.event == event }
            let shown = cells.filter { covered[$0] != nil }
            text += "\n## \(event.rawValue): \(shown.count) of \(cells.count)\n\n"
            for cell in shown {
                let files = covered[cell] ?? []
                let more = files.count > 1 ? " and \(files.count - 1) more" : ""
                text += "- \(cell.text): `\(files[0])`\(more)\n"
            }
            let missing = cells.filter { covered[$0] == nil }
            if !missing.isEmpty {
                text += "\nNot reached: " + missing.map(\.text).joined(separator: "; ") + ".\n"
            }
        }
        return text
    }
}

extension Cell {
    fileprivate var text: String { facts.map(\.rawValue).joined(separator: ", ") }
}
