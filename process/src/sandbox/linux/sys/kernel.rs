//! What this kernel has.

use super::*;

/// Which version of Landlock this kernel has; none if it has none, or if it is off.
pub(in crate::sandbox::linux) fn landlock_version() -> Option<u32> {
    const VERSION: c_long = 1;
    // SAFETY: without a structure the call only tells the version.
    let version = did(unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<c_void>(), 0, VERSION)
    });
    version.ok().and_then(|version| u32::try_from(version).ok()).filter(|version| *version > 0)
}

/// Whether this kernel can filter system calls.
pub(in crate::sandbox::linux) fn has_filters() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the action is read through the call.
    did(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) })
        .is_ok()
}
