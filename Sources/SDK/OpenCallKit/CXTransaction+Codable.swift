// Encodes and decodes a transaction: its actions with their kinds.

extension CXTransaction: Codable {
    private enum CodingKeys: CodingKey {
        case uuid, actions
    }

    private enum ActionKeys: CodingKey {
        case kind, action
    }

    /// The names are those of the kinds on the bus.
    private static let kinds: [(name: String, type: CXAction.Type)] = [
        ("start", CXStartCallAction.self), ("answer", CXAnswerCallAction.self), ("end", CXEndCallAction.self),
        ("set-held", CXSetHeldCallAction.self), ("set-muted", CXSetMutedCallAction.self),
        ("set-group", CXSetGroupCallAction.self), ("play-dtmf", CXPlayDTMFCallAction.self),
        ("set-translating", CXSetTranslatingCallAction.self), ("transfer", CXTransferCallAction.self),
        ("answer-transfer", CXAnswerTransferCallAction.self),
        ("custom", CXCustomAction.self),
        ("service-code", CXServiceCodeAction.self),
    ]

    /// Decodes a transaction. Answering the actions of the copy has no effect on the system. CallKit uses
    /// NSSecureCoding here.
    /// - Throws: `DecodingError` for an action of an unknown kind.
    public convenience init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        var list = try values.nestedUnkeyedContainer(forKey: .actions)
        var actions: [CXAction] = []
        while !list.isAtEnd {
            let entry = try list.nestedContainer(keyedBy: ActionKeys.self)
            let name = try entry.decode(String.self, forKey: .kind)
            guard let kind = Self.kinds.first(where: { $0.name == name }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .kind, in: entry, debugDescription: "no action kind \"\(name)\"")
            }
            actions.append(try kind.type.init(from: entry.superDecoder(forKey: .action)))
        }
        self.init(uuid: try values.decode(UUID.self, forKey: .uuid), actions: actions)
    }

    /// Encodes the actions with their kinds.
    /// - Throws: `EncodingError` for an action without a kind.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(uuid, forKey: .uuid)
        var list = values.nestedUnkeyedContainer(forKey: .actions)
        for action in actions {
            guard let kind = Self.kinds.first(where: { type(of: action) == $0.type }) else {
                throw EncodingError.invalidValue(
                    action, .init(codingPath: list.codingPath, debugDescription: "\(type(of: action)) has no kind"))
            }
            var entry = list.nestedContainer(keyedBy: ActionKeys.self)
            try entry.encode(kind.name, forKey: .kind)
            try action.encode(to: entry.superEncoder(forKey: .action))
        }
    }
}
