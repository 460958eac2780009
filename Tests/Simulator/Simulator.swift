// The simulation as a program of its own, built for release: a million steps take seconds.

import CallCore
import CallScenario
import CallSimulation
import Foundation

@main struct Simulator {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            switch arguments.verb {
            case "run": try await run(arguments)
            case "play": try play(arguments)
            case let verb: throw Arguments.Wrong(description: "\(verb) is no verb: run or play")
            }
        } catch {
            FileHandle.standardError.write(Data("simulator: \(error)\n".utf8))
            exit(2)
        }
    }

    /// `run --steps N --seed S [--seconds T] [--jobs J]`: plays at random, on as many cores as there are jobs.
    private static func run(_ arguments: Arguments) async throws {
        let steps = try arguments.number("steps") ?? 1_000_000
        let seed = UInt64(try arguments.number("seed") ?? 1)
        let jobs = max(1, try arguments.number("jobs") ?? 2)
        let seconds = try arguments.number("seconds")
        let start = ContinuousClock.now
        let end = seconds.map { start + .seconds($0) }
        let campaign = await withTaskGroup(of: Campaign.self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var campaign = Campaign()
                    campaign.run(steps: steps / jobs, from: seed + UInt64(job), stride: UInt64(jobs)) { _ in
                        end.map { ContinuousClock.now >= $0 } ?? false
                    }
                    return campaign
                }
            }
            var all = Campaign()
            for await one in group { all.merge(one) }
            return all
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(campaign.steps) / elapsed)
        print(
            "simulation: \(campaign.steps) steps in \(campaign.episodes) courses of events from seed \(seed), "
                + "\(String(format: "%.1f", elapsed)) s, \(rate) steps/s")
        if arguments.flags.contains("verbose") {
            for (what, count) in campaign.counts.sorted(by: { $0.key < $1.key }) { print("  \(what) × \(count)") }
        }
        if let failure = campaign.failure {
            print("seed \(failure.seed): \(failure.what)\n\n\(failure.scenario)")
            exit(1)
        }
    }

    /// `play --seed S`: one course of events with all that follows, as a scenario.
    private static func play(_ arguments: Arguments) throws {
        var simulation = Simulation(seed: UInt64(try arguments.number("seed") ?? 1))
        simulation.run()
        let lines = simulation.play.lines
        let play = Play(lines, simulation.play.machine.policy, isRecording: true)
        print(play.scenario("A course of events at random").text, terminator: "")
    }
}
