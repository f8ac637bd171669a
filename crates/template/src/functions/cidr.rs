//! Functions on ranges of addresses: `parseCidr`, `cidrSubnet`, `cidrHost`, for IPv4 and IPv6.
//!
//! Of `core::net` only the addresses are used, which are plain numbers: nothing here opens a socket.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::arguments::Arguments;
use super::fault::Fault;
use super::{Function, Parameter};
use crate::value::{Kind, Members, Value};

const NETWORK: Parameter = Parameter::new("network", "string");

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "parseCidr",
        &[NETWORK],
        Some(Kind::Object),
        parse_cidr,
        "Returns the properties of an address range, such as its first and last address and its netmask.",
    ),
    Function::new(
        "cidrSubnet",
        &[NETWORK, Parameter::new("prefix", "int"), Parameter::new("index", "int")],
        Some(Kind::String),
        cidr_subnet,
        "Divides an address range into subnets with a longer prefix, and returns the subnet at the index.",
    ),
    Function::new(
        "cidrHost",
        &[NETWORK, Parameter::new("index", "int")],
        Some(Kind::String),
        cidr_host,
        "Returns the usable address at the index in an address range; index 0 is the first after the \
        network address.",
    ),
];

/// A range of addresses. Invariant: `first` has only zeros behind the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    first: u128,
    prefix: u32,
    bits: u32,
}

impl Network {
    /// Reads `address/prefix`; what the address has behind the prefix does not count.
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let (address, bits) = match address.parse().ok()? {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let is_number = !prefix.is_empty() && prefix.bytes().all(|it| it.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|it| is_number && *it <= bits)?;
        let host = ones(bits - prefix);
        Some(Self { first: address & !host, prefix, bits })
    }

    fn last(self) -> u128 {
        self.first | ones(self.bits - self.prefix)
    }

    fn netmask(self) -> u128 {
        ones(self.bits) & !ones(self.bits - self.prefix)
    }

    fn is_v4(self) -> bool {
        self.bits == 32
    }

    /// The first and the last address that a host may have. A range of IPv4 with two addresses or one has
    /// no room between that of the network and that of the broadcast.
    fn usable(self) -> (u128, u128) {
        match self.is_v4() {
            true if self.prefix > 30 => (self.first, self.first),
            true => (self.first + 1, self.last() - 1),
            false => (self.first, self.last()),
        }
    }

    fn subnet(self, prefix: u32, index: u128) -> Option<Self> {
        if index > ones(prefix.checked_sub(self.prefix)?) {
            return None;
        }
        // A shift by all 128 bits only comes with the index 0: the whole is its only part.
        let offset = index.checked_shl(self.bits - prefix).unwrap_or(0);
        Some(Self { first: self.first | offset, prefix, bits: self.bits })
    }

    /// The host of that index, counted from the address behind that of the network.
    fn host(self, index: u128) -> Option<u128> {
        let address = self.first.checked_add(1)?.checked_add(index)?;
        let last = if self.is_v4() { self.last().checked_sub(1)? } else { self.last() };
        (address <= last).then_some(address)
    }

    fn shown(self, address: u128) -> String {
        match u32::try_from(address) {
            Ok(address) if self.is_v4() => Ipv4Addr::from(address).to_string(),
            _ => Ipv6Addr::from(address).to_string(),
        }
    }
}

/// A number whose last so many bits are set.
fn ones(bits: u32) -> u128 {
    1_u128.checked_shl(bits).map_or(u128::MAX, |it| it - 1)
}

fn network(arguments: &Arguments<'_>) -> Result<Network, Fault> {
    Network::parse(arguments.string(0)?)
        .ok_or_else(|| arguments.refuses(0, "an address range such as '10.0.0.0/16'"))
}

fn parse_cidr(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let network = network(arguments)?;
    let (first, last) = network.usable();
    let address = |it| Value::string(network.shown(it));
    let mut members = Members::from([
        ("network".into(), address(network.first)),
        ("netmask".into(), address(network.netmask())),
        ("firstUsable".into(), address(first)),
        ("lastUsable".into(), address(last)),
        ("cidr".into(), Value::int(i64::from(network.prefix))),
    ]);
    if network.is_v4() {
        members.insert("broadcast".into(), address(network.last()));
    }
    Ok(Value::object(members))
}

fn cidr_subnet(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let network = network(arguments)?;
    let Network { prefix: least, bits: most, .. } = network;
    let prefix = u32::try_from(arguments.int(1)?).ok().filter(|it| (least..=most).contains(it));
    let prefix =
        prefix.ok_or_else(|| arguments.refuses(1, &format!("a number from {least} to {most}")))?;
    let index = u128::try_from(arguments.int(2)?).ok();
    let subnet = index.and_then(|index| network.subnet(prefix, index)).ok_or_else(|| {
        arguments.refuses(2, &format!("a number from 0 to {}", ones(prefix - least)))
    })?;
    Ok(Value::string(format!("{}/{prefix}", network.shown(subnet.first))))
}

fn cidr_host(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let network = network(arguments)?;
    let index = u128::try_from(arguments.int(1)?).ok();
    let address = index.and_then(|index| network.host(index));
    let address =
        address.ok_or_else(|| arguments.refuses(1, "the index of a host in the range"))?;
    Ok(Value::string(network.shown(address)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_and_smallest_ranges_are_no_trouble() {
        for text in ["0.0.0.0/0", "255.255.255.255/32", "::/0", "ffff::/128", "10.0.0.0/31"] {
            let network = Network::parse(text).unwrap();
            assert_eq!(network.subnet(network.prefix, 0), Some(network), "{text}");
            assert_eq!(network.subnet(network.prefix, 1), None, "{text}");
            let (first, last) = network.usable();
            assert!(network.first <= first && first <= last && last <= network.last(), "{text}");
            assert_eq!(network.host(u128::MAX), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in
            ["", "10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/+8", "a/b", "/8"]
        {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_subnet_lies_in_its_parent_and_beside_the_next(
            address: u128, is_v4: bool, prefix in 0_u32..=128, more in 0_u32..=128, index in 0_u128..100,
        ) {
            let bits = if is_v4 { 32 } else { 128 };
            let (prefix, address) = (prefix % (bits + 1), address & ones(bits));
            let parent = Network { first: address & !ones(bits - prefix), prefix, bits };
            let longer = prefix + more % (bits - prefix + 1);
            if let Some(subnet) = parent.subnet(longer, index) {
                prop_assert!(parent.first <= subnet.first && subnet.last() <= parent.last());
                prop_assert_eq!(subnet.first & ones(bits - longer), 0);
                if let Some(next) = parent.subnet(longer, index + 1) {
                    prop_assert_eq!(next.first, subnet.last() + 1);
                }
                let text = format!("{}/{longer}", subnet.shown(subnet.first));
                let read = Network::parse(&text).unwrap();
                prop_assert_eq!(read.prefix, longer);
                prop_assert!(read == subnet, "{} is read as {:?}", text, read);
            } else {
                prop_assert!(index > ones(longer - prefix));
            }
        }

        #[test]
        fn a_host_lies_in_its_range(address: u32, prefix in 0_u32..=32, index: u32) {
            let network = Network::parse(&format!("{}/{prefix}", Ipv4Addr::from(address))).unwrap();
            if let Some(host) = network.host(u128::from(index)) {
                let (first, last) = network.usable();
                prop_assert!(first <= host && host <= last);
            }
        }
    }
}
