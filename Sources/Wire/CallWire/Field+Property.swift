// Published properties as objects on the bus serve them.

public import CallModel
public import DBus
import EventLoop

extension Published {
    /// The properties of which these are told, as a server has them whose values `published` returns.
    public static func properties<Server: AnyObject>(
        for audience: PropertyAudience, _ published: @escaping @LoopActor (Server) -> Self
    ) -> [Property<Server>] {
        fields.filter { $0.audience == audience }.map { $0.property(of: published) }
    }
}

extension Field {
    private var changes: PropertyChanges {
        switch audience {
        case .trusted: .invalidates
        case .everybody: isConstant ? .constant : .value
        }
    }

    fileprivate func property<Server: AnyObject>(
        of published: @escaping @LoopActor (Server) -> Object
    ) -> Property<Server> {
        Property(
            name, kind.signature, changes: changes,
            append: { server, writer throws(DBusError) in try encode(published(server)).append(to: &writer) },
            differs: { differs(published($0), published($1)) })
    }
}
