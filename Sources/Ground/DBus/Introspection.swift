// Introspection: tables as the XML that the specification wants.

extension InterfaceTable {
    /// The `<interface>` element, indented by two.
    var introspectionXML: String {
        var lines = ["  <interface name=\"\(name)\">"]
        lines += Introspection.annotations(annotations, indent: "    ")
        for member in members { lines += Introspection.lines(member, announcesValues) }
        lines.append("  </interface>")
        return lines.joined(separator: "\n")
    }
}

enum Introspection {
    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        """

    static func document(_ interfaces: [String], children: [String]) -> String {
        let nodes = children.sorted().map { "  <node name=\"\($0)\"/>" }
        return ([head, "<node>"] + interfaces + nodes + ["</node>", ""]).joined(separator: "\n")
    }

    static func lines(_ member: MemberDescription, _ announcesValues: Bool) -> [String] {
        switch member.kind {
        case .method(let method):
            let arguments =
                method.inputs.map { argument($0, direction: "in") }
                + method.outputs.map { argument($0, direction: "out") }
            return element("method", "name=\"\(member.name)\"", arguments + annotations(member.annotations))
        case .signal(let arguments):
            return element(
                "signal", "name=\"\(member.name)\"", arguments.map { argument($0) } + annotations(member.annotations))
        case .property(let property):
            let access = property.set == nil ? "read" : "readwrite"
            let changes = !announcesValues && property.changes == .value ? .invalidates : property.changes
            var all = member.annotations
            if changes != .value { all["org.freedesktop.DBus.Property.EmitsChangedSignal"] = changes.rawValue }
            let attributes = "name=\"\(member.name)\" type=\"\(property.signature)\" access=\"\(access)\""
            return element("property", attributes, annotations(all))
        }
    }

    private static func element(_ name: String, _ attributes: String, _ inside: [String]) -> [String] {
        inside.isEmpty
            ? ["    <\(name) \(attributes)/>"] : ["    <\(name) \(attributes)>"] + inside + ["    </\(name)>"]
    }

    private static func argument(_ argument: ArgumentDescription, direction: String? = nil) -> String {
        let name = argument.name.isEmpty ? "" : " name=\"\(argument.name.escapedXML)\""
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        return "      <arg\(name) type=\"\(argument.signature)\"\(direction)/>"
    }

    static func annotations(_ annotations: [String: String], indent: String = "      ") -> [String] {
        annotations.sorted { $0.key < $1.key }.map { name, value in
            "\(indent)<annotation name=\"\(name.escapedXML)\" value=\"\(value.escapedXML)\"/>"
        }
    }
}

extension String {
    /// This text as XML that stands for it, in elements and in attributes.
    public var escapedXML: String {
        var result = ""
        for character in self {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
