// What a vCard says is KContacts' to tell; of that only what a call needs is kept.
#include "vcard.h"

#include <QByteArray>
#include <QHash>
#include <QStringList>
#include <QTextCodec>
#include <QUrl>
#include <QUuid>

#include <addressee.h>
#include <impp.h>
#include <phonenumber.h>
#include <picture.h>
#include <vcardconverter.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

namespace {

struct Handle {
    int kind;
    std::string text;
    const char *label;
};

struct Card {
    std::string uid, name;
    std::vector<Handle> handles;
    QByteArray picture;
    std::string pictureFile;
};

// Stands for an escaped backslash, which KContacts takes for the beginning of another escape. No text has it.
const QChar backslash(0xFDD0);

std::string text(const QString &string) {
    return QString(string).replace(backslash, QLatin1Char('\\')).toUtf8().toStdString();
}

void add(Card &card, int kind, const QString &string, const char *label = "") {
    if (!string.isEmpty() && card.handles.size() < 64) card.handles.push_back({kind, text(string), label});
}

const char *labelOf(KContacts::PhoneNumber::Type type) {
    using KContacts::PhoneNumber;
    if (type & PhoneNumber::Fax) return "fax";
    if (type & PhoneNumber::Cell) return "mobile";
    return type & PhoneNumber::Work ? "work" : type & PhoneNumber::Home ? "home" : "";
}

KContacts::Addressee::List parse(const QByteArray &bytes) { return KContacts::VCardConverter().parseVCards(bytes); }

// Where the name of a property and its parameters end.
int endOfName(const QByteArray &property) {
    const auto ends = [](char c) { return c == ':' || c == ';'; };
    return int(std::find_if(property.begin(), property.end(), ends) - property.begin());
}

// A property's name in capitals, without its group.
QByteArray nameOf(const QByteArray &property) {
    const QByteArray name = property.left(endOfName(property)).trimmed().toUpper();
    return name.mid(name.lastIndexOf('.') + 1);
}

// The group of a property in capitals, which counts as little as that of its name; empty for none (RFC 6350, 3.3).
QByteArray groupOf(const QByteArray &property) {
    const int dot = property.left(endOfName(property)).lastIndexOf('.');
    return dot < 0 ? QByteArray() : property.left(dot).trimmed().toUpper();
}

bool isQuotedPrintable(const QByteArray &property) {
    return property.left(qMax(0, property.indexOf(':'))).toUpper().contains("QUOTED-PRINTABLE");
}

// Returns the end of the property that begins there, after its folded lines and those that quoted-printable text goes on in.
int endOfProperty(const QByteArray &text, int begin) {
    const auto endOfLine = [&](int from) {
        const int feed = text.indexOf('\n', from);
        return feed < 0 ? text.size() : feed + 1;
    };
    int end = endOfLine(begin);
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) end = endOfLine(end);
    if (!isQuotedPrintable(QByteArray::fromRawData(text.constData() + begin, end - begin))) return end;
    const auto goesOn = [&] { return text[end - (text[end - 2] == '\r' ? 3 : 2)] == '='; };
    while (end < text.size() && goesOn()) end = endOfLine(end);
    return end;
}

// The place of the first colon outside quotation marks.
int colonOf(const QByteArray &property) {
    bool isQuoted = false;
    const auto isColon = [&](char c) {
        isQuoted ^= c == '"';
        return c == ':' && !isQuoted;
    };
    return int(std::find_if(property.begin(), property.end(), isColon) - property.begin());
}

QByteArray inOneLine(QByteArray property) {
    const int feed = property.indexOf('\n');
    if (feed < 0 || feed == property.size() - 1) return property;
    return property.replace('\r', "").replace("\n ", "").replace("\n\t", "");
}

// Returns what follows the first colon outside quotation marks, in one line.
QByteArray valueOf(const QByteArray &property) { return inOneLine(property.mid(colonOf(property) + 1)).trimmed(); }

bool isUTF8(const QByteArray &text) {
    QTextCodec::ConverterState state;
    QTextCodec::codecForName("UTF-8")->toUnicode(text.constData(), text.size(), &state);
    return state.invalidChars == 0 && state.remainingChars == 0;
}

