// What a number means is libphonenumber's to say; what it takes for one is narrowed here to what is sure.
#include "phone_number.h"

#include <phonenumbers/phonenumberutil.h>

#include <cstring>
#include <string>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

void ock_phone_prepare(void) {
    ock_phone_e164("+46701740605", "ZZ");
}

int ock_phone_may_be_same(const char *one, const char *other) {
    try {
        if (strnlen(one, 251) > 250 || strnlen(other, 251) > 250) return 0;
        return PhoneNumberUtil::GetInstance()->IsNumberMatchWithTwoStrings(one, other) >= PhoneNumberUtil::SHORT_NSN_MATCH;
    } catch (...) {
        return 0;
    }
}

uint64_t ock_phone_e164(const char *text, const char *region) {
    try {
        if (strnlen(text, 251) > 250) return 0;
        const PhoneNumberUtil *util = PhoneNumberUtil::GetInstance();
        PhoneNumber number;
        if (util->ParseAndKeepRawInput(text, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR) return 0;
        // A country code that was written says that it is a number; without one, it must be one of the region's plan,
        // or 1234 would be one.
        const bool isInternational = number.country_code_source() == PhoneNumber::FROM_NUMBER_WITH_PLUS_SIGN ||
                                     number.country_code_source() == PhoneNumber::FROM_NUMBER_WITH_IDD;
        if (isInternational ? !util->IsPossibleNumber(number) : !util->IsValidNumber(number)) return 0;
        std::string digits;
        util->Format(number, PhoneNumberUtil::E164, &digits);
        if (digits.size() < 2 || digits.size() > 19 || digits[0] != '+') return 0;
        uint64_t value = 0;
        for (size_t index = 1; index < digits.size(); index++) {
            if (digits[index] < '0' || digits[index] > '9') return 0;
            value = value * 10 + static_cast<uint64_t>(digits[index] - '0');
        }
        return value;
    } catch (...) {
        return 0;
    }
}
