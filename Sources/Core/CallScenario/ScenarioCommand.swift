// ScenarioCommand: one line of a scenario file, as a value.

package import CallCore
package import CallModel

/// What `ScenarioRunner` can be told to do; it describes each.
package indirect enum ScenarioCommand: Sendable {
    case input(Input)
    case given(ScenarioCommand)
    case advance(milliseconds: UInt32)
    case elapse(microseconds: UInt64)
    case fulfilAll, waitOut, rest, gone, check
    case explain(CallID)
    case plan(Request)

    /// Reads one line.
    ///
    /// - Parameter reply: for a report or a request without a number.
    /// - Throws: `InvalidArguments` naming what is missing or invalid.
    package init(line: String, reply: ReplyID = ReplyID(0)) throws(CallError) {
        let verb = line.prefix { $0 != " " }
        let rest = String(line.dropFirst(verb.count + 1))
        switch verb {
        case "given":
            guard !rest.hasPrefix("given ") else { throw CallError(.invalidArguments, "given twice: \(line)") }
            self = .given(try ScenarioCommand(line: rest, reply: reply))
        case "advance":
            guard let time = UInt32(rest) else { throw CallError(.invalidArguments, "not a number of ms: \(line)") }
            self = .advance(milliseconds: time)
        case "elapse":
            guard let time = UInt64(rest) else { throw CallError(.invalidArguments, "not a number of µs: \(line)") }
            self = .elapse(microseconds: time)
        case "explain":
            guard let call = CallID(scenarioText: rest) else {
                throw CallError(.invalidArguments, "not a call: \(line)")
            }
            self = .explain(call)
        case "fulfil-all": self = .fulfilAll
        case "wait-out": self = .waitOut
        case "rest": self = .rest
        case "gone": self = .gone
        case "check": self = .check
        case "plan":
            guard case .requested(let request, _) = try Input(line: "request " + rest) else {
                throw CallError(.invalidArguments, "not a request: \(line)")
            }
            self = .plan(request)
        default: self = .input(try Input(line: line, reply: reply))
        }
    }

    /// How much time it lets pass by itself, in µs.
    package var duration: UInt64 {
        switch self {
        case .given(let command): command.duration
        case .advance(let milliseconds): UInt64(milliseconds) * 1_000
        case .elapse(let microseconds): microseconds
        default: 0
        }
    }

    /// Returns the same command for a scenario in which everything takes `speed` times less time.
    ///
    /// - Parameter passed: the time that the file has let pass so far, in µs. What is rounded off now comes later.
    func accelerated(_ speed: UInt32, _ passed: inout UInt64) -> ScenarioCommand {
        /// Returns how many of the units go by.
        func share(of unit: UInt64) -> UInt64 {
            let step = unit * UInt64(speed)
            let before = passed / step
            passed += duration
            return passed / step - before
        }
        switch self {
        case .given(let command): return .given(command.accelerated(speed, &passed))
        case .advance: return .advance(milliseconds: UInt32(clamping: share(of: 1_000)))
        case .elapse: return .elapse(microseconds: share(of: 1))
        case .input(.requested(let request, let reply)):
            return .input(.requested(request.accelerated(speed), reply: reply))
        case .plan(let request): return .plan(request.accelerated(speed))
        default: return self
        }
    }
}

extension Request {
    fileprivate func accelerated(_ speed: UInt32) -> Request {
        var request = self
        request.timeout = timeout.map { max(1, $0 / speed) }
        return request
    }
}
