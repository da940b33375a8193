//! The formats that are asserted, leniently: what a careful reader would still take for a date is one.
//!
//! JSON Schema leaves it open whether `format` is asserted. A model that writes "tomorrow" into a date field is better
//! told at once, but tools accept more than the RFCs say, so only what cannot be meant is refused. Every other format
//! is an annotation.

use std::net::{Ipv4Addr, Ipv6Addr};

use time::{Date, Month};

/// An asserted format: its name, its check, and an example for the model.
pub(crate) struct Format {
    pub name: &'static str,
    pub check: fn(&str) -> bool,
    pub example: &'static str,
}

/// Formats that are asserted.
pub(crate) const ASSERTED: [Format; 9] = [
    Format {
        name: "date",
        check: date,
        example: "a date such as 2025-03-23",
    },
    Format {
        name: "date-time",
        check: date_time,
        example: "a date and time such as 2025-03-23T14:00:00Z",
    },
    Format {
        name: "time",
        check: time_of_day,
        example: "a time such as 14:00:00",
    },
    Format {
        name: "email",
        check: email,
        example: "an e-mail address such as name@example.com",
    },
    Format {
        name: "uri",
        check: uri,
        example: "a URI such as https://example.com/",
    },
    Format {
        name: "url",
        check: uri,
        example: "a URL such as https://example.com/",
    },
    Format {
        name: "ipv4",
        check: ipv4,
        example: "an IPv4 address such as 192.0.2.1",
    },
    Format {
        name: "ipv6",
        check: ipv6,
        example: "an IPv6 address such as 2001:db8::1",
    },
    Format {
        name: "uuid",
        check: uuid,
        example: "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    },
];

/// Formats that the validator would assert and that stay annotations here.
pub(super) const ANNOTATIONS: [&str; 13] = [
    "duration",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
    "color",
    "ip-address",
];

/// What the model is told to write for a format.
pub(crate) fn example(name: &str) -> Option<&'static str> {
    ASSERTED
        .iter()
        .find(|format| format.name == name)
        .map(|format| format.example)
}

/// `YYYY-MM-DD`; a date with a time is a date too.
fn date(text: &str) -> bool {
    match text.split_once(['T', 't', ' ']) {
        Some((day, clock)) => calendar_day(day) && clock_time(clock),
        None => calendar_day(text),
    }
}

/// RFC 3339, with or without offset, seconds or even a time: readers commonly take these.
fn date_time(text: &str) -> bool {
    date(text)
}

/// `HH:MM`, `HH:MM:SS`, with or without fraction and offset.
fn time_of_day(text: &str) -> bool {
    clock_time(text) || date(text)
}

fn calendar_day(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    if year.len() != 4 {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (digits(year), digits(month), digits(day)) else {
        return false;
    };
    let (Ok(year), Ok(month), Ok(day)) = (i32::try_from(year), u8::try_from(month), u8::try_from(day)) else {
        return false;
    };
    Month::try_from(month).is_ok_and(|month| Date::from_calendar_date(year, month, day).is_ok())
}

fn clock_time(text: &str) -> bool {
    let text = text.trim_end();
    let clock = match text.find(['Z', 'z', '+', '-', ' ']) {
        Some(at) => {
            let (clock, offset) = text.split_at_checked(at).unwrap_or((text, ""));
            if !is_offset(offset) {
                return false;
            }
            clock
        }
        None => text,
    };
    let mut parts = clock.splitn(3, ':');
    let (Some(hour), Some(minute)) = (parts.next(), parts.next()) else {
        return false;
    };
    let second = parts.next().unwrap_or("0");
    let (second, fraction) = second.split_once(['.', ',']).unwrap_or((second, "0"));
    let within = |text: &str, max: u32| digits(text).is_some_and(|value| value <= max);
    within(hour, 24) && within(minute, 59) && within(second, 60) && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

/// An offset, the name of a zone, or AM and PM.
fn is_offset(text: &str) -> bool {
    text.trim_start_matches([' ', '+', '-'])
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | '_' | '[' | ']' | '.'))
}

