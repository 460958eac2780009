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
            case "scenarios": try scenarios(arguments)
            case "cells": try await cells(arguments)
            case let verb: throw Arguments.Wrong(description: "unknown verb \(verb): run, play, scenarios, cells")
            }
        } catch {
            FileHandle.standardError.write(Data("simulator: \(error)\n".utf8))
            exit(2)
        }
    }

    /// `run --steps N --seed S [--seconds T] [--jobs J] [--verbose]`: simulates at random, with so many simulations at
    /// the same time; exits with 1 and a scenario if a promise is broken.
    private static func run(_ arguments: Arguments) async throws { _ = try await series(arguments) }

    static func series(_ arguments: Arguments) async throws -> SimulationSeries {
        let seed = UInt64(try arguments.number("seed") ?? 1)
        let start = ContinuousClock.now
        let series = try await simulate(arguments, from: seed)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(series.steps) / seconds)
        print(
            "simulation: \(series.steps) steps in \(series.simulations) simulations from seed \(seed), "
                + "\(String(format: "%.1f", seconds)) s, \(rate) steps/s")
        if arguments.flags.contains("verbose") {
            for (what, count) in series.counts.sorted(by: { $0.key < $1.key }) { print("  \(what) × \(count)") }
        }
        if let failure = series.failure {
            print("seed \(failure.seed): \(failure.what)\n\n\(failure.scenario)")
            exit(1)
        }
        return series
    }

    private static func simulate(_ arguments: Arguments, from seed: UInt64) async throws -> SimulationSeries {
        let steps = try arguments.number("steps") ?? 1_000_000
        let jobs = try arguments.jobs
        let end = try arguments.number("seconds").map { ContinuousClock.now + .seconds($0) }
        return await withTaskGroup(of: SimulationSeries.self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var series = SimulationSeries()
                    series.run(
                        steps: steps / jobs, from: seed + UInt64(job), stride: UInt64(jobs),
                        isOver: { _ in end.map { ContinuousClock.now >= $0 } ?? false })
                    return series
                }
            }
            var all = SimulationSeries()
            for await one in group { all.merge(one) }
            return all
        }
    }

    /// `play --seed S`: prints one simulation with all that follows, as a scenario.
    private static func play(_ arguments: Arguments) throws {
        var simulation = Simulation(seed: UInt64(try arguments.number("seed") ?? 1))
        simulation.run()
        let lines = simulation.runner.lines
        let recording = MoveRunner(lines, simulation.runner.machine.policy, isRecording: true)
        print(recording.scenario("A simulation at random").text, terminator: "")
    }

    /// `scenarios FOLDER|FILE… [--cells FOLDER]`: runs scenario files; names those with another transcript or a broken
    /// promise.
    private static func scenarios(_ arguments: Arguments) throws {
        var wrong: [String] = []
        var count = 0
        func run(_ scenario: Scenario, _ name: String) {
            count += 1
            let (now, violations) = scenario.recorded()
            if let violation = violations.first {
                wrong.append("\(name): \(violation)")
            } else if now.text != scenario.text {
                wrong.append("\(name): another transcript")
            }
        }
        for path in arguments.rest {
            let url = URL(filePath: path)
            if path.hasSuffix(".scenario") {
                run(try Scenario(text: String(contentsOf: url, encoding: .utf8)), path)
            } else {
                let files = ScenarioFiles(url, cells: arguments.text("cells").map { URL(filePath: $0) })
                for name in try files.names() + files.cells() { run(try files.read(name), name) }
            }
        }
        for line in wrong { print(line) }
        print("\(count - wrong.count) of \(count) scenarios as recorded")
        if !wrong.isEmpty { exit(1) }
    }
}
