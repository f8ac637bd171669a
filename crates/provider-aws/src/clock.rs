//! What time it is, as a value that can be handed around.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use aws_types::sdk_config::TimeSource;

/// What time it is.
#[derive(Clone)]
pub(crate) struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// Whatever `read` says.
    pub(crate) fn from_fn(read: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(crate) fn now(&self) -> SystemTime {
        (self.0)()
    }
}

/// The time of day, as the operating system has it.
impl Default for Clock {
    fn default() -> Self {
        Self::from_fn(SystemTime::now)
    }
}

/// For the SDK: a signature holds the time.
impl TimeSource for Clock {
    fn now(&self) -> SystemTime {
        Self::now(self)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
