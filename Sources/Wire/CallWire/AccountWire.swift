// The account that SetAccounts of AccountsDelegate1 carries.

public import DBus

/// The id, the generation, the settings and the secrets.
public typealias AccountWire = Struct<String, UInt32, VariantDictionary, [String: [UInt8]]>
