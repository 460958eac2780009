// What a vCard says is KContacts' to tell; of that only what a call needs is kept.
#include "vcard.h"

#include <QByteArray>
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

// A property's name in capitals, without its group.
QByteArray nameOf(const QByteArray &line) {
    const int end = int(std::find_if(line.begin(), line.end(), [](char c) { return c == ':' || c == ';'; }) - line.begin());
    const QByteArray name = line.left(end).trimmed().toUpper();
    return name.mid(name.lastIndexOf('.') + 1);
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

// Returns what follows the first colon outside quotation marks, in one line.
QByteArray valueOf(const QByteArray &property) {
    bool isQuoted = false;
    const auto isColon = [&](char c) {
        isQuoted ^= c == '"';
        return c == ':' && !isQuoted;
    };
    const int colon = int(std::find_if(property.begin(), property.end(), isColon) - property.begin());
    return property.mid(colon + 1).replace('\r', "").replace("\n ", "").replace("\n\t", "").trimmed();
}

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

// The text in the form in which KContacts loses nothing: UTF-8 without byte order marks, without the cards within others
// that AGENT has in vCard 2.1, with IMPP for X-SIP, with pictures of vCard 4.0 as 3.0 has them, and with a sign of its own
// for an escaped backslash. A card with a card in it that does not end is ended before the next one.
QByteArray prepared(const QByteArray &bytes) {
    const QTextCodec *codec = QTextCodec::codecForUtfText(bytes, nullptr);
    const QByteArray text = codec ? codec->toUnicode(bytes).toUtf8() : bytes;
    QByteArray result;
    result.reserve(text.size());
    const QByteArray mark = QString(QChar(0xFEFF)).toUtf8(), endOfCard = "END:VCARD\r\n";
    const QByteArray sign = QString(backslash).toUtf8();
    bool isAgent = false;
    // Whether a card that has an agent is not ended yet.
    bool isOpen = false;
    int depth = 0;
    for (int begin = 0, end; begin < text.size(); begin = end) {
        // Files that were joined have one before each.
        while (QByteArray::fromRawData(text.constData() + begin, text.size() - begin).startsWith(mark)) begin += mark.size();
        end = endOfProperty(text, begin);
        const QByteArray property = QByteArray::fromRawData(text.constData() + begin, end - begin);
        const QByteArray name = nameOf(property);
        const bool begins = name == "BEGIN", ends = name == "END", isBlank = property.trimmed().isEmpty();
        if (begins && !isAgent && isOpen) {
            result += endOfCard;
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
            result += asIMPP(property);
        } else if (name == "PHOTO") {
            result += asPicture(property);
        } else if (!(isAgent && isBlank)) {
            isAgent = false;
            if (ends) isOpen = false;
            result += QByteArray(property).replace("\\\\", sign);
        }
    }
    return isOpen ? result + endOfCard : result;
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
        add(card, OCK_PHONE, number.number(), labelOf(number.type()));
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
