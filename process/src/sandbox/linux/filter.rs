//! System calls that a confined command is refused: those that lead around what mounts and Landlock hold, and those that programs of a
//! workspace have no use for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Is, SeccompCondition as Condition,
    SeccompFilter, SeccompRule as Rule, TargetArch, sock_filter,
};

/// Refused whatever the arguments.
const REFUSED: &[c_long] = &[
    // Rings do what calls do, and no filter sees it.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Mounts are what hides secrets.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    // The kernel's own affairs, which have been ways out before.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
];
/// Not in every version of libc by name.
const OPEN_TREE_ATTR: c_long = 467;

/// The filter, made once; with the network closed as well where no namespace closes it. Empty where this machine's calls are not known.
pub(super) fn filter(closes_network: bool) -> &'static [sock_filter] {
    static OPEN: LazyLock<BpfProgram> = LazyLock::new(|| make(false));
    static CLOSED: LazyLock<BpfProgram> = LazyLock::new(|| make(true));
    if closes_network { &CLOSED } else { &OPEN }
}

fn make(closes_network: bool) -> BpfProgram {
    try_to_make(closes_network).unwrap_or_else(|error| {
        tracing::error!(%error, "the filter of system calls cannot be made");
        Vec::new()
    })
}

fn only(index: u8, length: Length, is: Is, value: u64) -> Result<Rule, seccompiler::BackendError> {
    Rule::new(vec![Condition::new(index, length, is, value)?])
}

fn try_to_make(closes_network: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<c_long, Vec<Rule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(OPEN_TREE_ATTR, Vec::new());
    // Typing into the terminal of who started us.
    let typing = [libc::TIOCSTI, libc::TIOCLINUX]
        .map(|request| only(1, Length::Dword, Is::Eq, u64::from(u32::try_from(request).unwrap_or_default())));
    rules.insert(libc::SYS_ioctl, typing.into_iter().collect::<Result<_, _>>()?);
    // Users of its own make a process root over the parts of the kernel that have been attacked most.
    let users = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    for call in [libc::SYS_unshare, libc::SYS_clone] {
        rules.insert(call, vec![only(0, Length::Qword, Is::MaskedEq(users), users)?]);
    }
    if closes_network {
        let kept = [libc::AF_UNIX, libc::AF_NETLINK];
        let conditions =
            kept.map(|family| Condition::new(0, Length::Dword, Is::Ne, u64::from(family.unsigned_abs())));
        rules.insert(libc::SYS_socket, vec![Rule::new(conditions.into_iter().collect::<Result<_, _>>()?)?]);
    }
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let program: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()?;
    Ok(ahead().into_iter().chain(program).collect())
}

/// What the crate has no words for: calls under another numbering (x32), and `clone3`, whose flags lie where no filter can look, are
/// "not there", upon which programs take the calls that can be looked at.
fn ahead() -> Vec<sock_filter> {
    const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
    const AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
    const EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    const X32: u32 = 0x4000_0000;
    let not_there = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(u32::MAX);
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD, 0, 0, 0),
        step(AT_LEAST, 1, 0, X32),
        step(EQUAL, 0, 1, clone3),
        step(RETURN, 0, 0, not_there),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_can_be_made() {
        assert!(try_to_make(false).unwrap().len() > 60);
        assert!(filter(true).len() > filter(false).len());
        assert!(filter(true).len() < 4096, "the kernel takes no more");
    }
}
