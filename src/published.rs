//! The address of the published page, for what leaves the reader's machine: figures and citations.

/// The address of the published page (`homepage` in Cargo.toml).
pub const HOME: &str = env!("CARGO_PKG_HOMEPAGE");

/// Endings of names of machines that only their own network knows.
const LOCAL_NAMES: [&str; 6] = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test"];
/// Beginnings of the addresses of a machine itself and of private networks (RFC 1918, RFC 3927, RFC 6598).
const LOCAL_NUMBERS: [&str; 5] = ["0.", "10.", "127.", "169.254.", "192.168."];

/// The address of this copy of the page if other people can open it, or else that of the published page. `here` is the address
/// of this copy, without a fragment.
#[must_use]
pub fn address(here: &str) -> &str {
    if is_public(here) { here } else { HOME }
}

/// Whether a page is on a machine that other people can reach, as far as its name says.
fn is_public(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")) else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // A page has no password in its address, and an IPv6 address is in brackets.
    let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    host.contains('.') && !host.starts_with('[') && !is_local_name(host) && !is_local_number(host)
}

fn is_local_name(host: &str) -> bool {
    LOCAL_NAMES.iter().any(|end| host.ends_with(end))
}

fn is_local_number(host: &str) -> bool {
    let is_number = host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let second = |first: &str, range: std::ops::RangeInclusive<u8>| {
        let rest = host.strip_prefix(first).and_then(|rest| rest.split('.').next());
        rest.and_then(|part| part.parse().ok()).is_some_and(|part| range.contains(&part))
    };
    is_number
        && (LOCAL_NUMBERS.iter().any(|start| host.starts_with(start))
            || second("172.", 16..=31)
            || second("100.", 64..=127))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_cannot_open_is_replaced_by_the_published_page() {
        for local in [
            "",
            "file:///home/a/index.html",
            "http://localhost:8080/",
            "http://127.0.0.1/index.html",
            "https://10.1.2.3/",
            "https://172.20.0.1/",
            "https://192.168.0.7:8443/a?lang=zh",
            "http://[::1]:8080/",
            "https://desk/lipscope/",
            "https://desk.local/",
            "https://lab.internal/lipscope/",
        ] {
            assert_eq!(address(local), HOME, "{local}");
        }
    }

    #[test]
    fn a_copy_that_is_public_keeps_its_address() {
        for public in ["https://people.example.org/lipscope/", "http://172.32.0.1/", "https://example.org/?lang=zh"] {
            assert_eq!(address(public), public);
        }
    }
}
