// EndurancePoints: the points about what many calls leave behind.

import CallModel
import EventLoop

/// The resources of a worker before and after many calls.
struct Endurance {
    let calls: Int
    /// In bytes.
    let memory: (before: Int, after: Int)?
    let descriptors: (before: Int, after: Int)?
    let duration: Duration
}

@LoopActor
struct EndurancePoints: PointGroup {
    let examination: Examination

    func examineMemory() async throws(Unmet) -> String {
        let run = try await endure()
        guard let memory = run.memory else { throw .notTried("the kernel does not show the worker's memory") }
        let growth = memory.after - memory.before
        let text =
            "\(growth / run.calls) bytes a call, \(growth / 1_024) KiB over \(run.calls) calls in \(run.duration.text)"
        guard growth <= run.calls * examination.options.memoryPerCall else {
            throw .failed("\(text), at most \(examination.options.memoryPerCall) bytes a call are allowed")
        }
        return text
    }

    func examineDescriptors() async throws(Unmet) -> String {
        let run = try await endure()
        guard let descriptors = run.descriptors else { throw .notTried("the kernel does not show the open files") }
        let text = "\(descriptors.before) before, \(descriptors.after) after \(run.calls) calls"
        // A runtime may open a file for itself.
        guard descriptors.after <= descriptors.before + 2 else { throw .failed(text) }
        return text
    }

    /// Makes the calls once, for both points.
    private func endure() async throws(Unmet) -> Endurance {
        if let endurance = examination.endurance { return try endurance.get() }
        let result: Result<Endurance, Unmet>
        do throws(Unmet) {
            result = .success(try await makeCalls())
        } catch {
            result = .failure(error)
        }
        examination.endurance = result
        return try result.get()
    }

    private func makeCalls() async throws(Unmet) -> Endurance {
        let isOutgoing = await examination.passed(.start)
        if !isOutgoing { try await examination.require(.answer) }
        try await examination.require(.end)
        let host = try await examination.stage()
        let meter = ProcessMeter(pid: host.pid)
        // Fills allocators and caches first.
        try await make(max(1, examination.options.calls / 4), isOutgoing, on: host)
        let (memory, descriptors) = (meter.memory, meter.descriptors)
        let start = MonotonicTime.now
        try await make(examination.options.calls, isOutgoing, on: host)
        let after = (memory: meter.memory, descriptors: meter.descriptors)
        return Endurance(
            calls: examination.options.calls, memory: Self.pair(memory, after.memory),
            descriptors: Self.pair(descriptors, after.descriptors),
            duration: MonotonicTime.now.duration(since: start))
    }

    private func make(_ count: Int, _ isOutgoing: Bool, on host: ExaminingHost) async throws(Unmet) {
        for _ in 0..<count {
            let id: CallID
            if isOutgoing {
                id = try await start(on: host).0
            } else {
                id = try await ring(on: host)
                try await fulfilled(.answer(id), on: host)
            }
            try await fulfilled(.end(id, reason: ""), on: host)
        }
        try await answersPing(host)
    }

    private static func pair(_ before: Int?, _ after: Int?) -> (before: Int, after: Int)? {
        guard let before, let after else { return nil }
        return (before, after)
    }
}
