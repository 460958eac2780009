// Asks a terminal how wide it is.

internal import CSystem

public enum TerminalWindow {
    /// Returns the number of columns; nil if the terminal does not say, or if the descriptor is none.
    public static func columns(of descriptor: Int32) -> Int? {
        let columns = ock_terminal_columns(descriptor)
        return columns > 0 ? Int(columns) : nil
    }
}
