// SnapName: which snap a process belongs to, by the security label of its connection and by its control group.

/// Reads the id `snap.NAME` of a Snap; portals use the same ids.
enum SnapName {
    /// The Snap of an AppArmor label, such as `snap.phone.app (enforce)`. nil for other labels, and in the mode
    /// `complain`, which classic Snaps have: their control group identifies them.
    static func of(label: String) -> String? {
        guard !label.hasSuffix("(complain)") else { return nil }
        return id(String(label.prefix { $0 != " " }))
    }

    /// The Snap of a process, by its file `/proc/PID/cgroup`: its scope is `snap.phone.app-UUID.scope`, and its
    /// services are named likewise.
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
        guard parts.count >= 3, parts[0] == "snap", AppID.isValid(String(parts[1])) else { return nil }
        return "snap.\(parts[1])"
    }
}
