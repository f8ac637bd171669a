//! Turns decisions into deeds: workers, leases, timers.

#![forbid(unsafe_code)]