// The property in UTF-8. What old phones wrote without naming its character set is that of Western Windows.
QByteArray inUTF8(const QByteArray &property, bool isQuoted) {
    if (!isQuoted && std::all_of(property.begin(), property.end(), [](char c) { return (c & 0x80) == 0; })) return property;
    const int colon = colonOf(property);
    if (property.left(colon).toUpper().contains("CHARSET")) return property;
    const QByteArray value = property.mid(colon + 1);
    if (isUTF8(isQuoted ? QByteArray::fromPercentEncoding(value.simplified().replace("= ", ""), '=') : property)) return property;
    if (isQuoted) return property.left(colon) + ";CHARSET=windows-1252" + property.mid(colon);
    return QTextCodec::codecForName("windows-1252")->toUnicode(property).toUtf8();
}

// The types of a number that words of its parameters and of its own label tell, as parameters.
QByteArray typesIn(const QByteArray &words) {
    struct Word {
        const char *begin, *type;
    };
    static const Word known[] = {
        {"fax", "FAX"},       {"telefax", "FAX"},   {"cell", "CELL"},     {"mobi", "CELL"},     {"móvil", "CELL"},
        {"movil", "CELL"},    {"celular", "CELL"},  {"handy", "CELL"},    {"iphone", "CELL"},   {"portable", "CELL"},
        {"gsm", "CELL"},      {"komórk", "CELL"},   {"мобил", "CELL"},    {"matkapuh", "CELL"}, {"work", "WORK"},
        {"office", "WORK"},   {"business", "WORK"}, {"arbeit", "WORK"},   {"arbet", "WORK"},    {"arbeid", "WORK"},
        {"arbejd", "WORK"},   {"büro", "WORK"},     {"geschäft", "WORK"}, {"firma", "WORK"},    {"travail", "WORK"},
        {"bureau", "WORK"},   {"trabajo", "WORK"},  {"trabalho", "WORK"}, {"oficina", "WORK"},  {"lavoro", "WORK"},
        {"ufficio", "WORK"},  {"werk", "WORK"},     {"jobb", "WORK"},     {"praca", "WORK"},    {"рабоч", "WORK"},
        {"home", "HOME"},     {"privat", "HOME"},   {"zuhause", "HOME"},  {"hem", "HOME"},      {"hjem", "HOME"},
        {"maison", "HOME"},   {"domicile", "HOME"}, {"casa", "HOME"},     {"thuis", "HOME"},    {"dom", "HOME"},
        {"koti", "HOME"},     {"дом", "HOME"},
    };
    QString text = QString::fromUtf8(words).toLower();
    for (QChar &sign : text) {
        if (!sign.isLetterOrNumber()) sign = QLatin1Char(' ');
    }
    QByteArray types;
    // Apple writes HomeFAX in one word.
    if (text.contains(QLatin1String("fax"))) types += ";TYPE=FAX";
    const QStringList list = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString &word : list.mid(0, 32)) {
        for (const Word &one : known) {
            const QString begin = QString::fromUtf8(one.begin);
            // A short beginning is a whole word: hemlock is no home.
            if (begin.size() > 3 ? word.startsWith(begin) : word == begin) types += QByteArray(";TYPE=") + one.type;
        }
    }
    return types;
}

// The properties of a card until it ends: the label of a group may follow its number.
class CardLines {
public:
    void add(const QByteArray &property, const QByteArray &name) {
        const QByteArray group = groupOf(property);
        const bool hasTypes = name == "TEL" && property.mid(endOfName(property), 1) == ";";
        if (group.isEmpty() && !hasTypes) return addPlain(property);
        if (name == "X-ABLABEL" && !group.isEmpty()) {
            labels[group] = valueOf(property).left(256);
        } else {
            // KContacts leaves out what is grouped.
            lines.push_back({name == "TEL" ? group : QByteArray(), name + property.mid(endOfName(property)), name == "TEL"});
        }
    }

    void addPlain(const QByteArray &line) { lines.push_back({QByteArray(), line, false}); }

    void moveTo(QByteArray &result) {
        for (const Line &line : lines) {
            if (line.isNumber) {
                const int end = endOfName(line.text), colon = colonOf(line.text);
                const QByteArray label = line.group.isEmpty() ? QByteArray() : labels.value(line.group);
                result += line.text.left(end) + typesIn(line.text.mid(end, qMin(256, colon - end)) + ' ' + label) + line.text.mid(end);
            } else {
                result += line.text;
            }
        }
        lines.clear();
        labels.clear();
    }

private:
    struct Line {
        QByteArray group, text;
        bool isNumber;
    };
    std::vector<Line> lines;
    QHash<QByteArray, QByteArray> labels;
};

