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
            case let verb: throw Arguments.Wrong(description: "\(verb) is no verb: run, play, scenarios, cells")
            }
        } catch {
            FileHandle.standardError.write(Data("simulator: \(error)\n".utf8))
            exit(2)
        }
    }

    /// `run --steps N --seed S [--seconds T] [--jobs J] [--conformance FOLDER]`: plays at random, on as many cores as
    /// there are jobs. Each cell that is reached must be covered by a scenario in the folder.
    private static func run(_ arguments: Arguments) async throws {
        let seed = UInt64(try arguments.number("seed") ?? 1)
        let start = ContinuousClock.now
        let campaign = try await campaign(arguments, from: seed)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let rate = Int(Double(campaign.steps) / seconds)
        print(
            "simulation: \(campaign.steps) steps in \(campaign.episodes) courses of events from seed \(seed), "
                + "\(String(format: "%.1f", seconds)) s, \(rate) steps/s")
        if arguments.flags.contains("verbose") {
            for (what, count) in campaign.counts.sorted(by: { $0.key < $1.key }) { print("  \(what) × \(count)") }
        }
        if let failure = campaign.failure {
            print("seed \(failure.seed): \(failure.what)\n\n\(failure.scenario)")
            exit(1)
        }
        guard let folder = arguments.text("conformance") else { return }
        try compare(campaign, Conformance(folder: URL(filePath: folder)))
    }

    private static func campaign(_ arguments: Arguments, from seed: UInt64) async throws -> Campaign {
        let steps = try arguments.number("steps") ?? 1_000_000
        let jobs = max(1, try arguments.number("jobs") ?? 2)
        let end = try arguments.number("seconds").map { ContinuousClock.now + .seconds($0) }
        return await withTaskGroup(of: Campaign.self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var campaign = Campaign()
                    campaign.run(
                        steps: steps / jobs, from: seed + UInt64(job), stride: UInt64(jobs),
                        isOver: { _ in end.map { ContinuousClock.now >= $0 } ?? false })
                    return campaign
                }
            }
            var all = Campaign()
            for await one in group { all.merge(one) }
            return all
        }
    }

    private static func compare(_ campaign: Campaign, _ conformance: Conformance) throws {
        let reached = campaign.reached.keys.sorted()
        let missing = reached.filter { conformance.covered[$0] == nil }
        let shown = Cell.all.count { conformance.covered[$0] != nil }
        print(
            "arbitration: \(conformance.rules.intersection(1...23).count) of 23 rules shown, "
                + "\(reached.count - missing.count) of \(reached.count) cells reached are covered, "
                + "\(shown) of \(Cell.all.count) on the map, by \(conformance.files.count) scenarios, \(campaign.steps) steps simulated"
        )
        let strange = Set(reached).union(conformance.covered.keys).subtracting(Cell.all).sorted()
        if !strange.isEmpty { print("not on the map:\n" + strange.map { "  \($0)" }.joined(separator: "\n")) }
        if !missing.isEmpty {
            print("reached, and no scenario shows it (`make cells` writes one):")
            for cell in missing { print("  \(cell)") }
            if let cell = missing.first, let sighting = campaign.reached[cell] {
                print("\n" + (Filler.scenario(for: cell, sighting)?.text ?? "seed \(sighting.seed)"))
            }
        }
        if !missing.isEmpty || !strange.isEmpty { exit(1) }
    }

    /// `play --seed S`: one course of events with all that follows, as a scenario.
    private static func play(_ arguments: Arguments) throws {
        var simulation = Simulation(seed: UInt64(try arguments.number("seed") ?? 1))
        simulation.run()
        let lines = simulation.play.lines
        let play = Play(lines, simulation.play.machine.policy, isRecording: true)
        print(play.scenario("A course of events at random").text, terminator: "")
    }

    /// `scenarios FOLDER|FILE…`: runs scenario files; names those whose transcript is another or that break a promise.
    private static func scenarios(_ arguments: Arguments) throws {
        var wrong: [String] = []
        func run(_ scenario: Scenario, _ name: String) {
            let (now, violations) = scenario.recorded()
            if let violation = violations.first {
                wrong.append("\(name): \(violation)")
            } else if now.text != scenario.text {
                wrong.append("\(name): another transcript")
            }
        }
        var count = 0
        for path in arguments.rest {
            let url = URL(filePath: path)
            if path.hasSuffix(".scenario") {
                run(try Scenario(text: String(contentsOf: url, encoding: .utf8)), path)
                count += 1
            } else {
                let files = try Conformance(folder: url).files
                for file in files { run(file.scenario, file.name) }
                count += files.count
            }
        }
        for line in wrong { print(line) }
        print("\(count - wrong.count) of \(count) scenarios as recorded")
        if !wrong.isEmpty { exit(1) }
    }

    /// `cells --conformance FOLDER --map FILE [--steps N] [--seed S]`: writes a scenario for each cell that is reached and has
    /// none, then the map.
    private static func cells(_ arguments: Arguments) async throws {
        guard let path = arguments.text("conformance"), let map = arguments.text("map") else {
            throw Arguments.Wrong(description: "--conformance and --map are needed")
        }
        let folder = URL(filePath: path)
        var conformance = try Conformance(folder: folder)
        let campaign = try await campaign(arguments, from: UInt64(try arguments.number("seed") ?? 1))
        let missing = campaign.reached.filter { conformance.covered[$0.key] == nil }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        var queue = missing[...]
        while !queue.isEmpty {
            // Two at a time; those that lie on the way to another are covered by its scenario.
            let batch = queue.prefix(2)
            let written = await withTaskGroup(of: (Cell, Scenario?).self) { group in
                for (cell, sighting) in batch { group.addTask { (cell, Filler.scenario(for: cell, sighting)) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            queue = queue.dropFirst(2)
            for case (let cell, let scenario?) in written where conformance.covered[cell] == nil {
                let name = "cells/\(cell.name)"
                try FileManager.default.createDirectory(
                    at: folder.appending(path: "cells"), withIntermediateDirectories: true)
                try scenario.text.write(
                    to: folder.appending(path: name + ".scenario"), atomically: true, encoding: .utf8)
                conformance.note(Conformance.cells(of: scenario), name)
                print("written: \(name)")
            }
            queue = queue.filter { conformance.covered[$0.key] == nil }[...]
        }
        // Read anew, so that the map names the files in their order.
        try Conformance(folder: folder).map.write(toFile: map, atomically: true, encoding: .utf8)
    }
}
