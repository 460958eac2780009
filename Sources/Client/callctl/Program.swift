// The entry point: parse, run the command on the loop, exit with its outcome.

import ArgumentParser
import EventLoop
import Glibc

@main
enum Program {
    static func main() {
        signal(SIGPIPE, SIG_IGN)  // a closed output has an exit code of its own
        do {
            var command = try Callctl.command(from: try ProcessEnvironment.arguments)
            guard let command = command as? any LoopCommand else {
                try command.run()
                exit(CallctlExit.done.rawValue)
            }
            let output = Output(isJSON: command.printsJSON, terminal: .current())
            Loop.shared.post {
                Task { @LoopActor in
                    exit(await outcome(of: command, output).rawValue)
                }
            }
            Loop.shared.run()
        } catch {
            Callctl.finish(error)
        }
    }

    @LoopActor
    private static func outcome(of command: any LoopCommand, _ output: Output) async -> CallctlExit {
        do {
            try await command.execute(output)
            return .done
        } catch {
            if error.outcome != .outputClosed { Output.complain(error.message) }
            return error.outcome
        }
    }
}
