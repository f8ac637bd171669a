//! A value that is not printed, and is wiped when it is dropped.

use std::fmt;

use zeroize::{Zeroize, Zeroizing};

/// A value that is not printed, and is wiped when it is dropped.
pub struct Secret<T: Zeroize>(Zeroizing<T>);

impl<T: Zeroize> Secret<T> {
    /// Hides a value.
    pub fn new(value: T) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value itself: whoever calls this answers for where it goes.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«secret»")
    }
}
