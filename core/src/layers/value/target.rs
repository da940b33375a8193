//! URLs and hosts that reach where no tool should: cloud metadata, link-local addresses, disguised addresses, schemes
//! that talk to local services.
//!
//! Hosts are read as a browser reads them (the URL Standard), so that decimal, octal, hexadecimal and shortened
//! addresses, full-width digits and IPv6-mapped addresses mean what they mean there. Loopback and private addresses are
//! routine for developers: they count where the policy denies them, and in fields that hold no addresses at all.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::{
    code::Code,
    finding::Finding,
    layers::{
        Inspection,
        value::{leaf::Leaf, words::Words},
    },
    policy::{Access, Role},
};

/// Addresses under which clouds hand out credentials: AWS and many others, AWS containers, Alibaba, Oracle, Azure.
const METADATA_V4: [Ipv4Addr; 5] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];

/// The same over IPv6, at AWS.
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254);

/// Names of the same, at Google and AWS.
const METADATA_NAMES: [&str; 3] = ["metadata.google.internal", "metadata.goog", "instance-data"];

/// Schemes that make a URL a way to local files and services.
const LOCAL_SCHEMES: [&str; 12] = [
    "file", "gopher", "dict", "ldap", "ldaps", "ldapi", "tftp", "jar", "netdoc", "phar", "expect", "php",
];

/// Longest text that is read as a URL, in bytes.
const MAX_URL_BYTES: usize = 8_192;

/// Whether a text begins as a URL with an authority.
pub(super) fn is_url(text: &str) -> bool {
    scheme(text).is_some()
}

/// The scheme of a URL with an authority and what follows the slashes; browsers take backslashes for slashes. A single
/// letter is a drive.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, after) = text.trim_start().split_once(':')?;
    let valid = scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.'));
    // The URL Standard gives these schemes an authority however many slashes there are.
    let special = ["http", "https", "ftp", "ws", "wss"]
        .iter()
        .any(|it| scheme.eq_ignore_ascii_case(it));
    let after = match after
        .strip_prefix(['/', '\\'])
        .and_then(|after| after.strip_prefix(['/', '\\']))
    {
        Some(after) => after,
        // `http:8080` is a port and its name, not an address.
        None if special && after.contains(['.', '[']) && !after.contains(char::is_whitespace) => {
            after.trim_start_matches(['/', '\\'])
        }
        None => return None,
    };
    valid.then_some((scheme, after))
}

/// Whether a text without a scheme can be a host worth a look: a number, an address, or a name of metadata.
pub(super) fn is_hostlike(text: &str) -> bool {
    let host = text.trim().trim_start_matches(['/', '\\']);
    let small = host.parse::<u64>().is_ok_and(|number| number < 1 << 24);
    if small || host.parse::<ipnet::IpNet>().is_ok() {
        return false;
    }
    let numeric = host.starts_with(|it: char| it.is_ascii_digit() || it == '[' || it == ':')
        || host.contains("::")
        || !host.is_ascii();
    let name = host.split([':', '/']).next().unwrap_or_default().trim_end_matches('.');
    numeric || METADATA_NAMES.iter().any(|it| name.eq_ignore_ascii_case(it)) || name.eq_ignore_ascii_case("localhost")
}

/// Looks at one text. `role` is what the field is for.
pub(super) fn inspect(
    leaf: &Leaf<'_>,
    role: Role,
    words: &Words<'_>,
    inspection: &Inspection<'_>,
    findings: &mut Vec<Finding>,
) {
    let text = leaf.text.trim();
    if text.len() > MAX_URL_BYTES {
        return;
    }
    let addressed = match role {
        Role::Url | Role::Host | Role::Unknown | Role::Path => true,
        Role::Identifier | Role::Label | Role::Email | Role::Date | Role::Amount | Role::Secret => false,
        Role::FreeText => !text.contains(char::is_whitespace),
        Role::Command | Role::Sql | Role::Code | Role::Template => return,
    };
    let Some(fault) = fault(text, role, addressed, words, leaf, inspection) else {
        return;
    };
    findings.push(
        Finding::new(Code::SsrfTarget, fault)
            .at(leaf.pointer())
            .received(text)
            .suggestion("use the public address of what the user asked for"),
    );
}

