// The names of the methods that only programs of OpenCallKit call.
// Written by `make fmt` from dbus/*.xml.

public enum PrivateMember {
    /// Members of Store1, from callkitd to callkit-store and, the signal, back.
    public enum Store {
        public static let lookUp = "LookUp"
        public static let preferredProvider = "PreferredProvider"
        public static let record = "Record"
        public static let recent = "Recent"
        public static let setExtensions = "SetExtensions"
        public static let setStatus = "SetStatus"
        public static let reloadDirectory = "ReloadDirectory"
        public static let directoryChanged = "DirectoryChanged"
    }

    /// Methods of ContactsHost1, from callkit-contacts to callkit-store.
    public enum Contacts {
        public static let hello = "Hello"
        public static let enter = "Enter"
        public static let read = "Read"
        public static let add = "Add"
        public static let complain = "Complain"
        public static let complete = "Complete"
    }

    /// Members of Secrets1, from callkitd to callkit-secrets and, the signal, back.
    public enum Secrets {
        public static let store = "Store"
        public static let lookUp = "LookUp"
        public static let clear = "Clear"
        public static let unlock = "Unlock"
        public static let keyringChanged = "KeyringChanged"
    }

    /// The method of Screener1, from callkitd to a client that screens calls.
    public enum Screener {
        public static let screen = "Screen"
    }

    /// The methods of AudioAgent1, from callkitd to the audio agent.
    public enum AudioAgent {
        public static let prepare = "Prepare"
        public static let finish = "Finish"
    }
}
