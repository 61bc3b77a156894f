//! Which addresses are not on the public internet, and why.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Addresses at which clouds hand out credentials to whoever asks.
const METADATA: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    // Azure's host agent has an address of the public range, and is reachable inside only.
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// IPv4 networks that are not public, after the registry of special addresses (RFC 6890).
const CLOSED_V4: [(Ipv4Addr, u32, &str); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8, "an address of this host"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "an address behind a carrier's NAT"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "a loopback address"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "an address for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::BROADCAST, 32, "the broadcast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address"),
];

/// IPv6 networks inside the public range `2000::/3` that are not public all the same.
const CLOSED_V6: [(Ipv6Addr, u32, &str); 3] = [
    // Teredo stands inside this one and is looked at before.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a reserved address"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "an address for documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "an address for documentation"),
];

/// Says what is wrong with an address that is not on the public internet.
///
/// ```
/// use toolsmith_core::address::refusal;
///
/// assert_eq!(refusal("::ffff:10.0.0.1".parse().unwrap()), Some("a private address"));
/// assert_eq!(refusal("9.9.9.9".parse().unwrap()), None);
/// ```
pub fn refusal(address: IpAddr) -> Option<&'static str> {
    if is_metadata(address) {
        return Some("the address of a cloud's metadata service");
    }
    match address.to_canonical() {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

/// Tells whether an address is one at which clouds hand out credentials.
pub fn is_metadata(address: IpAddr) -> bool {
    METADATA.contains(&address.to_canonical())
}

/// Tells whether an address lies in the network of another and the length of its prefix.
pub fn is_inside(address: IpAddr, network: IpAddr, prefix: u32) -> bool {
    match (address, network) {
        (IpAddr::V4(a), IpAddr::V4(n)) => {
            same_start(a.to_bits().into(), n.to_bits().into(), prefix + 96)
        }
        (IpAddr::V6(a), IpAddr::V6(n)) => same_start(a.to_bits(), n.to_bits(), prefix),
        _ => false,
    }
}

fn same_start(a: u128, b: u128, bits: u32) -> bool {
    // A shift by all 128 bits has no value: with no bits to compare, everything is inside.
    (a ^ b).checked_shr(128_u32.saturating_sub(bits)).unwrap_or(0) == 0
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    let closed = |(network, prefix, why): (Ipv4Addr, u32, &'static str)| {
        is_inside(address.into(), network.into(), prefix).then_some(why)
    };
    CLOSED_V4.into_iter().find_map(closed)
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => return Some("an address of this host"),
        [0, 0, 0, 0, 0, 0, 0, 1] => return Some("a loopback address"),
        [0xfe80..=0xfebf, ..] => return Some("a link-local address"),
        [0xfc00..=0xfdff, ..] => return Some("a private address"),
        [0xff00..=0xffff, ..] => return Some("a multicast address"),
        [0x64, 0xff9b, 1, ..] => return Some("an address behind a local NAT64"),
        _ => {}
    }
    let carried = carried(address);
    if let Some(why) = carried.iter().flatten().find_map(|inner| refusal((*inner).into())) {
        return Some(why);
    }
    if carried.iter().any(Option::is_some) {
        return None;
    }
    let closed = |(network, prefix, why): (Ipv6Addr, u32, &'static str)| {
        is_inside(address.into(), network.into(), prefix).then_some(why)
    };
    let is_global = address.segments()[0] & 0xe000 == 0x2000;
    CLOSED_V6.into_iter().find_map(closed).or((!is_global).then_some("a reserved address"))
}

/// Returns the IPv4 addresses to which a packet to this address is carried on.
#[expect(clippy::match_same_arms, reason = "one arm for each way of carrying, with its name")]
fn carried(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        // IPv4-compatible; the mapped form is gone already.
        [0, 0, 0, 0, 0, 0, high, low] => [v4(high, low), None],
        // IPv4-translated (RFC 2765).
        [0, 0, 0, 0, 0xffff, 0, high, low] => [v4(high, low), None],
        // NAT64.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => [v4(high, low), None],
        // 6to4.
        [0x2002, high, low, ..] => [v4(high, low), None],
        // Teredo: its server, and the client with every bit turned.
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            [v4(server_high, server_low), v4(!high, !low)]
        }
        // ISATAP.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => [v4(high, low), None],
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn why(address: &str) -> Option<&'static str> {
        refusal(address.parse().unwrap())
    }

    #[test]
    fn closed_networks_are_refused_from_their_first_address_to_their_last() {
        let closed = [
            ("0.0.0.0", "0.255.255.255"),
            ("10.0.0.0", "10.255.255.255"),
            ("100.64.0.0", "100.127.255.255"),
            ("127.0.0.0", "127.255.255.255"),
            ("169.254.0.0", "169.254.255.255"),
            ("172.16.0.0", "172.31.255.255"),
            ("192.0.0.0", "192.0.0.255"),
            ("192.0.2.0", "192.0.2.255"),
            ("192.168.0.0", "192.168.255.255"),
            ("198.18.0.0", "198.19.255.255"),
            ("198.51.100.0", "198.51.100.255"),
            ("203.0.113.0", "203.0.113.255"),
            ("224.0.0.0", "255.255.255.255"),
            ("::", "::1"),
            ("fc00::", "fdff:ffff::1"),
            ("fe80::", "febf::1"),
            ("fec0::1", "ff02::1"),
            ("100::", "100::1"),
            ("2001:db8::", "2001:db8:ffff::"),
            ("2001:2::1", "2001:20::1"),
            ("3fff::", "3fff:fff::"),
            ("64:ff9b:1::", "64:ff9b:1:ffff::"),
            ("4000::", "5f00::1"),
        ];
        for (first, last) in closed {
            assert!(why(first).is_some() && why(last).is_some(), "{first} {last}");
        }
    }

    #[test]
    fn neighbours_of_closed_networks_are_public() {
        for address in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
        ] {
            assert_eq!(why(address), None, "{address}");
        }
    }

    #[test]
    fn addresses_that_carry_a_closed_one_are_refused_and_others_are_not() {
        let refused = [
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::169.254.169.254",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001:0:a00:1::1",
            "2001:0:909:909:0:0:80ff:fffe",
            "2606:4700::5efe:7f00:1",
            "2606:4700::200:5efe:a00:1",
        ];
        for address in refused {
            assert!(why(address).is_some(), "{address}");
        }
        for address in ["::ffff:9.9.9.9", "64:ff9b::909:909", "2002:909:909::1"] {
            assert_eq!(why(address), None, "{address}");
        }
    }

    #[test]
    fn metadata_services_are_named_as_such() {
        for address in ["169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"] {
            assert_eq!(why(address), Some("the address of a cloud's metadata service"));
        }
    }

    proptest! {
        #[test]
        fn every_carrier_of_an_address_is_refused_when_it_is(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            let low = u128::from(bits);
            let carriers = [
                low | 0xffff_0000_0000,
                (0x64_ff9b_u128 << 96) | low,
                (0x2002_u128 << 112) | (low << 80),
            ];
            for carrier in carriers {
                let carrier = IpAddr::V6(Ipv6Addr::from_bits(carrier));
                prop_assert_eq!(refusal(carrier), refusal(v4.into()));
            }
        }
    }
}