/// One or two digits, or four.
fn digits(text: &str) -> Option<u32> {
    let plausible = matches!(text.len(), 1 | 2 | 4) && text.bytes().all(|byte| byte.is_ascii_digit());
    plausible.then(|| text.parse().ok()).flatten()
}

/// Something, `@`, something, without space; a display name before `<…>` is common.
fn email(text: &str) -> bool {
    let address = match text.strip_suffix('>').and_then(|text| text.rsplit_once('<')) {
        Some((_, address)) => address,
        None => text,
    };
    address.rsplit_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !address.contains(char::is_whitespace)
    })
}

/// A scheme, a colon and something behind it, without space.
fn uri(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            && !rest.contains(char::is_whitespace)
    })
}

fn ipv4(text: &str) -> bool {
    let address = text.split_once('/').map_or(text, |(address, _)| address);
    address.parse::<Ipv4Addr>().is_ok()
}

fn ipv6(text: &str) -> bool {
    let address = text.split_once(['/', '%']).map_or(text, |(address, _)| address);
    address.trim_matches(['[', ']']).parse::<Ipv6Addr>().is_ok()
}

/// 32 hexadecimal digits, with or without dashes, braces or `urn:uuid:`.
fn uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .unwrap_or(text);
    let mut count = 0;
    for byte in text.bytes() {
        match byte {
            b'-' => {}
            _ if byte.is_ascii_hexdigit() => count += 1,
            _ => return false,
        }
    }
    count == 32
}

#[cfg(test)]
mod tests {
    use super::ASSERTED;

    fn check(name: &str, text: &str) -> bool {
        ASSERTED
            .iter()
            .find(|format| format.name == name)
            .is_none_or(|format| (format.check)(text))
    }

    #[test]
    fn what_can_be_meant_passes() {
        for (format, text) in [
            ("date", "2025-03-23"),
            ("date", "2024-02-29"),
            ("date", "2025-03-23T00:00:00Z"),
            ("date-time", "2025-03-23T14:00:00Z"),
            ("date-time", "2025-03-23t14:00:00.123456+02:00"),
            ("date-time", "2025-03-23 14:00"),
            ("date-time", "2025-03-23T14:00:00 Europe/Paris"),
            ("date-time", "2025-03-23"),
            ("time", "14:00"),
            ("time", "14:00:00Z"),
            ("time", "2:30 PM"),
            ("email", "ann@corp.example"),
            ("email", "Ann <ann@corp.example>"),
            ("email", "ann+tag@localhost"),
            ("uri", "https://example.com/a?b=c#d"),
            ("uri", "mailto:ann@corp.example"),
            ("uri", "urn:isbn:0451450523"),
            ("ipv4", "10.0.0.1"),
            ("ipv4", "10.0.0.0/8"),
            ("ipv6", "::1"),
            ("ipv6", "fe80::1%eth0"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
            ("uuid", "{123E4567E89B12D3A456426614174000}"),
            ("hostname", "not asserted"),
        ] {
            assert!(check(format, text), "{format} {text}");
        }
    }

    #[test]
    fn what_cannot_be_meant_does_not() {
        for (format, text) in [
            ("date", "tomorrow"),
            ("date", "2025-02-30"),
            ("date", "03/23/2025"),
            ("date", ""),
            ("date-time", "next Monday at noon"),
            ("date-time", "2025-13-01T00:00:00Z"),
            ("date-time", "2025-03-23T25:00:00Z"),
            ("time", "noon"),
            ("time", "14:75"),
            ("email", "Ann"),
            ("email", "ann@"),
            ("email", "ann smith@corp.example"),
            ("uri", "example"),
            ("uri", "see https: // example"),
            ("ipv4", "300.1.1.1"),
            ("ipv4", "localhost"),
            ("ipv6", "1.2.3.4.5"),
            ("uuid", "1234"),
            ("uuid", "123e4567-e89b-12d3-a456-42661417400g"),
        ] {
            assert!(!check(format, text), "{format} {text}");
        }
    }
}
