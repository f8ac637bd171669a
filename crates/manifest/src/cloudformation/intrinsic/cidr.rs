//! `Fn::Cidr`: a block of addresses divided into smaller ones.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The first `count` blocks with `bits` bits for hosts each in `block`.
pub(super) fn divide(block: &str, count: u32, bits: u32) -> Result<Vec<String>, String> {
    let malformed = || format!("`{block}` is not a CIDR block such as 10.0.0.0/16");
    let (address, prefix) = block.split_once('/').ok_or_else(malformed)?;
    let address: IpAddr = address.parse().map_err(|_| malformed())?;
    let prefix: u32 = prefix.parse().map_err(|_| malformed())?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    if prefix > width {
        return Err(malformed());
    }
    if !(1..=256).contains(&count) {
        return Err(format!("the number of blocks must be between 1 and 256, not {count}"));
    }
    if bits == 0 || bits > width {
        return Err(format!("the number of bits must be between 1 and {width}, not {bits}"));
    }
    let new_prefix = width - bits;
    if new_prefix < prefix || !fits(count, new_prefix - prefix) {
        return Err(format!("{count} blocks of /{new_prefix} do not fit in {block}"));
    }
    let first = match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    };
    let network = first & mask(width, prefix);
    // One block of all addresses has the only step that does not fit in the number.
    let step = 1u128.checked_shl(bits).unwrap_or(0);
    Ok((0..u128::from(count))
        .map(|index| {
            let start = network + index * step;
            format!("{}/{new_prefix}", printed(start, width))
        })
        .collect())
}

fn fits(count: u32, bits: u32) -> bool {
    1u128.checked_shl(bits).is_none_or(|room| u128::from(count) <= room)
}

fn mask(width: u32, prefix: u32) -> u128 {
    u128::MAX.checked_shl(width - prefix).unwrap_or(0)
}

fn printed(address: u128, width: u32) -> String {
    match u32::try_from(address) {
        Ok(address) if width == 32 => Ipv4Addr::from(address).to_string(),
        _ => Ipv6Addr::from(address).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_divided_from_its_start() {
        assert_eq!(
            divide("10.0.7.9/16", 3, 8).unwrap(),
            ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"]
        );
        assert_eq!(divide("2001:db8::/56", 2, 64).unwrap(), ["2001:db8::/64", "2001:db8:0:1::/64"]);
        assert_eq!(divide("0.0.0.0/0", 1, 32).unwrap(), ["0.0.0.0/0"]);
        assert_eq!(divide("::/0", 1, 128).unwrap(), ["::/0"]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (block, count, bits) in [
            ("10.0.0.0/24", 3, 7),
            ("10.0.0.0/24", 1, 9),
            ("10.0.0.0/33", 1, 1),
            ("10.0.0.0", 1, 1),
            ("x/8", 1, 1),
            ("10.0.0.0/8", 0, 8),
            ("10.0.0.0/8", 257, 8),
            ("10.0.0.0/8", 1, 0),
        ] {
            assert!(divide(block, count, bits).is_err(), "{block} {count} {bits}");
        }
    }
}
