// The methods that the store answers and the host hands on, as both declare them.

public import DBus

public enum StoreMember {
    /// Methods of Recents1.
    public enum Recents {
        public static let list = MethodSignature(
            "List", in: ["filter": "a{sv}", "offset": "u", "limit": "u"], out: ["rows": "aa{sv}"])
        /// The keys of `filter`.
        public static let filterKeys: Set<String> = [
            "text", "provider-id", "direction", "missed", "handle", "since", "until", "before",
        ]
        public static let get = MethodSignature("Get", in: ["ids": "ax"], out: ["rows": "aa{sv}"])
        public static let markRead = MethodSignature("MarkRead", in: ["ids": "ax"], out: ["marked": "u"])
        public static let markAllRead = MethodSignature("MarkAllRead", out: ["marked": "u"])
        public static let delete = MethodSignature("Delete", in: ["ids": "ax"], out: ["deleted": "u"])
        public static let clear = MethodSignature("Clear")
        public static let setRetention = MethodSignature("SetRetention", in: ["days": "u", "rows": "u"])
    }

    /// Methods of Favorites1.
    public enum Favorites {
        public static let list = MethodSignature("List", out: ["favorites": "aa{sv}"])
        public static let add = MethodSignature(
            "Add", in: ["handle": "(ss)", "name": "s", "provider": "s"], out: ["id": "x"])
        public static let remove = MethodSignature("Remove", in: ["id": "x"])
        public static let move = MethodSignature("Move", in: ["id": "x", "position": "u"])
    }

    /// Methods of Directory1.
    public enum Directory {
        public static let identify = MethodSignature("Identify", in: ["handle": "s"], out: ["known": "a{sv}"])
        public static let findPeople = MethodSignature("FindPeople", in: ["name": "s"], out: ["people": "aa{sv}"])
        public static let contacts = MethodSignature("Contacts", out: ["report": "a{sv}"])
    }

    /// Methods of Rules1.
    public enum Rules {
        public static let block = MethodSignature("Block", in: ["rule": "s"])
        public static let unblock = MethodSignature("Unblock", in: ["rule": "s"], out: ["removed": "u"])
        public static let blocked = MethodSignature("Blocked", out: ["rules": "as"])
        public static let allow = MethodSignature("Allow", in: ["rule": "s"])
        public static let disallow = MethodSignature("Disallow", in: ["rule": "s"], out: ["removed": "u"])
        public static let allowed = MethodSignature("Allowed", out: ["rules": "as"])
        public static let readRule = MethodSignature("ReadRule", in: ["rule": "s"], out: ["read": "a{sv}"])
    }
}
