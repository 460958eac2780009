// The cells that a simulation has reached, and after how many inputs each was reached first.

package import CallCore

package final class CellLog {
    package private(set) var first: [Cell: Int] = [:]
    private var inputs = 0

    package init() {}

    package func note(_ input: Input, _ machine: CallMachine) {
        inputs += 1
        for cell in Cell.of(input, machine) where first[cell] == nil { first[cell] = inputs }
    }
}
