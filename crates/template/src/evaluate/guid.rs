//! GUIDs that are made from a seed: the same deployment always gets the same ones.
//!
//! Deployments keep their seeds and not the GUIDs, so the GUID of a seed never changes.

/// A GUID of version 4 from a seed, the name of a parameter and a count.
pub(super) fn guid(seed: u128, name: &str, count: u64) -> String {
    let [low, high] = [seed & u128::from(u64::MAX), seed >> 64].map(|half| {
        // Each half fits by construction.
        u64::try_from(half).unwrap_or_default()
    });
    let mut state = mix(low ^ mix(high ^ mix(count)));
    for byte in name.bytes() {
        state = mix(state ^ u64::from(byte));
    }
    let first = mix(state);
    let second = mix(first ^ high);
    let bits = (u128::from(first) << 64) | u128::from(second);
    let versioned = bits & !(0xF << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let text = format!("{versioned:032x}");
    format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
}

/// One round of `SplitMix64`: every bit of the input reaches every bit of the output.
const fn mix(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_and_call_has_its_own_and_always_the_same() {
        let one = guid(7, "a", 0);
        assert_eq!(one, "3355026e-6704-461c-8801-7cab5c6a90a1", "deployments rely on it");
        assert_eq!(one, guid(7, "a", 0));
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "4");
        assert!("89ab".contains(&one[19..20]), "{one}");
        for other in [guid(7, "a", 1), guid(7, "b", 0), guid(8, "a", 0), guid(7 << 64, "a", 0)] {
            assert_ne!(one, other);
        }
    }
}
