// SnapName: which snap a process belongs to, by the security label of its connection and by its control group.

/// The id `snap.NAME` of a snap, as portals have it.
enum SnapName {
    /// The snap of a security label, such as `snap.phone.app (enforce)`. Nil for other labels, and for snaps that are
    /// not confined, whose mode is `complain`; their control group tells.
    static func of(label: String) -> String? {
        guard !label.hasSuffix("(complain)") else { return nil }
        return id(String(label.prefix { $0 != " " }))
    }

    /// The snap of a process, by its file `cgroup`: a scope `snap.phone.app-UUID.scope`, or a service of the snap.
    static func of(cgroup: String) -> String? {
        for line in cgroup.split(whereSeparator: \.isNewline) {
            let path = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
            for element in path.split(separator: "/") where element.hasPrefix("snap.") {
                if let id = id(String(element)) { return id }
            }
        }
        return nil
    }

    /// `snap.phone` of `snap.phone.app`; an instance `phone_work` is an app of its own.
    private static func id(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "snap", FlatpakInfo.isValid(String(parts[1])) else { return nil }
        return "snap.\(parts[1])"
    }
}