fn fault(
    text: &str,
    role: Role,
    addressed: bool,
    words: &Words<'_>,
    leaf: &Leaf<'_>,
    inspection: &Inspection<'_>,
) -> Option<&'static str> {
    let scheme = scheme(text).map(|(scheme, _)| scheme.to_ascii_lowercase());
    if let Some(scheme) = &scheme
        && LOCAL_SCHEMES.contains(&scheme.as_str())
        && !(scheme == "file" && names_files(leaf, role))
        && !words.say(text)
        && !leaf.name().to_ascii_lowercase().contains(scheme.as_str())
        && !leaf.described(inspection, &[scheme.as_str()])
    {
        return Some("the URL's scheme reaches local files or services");
    }
    let target = Target::read(text)?;
    let settings = inspection.policy.policy().value();
    if settings
        .allowed_hosts
        .iter()
        .any(|host| host.matches(&target.name, target.address))
    {
        return None;
    }
    let reach = target.reach();
    if reach == Reach::Metadata {
        return Some("the host hands out the machine's own credentials");
    }
    if words.say(&target.written) {
        return denied(reach, settings.loopback, settings.private_hosts);
    }
    if target.disguised {
        return Some("the host is written so that it looks like another");
    }
    match reach {
        Reach::LinkLocal => Some("the host is a link-local address"),
        Reach::Loopback | Reach::Private if !addressed => {
            Some("an internal address in a field that holds no addresses")
        }
        Reach::Loopback | Reach::Private | Reach::Public | Reach::Metadata => {
            denied(reach, settings.loopback, settings.private_hosts)
        }
    }
}

/// Editors name files by URI: in a path, or in a field called so, `file:` is what is asked for.
fn names_files(leaf: &Leaf<'_>, role: Role) -> bool {
    role == Role::Path || leaf.name().to_ascii_lowercase().contains("uri")
}

fn denied(reach: Reach, loopback: Access, private: Access) -> Option<&'static str> {
    match reach {
        Reach::Loopback if loopback == Access::Deny => Some("the policy denies the machine itself as a host"),
        Reach::Private if private == Access::Deny => Some("the policy denies private addresses"),
        Reach::LinkLocal if private == Access::Deny => Some("the policy denies link-local addresses"),
        Reach::Loopback | Reach::Private | Reach::LinkLocal | Reach::Metadata | Reach::Public => None,
    }
}

/// Where a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Metadata,
    LinkLocal,
    Loopback,
    Private,
    Public,
}

/// The host of a URL, read.
#[derive(Debug)]
pub(super) struct Target {
    /// In lower case and punycode; an address in its usual form.
    pub name: String,
    /// Where the host is an address.
    pub address: Option<IpAddr>,
    /// The host as it was written.
    written: String,
    disguised: bool,
}

impl Target {
    /// Reads a URL, or a host with or without a port.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (scheme, after) = scheme(text).map_or_else(
            || (None, text.trim_start_matches(['/', '\\'])),
            |(scheme, after)| (Some(scheme), after),
        );
        let authority = after
            .split(['/', '?', '#'])
            .next()
            .filter(|authority| !authority.is_empty())?;
        // Hosts of other schemes are opaque to the URL Standard; tools resolve them as those of `http`.
        let bare_v6 = scheme.is_none() && after.parse::<Ipv6Addr>().is_ok();
        let url = if bare_v6 {
            format!("http://[{after}]")
        } else {
            format!("http://{after}")
        };
        let url = Url::parse(&url).ok()?;
        let address = match url.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        let name = url.host_str()?.trim_end_matches('.').to_owned();
        let written = written_host(authority).to_owned();
        let web = scheme.is_none_or(|it| {
            ["http", "https", "ws", "wss", "ftp"]
                .iter()
                .any(|web| it.eq_ignore_ascii_case(web))
        });
        let disguised = disguised(authority, &written, address, web);
        Some(Self {
            name,
            address: address.map(unmapped),
            written,
            disguised,
        })
    }

    fn reach(&self) -> Reach {
        let embedded = || embedded_address(&self.name);
        match self.address.or_else(embedded) {
            Some(IpAddr::V4(address)) => reach_v4(address),
            Some(IpAddr::V6(address)) => reach_v6(address),
            None if METADATA_NAMES.contains(&self.name.as_str()) => Reach::Metadata,
            None if self.name == "localhost" || self.name.ends_with(".localhost") => Reach::Loopback,
            None => Reach::Public,
        }
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    if METADATA_V4.contains(&address) {
        Reach::Metadata
    } else if address.is_link_local() {
        Reach::LinkLocal
    } else if address.is_loopback() || address.octets().first() == Some(&0) {
        Reach::Loopback
    } else if address.is_private() || matches!(address.octets(), [100, 64..=127, ..]) {
        Reach::Private
    } else {
        Reach::Public
    }
}

