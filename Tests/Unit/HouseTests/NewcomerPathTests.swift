// The ways of a call that CONTRIBUTING.md shows exist.

import Foundation
import Testing

@Suite struct NewcomerPathTests {
    @Test func stepsExist() throws {
        let text = try String(contentsOf: Repository.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("The path of a call") })
        let sources = Dictionary(grouping: try Repository.files(below: "Sources"), by: \.name)
        let ways = section.components(separatedBy: ":\n\n").dropFirst()
        #expect(ways.count == 2)
        for way in ways {
            let steps = way.split(separator: "\n").prefix { $0.first?.isNumber == true }
            #expect((6...12).contains(steps.count), "a way has at most twelve steps")
            for step in steps {
                let places = step.matches(of: /`([\w+]+\.swift)` `(\w+)`/)
                #expect(!places.isEmpty, "a step names a file and its function: \(step)")
                for place in places {
                    let (file, function) = (String(place.1), String(place.2))
                    let has = sources[file]?.first?.lines.contains { line in
                        line.contains("func \(function)(") || line.contains("func \(function)<")
                    }
                    #expect(has == true, "\(file) has no function \(function)")
                }
            }
        }
    }
}
