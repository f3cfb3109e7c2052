//! How much memory the machine has, and how much of it is left. Other systems than Linux are not asked.

#[cfg(target_os = "linux")]
pub(crate) use linux::available;
#[cfg(target_os = "linux")]
pub use linux::memory;

#[cfg(not(target_os = "linux"))]
pub(crate) fn available() -> Option<u64> {
    None
}

/// The bytes of the machine's memory, if the system says.
#[cfg(not(target_os = "linux"))]
pub fn memory() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    /// The bytes of memory that are still available without swapping, within the limits of the program's control groups of
    /// version 2; nothing if the system does not say.
    pub(crate) fn available() -> Option<u64> {
        let machine = reported("MemAvailable:")?;
        let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let groups = left_to_groups(Path::new("/sys/fs/cgroup"), &membership);
        Some(groups.map_or(machine, |left| left.min(machine)))
    }

    /// The bytes of the machine's memory, if the system says.
    pub fn memory() -> Option<u64> {
        reported("MemTotal:")
    }

    /// A number of bytes that the system reports.
    fn reported(name: &str) -> Option<u64> {
        let information = fs::read_to_string("/proc/meminfo").ok()?;
        let line = information.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes << 10)
    }

    /// What a program's control group and the groups around it have left, if any has a limit. A container may not see the
    /// program's own group, but sees that of the container in its place: the root.
    fn left_to_groups(root: &Path, membership: &str) -> Option<u64> {
        let group = membership.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
        let own = root.join(group);
        own.ancestors().take_while(|folder| folder.starts_with(root)).filter_map(left_to_group).min()
    }

    /// What a control group has left. Files that the system keeps in memory count as left, as they do for the whole machine:
    /// it gives them up when memory is wanted.
    fn left_to_group(folder: &Path) -> Option<u64> {
        let text = |name| fs::read_to_string(folder.join(name)).ok();
        let number = |name| text(name)?.trim().parse::<u64>().ok();
        let (most, current) = (number("memory.max")?, number("memory.current")?);
        let statistics = text("memory.stat").unwrap_or_default();
        let files = ["active_file ", "inactive_file "].into_iter().filter_map(|name| {
            let line = statistics.lines().find_map(|line| line.strip_prefix(name))?;
            line.parse::<u64>().ok()
        });
        Some(most.saturating_sub(current.saturating_sub(files.sum())))
    }

    #[cfg(test)]
    mod tests {
        use super::{available, left_to_groups, memory};
        use std::path::{Path, PathBuf};
        use std::{env, fs, process};

        /// A folder of control groups, which is deleted in the end.
        struct Groups(PathBuf);

        impl Groups {
            fn new(name: &str) -> Self {
                Self(env::temp_dir().join(format!("gpu-lsm-groups-{name}-{}", process::id())))
            }

            fn with(self, group: &str, most: &str, current: u64, statistics: &str) -> Self {
                let folder = self.0.join(group);
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join("memory.max"), format!("{most}\n")).unwrap();
                fs::write(folder.join("memory.current"), format!("{current}\n")).unwrap();
                fs::write(folder.join("memory.stat"), statistics).unwrap();
                self
            }
        }

        impl Drop for Groups {
            fn drop(&mut self) {
                let _ = fs::remove_dir_all(&self.0);
            }
        }

        #[test]
        fn files_that_the_system_keeps_are_left() {
            let statistics = "anon 100\nfile 850\ninactive_file 600\nactive_file 250\nslab 7\n";
            let groups = Groups::new("files").with("", "1000", 990, statistics);
            assert_eq!(left_to_groups(&groups.0, "0::/\n"), Some(860));
        }

        #[test]
        fn the_narrowest_of_all_groups_around_the_program_counts() {
            let groups = Groups::new("nested")
                .with("", "max", 5000, "")
                .with("outer", "1000", 700, "")
                .with("outer/own", "2000", 100, "")
                .with("other", "10", 9, "");
            assert_eq!(left_to_groups(&groups.0, "4:memory:/x\n0::/outer/own\n"), Some(300));
            assert_eq!(left_to_groups(&groups.0, "0::/\n"), None, "the root has no limit");
        }

        #[test]
        fn a_container_sees_its_own_group_in_place_of_the_root() {
            let groups = Groups::new("container").with("", "1000", 400, "");
            assert_eq!(left_to_groups(&groups.0, "0::/of/the/machine\n"), Some(600));
            assert_eq!(left_to_groups(Path::new("/nowhere"), "0::/\n"), None);
        }

        #[test]
        fn no_more_is_left_than_there_is() {
            assert!(available().unwrap() <= memory().unwrap());
        }
    }
}