fn reach_v6(address: Ipv6Addr) -> Reach {
    if address == METADATA_V6 {
        Reach::Metadata
    } else if address.is_loopback() || address.is_unspecified() {
        Reach::Loopback
    } else if address.is_unicast_link_local() {
        Reach::LinkLocal
    } else if address.is_unique_local() {
        Reach::Private
    } else {
        Reach::Public
    }
}

/// The IPv4 address inside an IPv6 one: mapped or compatible (RFC 4291), translated (RFC 6052) or 6to4 (RFC 3056).
fn unmapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(long) = address else { return address };
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match long.segments() {
        [0, 0, 0, 0, 0, 0xFFFF, high, low] | [0x64, 0xFF9B, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x2002, high, low, ..] => v4(high, low),
        // The compatible form of RFC 4291, long deprecated and still resolved; `::` and `::1` are no such address.
        [0, 0, 0, 0, 0, 0, high, low] if high > 0 => v4(high, low),
        _ => address,
    }
}

/// The address that a wildcard name service reads out of a name: `10.0.0.1.nip.io`, `app-10-0-0-1.sslip.io`.
fn embedded_address(name: &str) -> Option<IpAddr> {
    let prefix = ["nip.io", "sslip.io", "xip.io"]
        .iter()
        .find_map(|it| name.strip_suffix(it)?.strip_suffix('.'))?;
    let parts: Vec<&str> = prefix.split(['.', '-']).collect();
    let address = parts
        .windows(4)
        .rev()
        .find_map(|four| four.join(".").parse::<Ipv4Addr>().ok())?;
    Some(IpAddr::V4(address))
}

fn written_host(authority: &str) -> &str {
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.starts_with('[') {
        return host.split_inclusive(']').next().unwrap_or_default();
    }
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') && port.chars().all(|it| it.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether the host was written so that a reader takes it for another, or for none.
fn disguised(authority: &str, written: &str, address: Option<IpAddr>, web: bool) -> bool {
    let userinfo = authority.rsplit_once('@').map(|(userinfo, _)| userinfo);
    // Passwords of other schemes hold what they like, unescaped.
    let lookalike = web && userinfo.is_some_and(|it| it.contains(['@', '\\']) || names_host(it));
    if lookalike || authority.contains('\\') || authority.contains(|it: char| it.is_control()) {
        return true;
    }
    match address {
        None => false,
        Some(IpAddr::V4(address)) => written.trim_end_matches('.') != address.to_string(),
        Some(long @ IpAddr::V6(_)) => match unmapped(long) {
            IpAddr::V4(inner) => reach_v4(inner) != Reach::Public,
            IpAddr::V6(_) => false,
        },
    }
}

/// Whether the user part of an authority reads as a host: `trusted.example:80&`.
fn names_host(userinfo: &str) -> bool {
    let user = userinfo.split(':').next().unwrap_or_default();
    let labels: Vec<&str> = user.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    let domain = labels.len() > 1 && last.len() >= 2 && last.chars().all(|it| it.is_ascii_alphabetic());
    let dotted = user.parse::<Ipv4Addr>().is_ok();
    // A person's name holds a dot too (`jane.doe`); with a password behind it, it is an account.
    dotted || (domain && (labels.len() > 2 || user.starts_with("www.") || common_suffix(last)))
}

fn common_suffix(label: &str) -> bool {
    matches!(
        label,
        "com" | "org" | "net" | "io" | "gov" | "edu" | "dev" | "app" | "info" | "biz"
    )
}
