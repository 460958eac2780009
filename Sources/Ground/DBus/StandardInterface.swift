// StandardInterface: the interfaces and the bus driver of the D-Bus specification.

/// The interfaces that the specification defines for every object.
public enum StandardInterface {
    public static let introspectable = "org.freedesktop.DBus.Introspectable"
    public static let properties = "org.freedesktop.DBus.Properties"
    public static let peer = "org.freedesktop.DBus.Peer"
    public static let objectManager = "org.freedesktop.DBus.ObjectManager"

    static let introspectableXML = """
          <interface name="\(introspectable)">
            <method name="Introspect">
              <arg name="xml" type="s" direction="out"/>
            </method>
          </interface>
        """

    static let peerXML = """
          <interface name="\(peer)">
            <method name="Ping"/>
            <method name="GetMachineId">
              <arg name="machine_uuid" type="s" direction="out"/>
            </method>
          </interface>
        """

    static let propertiesXML = """
          <interface name="\(properties)">
            <method name="Get">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <method name="GetAll">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="properties" type="a{sv}" direction="out"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface_name" type="s"/>
              <arg name="changed_properties" type="a{sv}"/>
              <arg name="invalidated_properties" type="as"/>
            </signal>
          </interface>
        """

    static let objectManagerXML = """
          <interface name="\(objectManager)">
            <method name="GetManagedObjects">
              <arg name="objects" type="a{oa{sa{sv}}}" direction="out"/>
            </method>
            <signal name="InterfacesAdded">
              <arg name="object" type="o"/>
              <arg name="interfaces" type="a{sa{sv}}"/>
            </signal>
            <signal name="InterfacesRemoved">
              <arg name="object" type="o"/>
              <arg name="interfaces" type="as"/>
            </signal>
          </interface>
        """
}

/// The bus itself, as a peer (`org.freedesktop.DBus`).
public enum BusDriver {
    public static let name = "org.freedesktop.DBus"
    public static let interface = "org.freedesktop.DBus"
    public static let path: ObjectPath = "/org/freedesktop/DBus"
}