// X-SIP is what phones wrote before there was IMPP. KContacts keeps one of a card, as text.
QByteArray asIMPP(const QByteArray &property) {
    const QByteArray value = valueOf(property);
    if (value.isEmpty()) return value;
    const QByteArray scheme = value.left(value.indexOf(':') + 1).toLower();
    return QByteArray("IMPP") + (isQuotedPrintable(property) ? ";ENCODING=QUOTED-PRINTABLE:" : ":") +
           (scheme == "sip:" || scheme == "sips:" ? "" : "sip:") + value + "\r\n";
}

// In vCard 4.0 a picture is a URL, which may have the data in it. KContacts knows pictures as vCard 3.0 has them.
QByteArray asPicture(const QByteArray &property) {
    const QByteArray value = valueOf(property);
    const QByteArray beginning = value.left(64).toLower();
    if (beginning.startsWith("file:")) return "PHOTO;VALUE=uri:" + value + "\r\n";
    const int comma = value.indexOf(',');
    const bool isData = beginning.startsWith("data:") && value.left(comma).toLower().endsWith(";base64");
    return isData ? "PHOTO;ENCODING=b:" + value.mid(comma + 1) + "\r\n" : property;
}

// The text in the form in which KContacts loses nothing: UTF-8 without byte order marks, without groups, with the labels of
// numbers as types, with lines that go on in one, without the cards within others that AGENT has in vCard 2.1, with IMPP for
// X-SIP, with pictures of vCard 4.0 as 3.0 has them, and with a sign of its own for an escaped backslash. A card with a card
// in it that does not end is ended before the next one.
QByteArray prepared(const QByteArray &bytes) {
    const QTextCodec *codec = QTextCodec::codecForUtfText(bytes, nullptr);
    QByteArray text = codec ? codec->toUnicode(bytes).toUtf8() : bytes;
    if (!text.contains('\n')) text.replace('\r', '\n');
    QByteArray result;
    result.reserve(text.size());
    const QByteArray mark = QString(QChar(0xFEFF)).toUtf8(), endOfCard = "END:VCARD\r\n";
    const QByteArray sign = QString(backslash).toUtf8();
    CardLines card;
    bool isAgent = false;
    // Whether a card that has an agent is not ended yet.
    bool isOpen = false;
    int depth = 0;
    for (int begin = 0, end; begin < text.size(); begin = end) {
        // Files that were joined have one before each.
        while (QByteArray::fromRawData(text.constData() + begin, text.size() - begin).startsWith(mark)) begin += mark.size();
        end = endOfProperty(text, begin);
        const QByteArray written = QByteArray::fromRawData(text.constData() + begin, end - begin);
        const bool isBlank = written.trimmed().isEmpty();
        const bool isQuoted = !isBlank && isQuotedPrintable(written);
        const QByteArray property = inUTF8(isQuoted || isBlank ? written : inOneLine(written), isQuoted);
        const QByteArray name = nameOf(property);
        const bool begins = name == "BEGIN", ends = name == "END";
        if (begins && !isAgent && isOpen) {
            card.addPlain(endOfCard);
            isOpen = false;
            depth = 0;
        }
        if (name == "AGENT") {
            const QByteArray value = valueOf(property);
            isAgent = value.isEmpty();
            isOpen = true;
            depth += int(value.toUpper() == "BEGIN:VCARD");
        } else if (depth > 0 || (isAgent && begins)) {
            depth += int(begins) - int(ends);
            if (!isBlank) isAgent = false;
        } else if (name == "X-SIP") {
            card.addPlain(asIMPP(property));
        } else if (name == "PHOTO") {
            card.addPlain(asPicture(name + property.mid(endOfName(property))));
        } else if (!(isAgent && isBlank)) {
            isAgent = false;
            if (ends) isOpen = false;
            card.add(property.contains('\\') ? QByteArray(property).replace("\\\\", sign) : property, name);
        }
        if (begins || ends) card.moveTo(result);
    }
    if (isOpen) card.addPlain(endOfCard);
    card.moveTo(result);
    return result;
}

