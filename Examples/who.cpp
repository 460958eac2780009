// Prints who is on the phone, and how each call ends. With Qt 5:
//
// moc who.cpp -o who.moc
// g++ -fPIC who.cpp -o who $(pkg-config --cflags --libs Qt5DBus)
#include <QtDBus>

#include <cstdio>

typedef QMap<QString, QVariantMap> Interfaces;
typedef QMap<QDBusObjectPath, Interfaces> Objects;
Q_DECLARE_METATYPE(Interfaces)
Q_DECLARE_METATYPE(Objects)

static const char *NAME = "org.opencallkit.CallSystem1", *ROOT = "/org/opencallkit/CallSystem1";
static const char *OBJECTS = "org.freedesktop.DBus.ObjectManager", *PROPERTIES = "org.freedesktop.DBus.Properties";
static const char *CALL = "org.opencallkit.Call1", *IDENTITY = "org.opencallkit.CallIdentity1";

class Who : public QObject
{
    Q_OBJECT

public:
    Who()
    {
        // The root is not among the objects that it manages: its signals are connected by themselves.
        bus.connect(NAME, ROOT, NAME, "CallEnded", this, SLOT(ended(QDBusObjectPath, QString, QString)));
        bus.connect(NAME, ROOT, OBJECTS, "InterfacesAdded", this, SLOT(added(QDBusObjectPath, Interfaces)));
        bus.connect(NAME, "", PROPERTIES, "PropertiesChanged", {IDENTITY}, "sa{sv}as", this,
                    SLOT(changed(QString, QVariantMap, QStringList, QDBusMessage)));
        auto get = QDBusMessage::createMethodCall(NAME, ROOT, OBJECTS, "GetManagedObjects");
        const Objects objects = QDBusReply<Objects>(bus.call(get)).value();
        for (auto each = objects.begin(); each != objects.end(); ++each)
            added(each.key(), each.value());
    }

public slots:
    void added(const QDBusObjectPath &path, const Interfaces &interfaces)
    {
        if (interfaces.contains(CALL))
            read(path.path());
    }
    void changed(const QString &, const QVariantMap &, const QStringList &, const QDBusMessage &message)
    {
        read(message.path());
    }
    void ended(const QDBusObjectPath &, const QString &reason, const QString &by)
    {
        std::printf("over: %s, by %s\n", qUtf8Printable(reason), qUtf8Printable(by));
    }

private:
    QDBusConnection bus = QDBusConnection::sessionBus();

    // Names are not in GetManagedObjects and not in signals: they are read.
    void read(const QString &path)
    {
        auto get = QDBusMessage::createMethodCall(NAME, path, PROPERTIES, "GetAll");
        get << IDENTITY;
        const QDBusReply<QVariantMap> who = bus.call(get);
        if (!who.isValid())
            return;
        QString type, value;
        const auto handle = who.value()["Handle"].value<QDBusArgument>();
        handle.beginStructure();
        handle >> type >> value;
        handle.endStructure();
        std::printf("%s <%s>\n", qUtf8Printable(who.value()["CallerName"].toString()), qUtf8Printable(value));
    }
};

int main(int argc, char *argv[])
{
    QCoreApplication program(argc, argv);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    qDBusRegisterMetaType<Interfaces>();
    qDBusRegisterMetaType<Objects>();
    Who who;
    return program.exec();
}

#include "who.moc"