void addPicture(Card &card, const KContacts::Picture &photo) {
    if (photo.isIntern()) {
        card.picture = photo.rawData();
        return;
    }
    const QUrl url(photo.url());
    const bool isHere = url.isLocalFile() && (url.host().isEmpty() || url.host() == QLatin1String("localhost"));
    if (isHere) card.pictureFile = url.path(QUrl::FullyDecoded).toUtf8().toStdString();
}

Card read(const KContacts::Addressee &contact) {
    Card card;
    card.uid = text(contact.uid());
    for (const QString &name : {contact.formattedName(), contact.assembledName(), contact.nickName(), contact.organization()}) {
        // KContacts leaves the escape in texts that are not divided by semicolons.
        if (card.name.empty()) card.name = text(name.trimmed().replace(QLatin1String("\\;"), QLatin1String(";")));
    }
    for (const auto &number : contact.phoneNumbers()) {
        // KContacts leaves escapes in texts that are not divided.
        const QString digits = number.number().replace(QLatin1String("\\;"), QLatin1String(";"));
        add(card, OCK_PHONE, QString(digits).replace(QLatin1String("\\,"), QLatin1String(",")), labelOf(number.type()));
    }
    for (const auto &address : contact.emails()) add(card, OCK_EMAIL, address);
    for (const auto &address : contact.imppList()) add(card, OCK_GENERIC, address.address().toString());
    addPicture(card, contact.photo());
    return card;
}

bool looksRandom(const KContacts::Addressee &contact) { return QUuid(contact.uid()).version() == QUuid::Random; }

void ignore(QtMsgType, const QMessageLogContext &, const QString &) {}

}  // namespace

struct ock_vcards {
    std::vector<Card> cards;
};

void ock_vcards_confine(void) {
    const auto limit = [](auto resource, rlim_t most) {
        const rlimit limits = {most, most};
        setrlimit(resource, &limits);
    };
    limit(RLIMIT_AS, rlim_t(1) << 30);
    limit(RLIMIT_CPU, 60);
    limit(RLIMIT_CORE, 0);
    if (nice(10) == -1) return;
}

ock_vcards *ock_vcards_read(const uint8_t *bytes, size_t count) {
    try {
        qInstallMessageHandler(ignore);
        // KContacts begins anew, without end, when quoted-printable text goes on in the last line. So it never does.
        const QByteArray data =
            prepared(QByteArray::fromRawData(reinterpret_cast<const char *>(bytes), int(count))) + "\r\nX:\r\n\r\n";
        const auto contacts = parse(data);
        auto *result = new ock_vcards;
        bool random = false;
        for (const auto &contact : contacts) {
            result->cards.push_back(read(contact));
            random |= looksRandom(contact);
        }
        // A card without a UID is given one by chance: the next reading has another.
        if (random) {
            const auto again = parse(data);
            for (size_t index = 0; index < result->cards.size(); index++) {
                Card &card = result->cards[index];
                if (int(index) >= again.size() || text(again[int(index)].uid()) != card.uid) card.uid.clear();
            }
        }
        return result;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void ock_vcards_free(ock_vcards *cards) { delete cards; }
size_t ock_vcards_count(const ock_vcards *cards) { return cards->cards.size(); }
const char *ock_vcard_uid(const ock_vcards *cards, size_t card) { return cards->cards[card].uid.c_str(); }
const char *ock_vcard_name(const ock_vcards *cards, size_t card) { return cards->cards[card].name.c_str(); }
size_t ock_vcard_picture_size(const ock_vcards *cards, size_t card) { return size_t(cards->cards[card].picture.size()); }
void ock_vcard_copy_picture(const ock_vcards *cards, size_t card, uint8_t *bytes) {
    const QByteArray &picture = cards->cards[card].picture;
    std::copy(picture.begin(), picture.end(), bytes);
}
const char *ock_vcard_picture_file(const ock_vcards *cards, size_t card) {
    return cards->cards[card].pictureFile.c_str();
}
size_t ock_vcard_handle_count(const ock_vcards *cards, size_t card) { return cards->cards[card].handles.size(); }
int ock_vcard_handle_kind(const ock_vcards *cards, size_t card, size_t handle) {
    return cards->cards[card].handles[handle].kind;
}
const char *ock_vcard_handle(const ock_vcards *cards, size_t card, size_t handle) {
    return cards->cards[card].handles[handle].text.c_str();
}
const char *ock_vcard_handle_label(const ock_vcards *cards, size_t card, size_t handle) {
    return cards->cards[card].handles[handle].label;
}
