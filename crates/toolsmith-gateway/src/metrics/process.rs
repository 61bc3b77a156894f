//! What the system says about this process, under the names that every exporter uses.

use std::fs;

use super::{Amount, Family, Form};

/// How many ticks a second has in `/proc`, which the kernel fixes for everybody.
const TICKS_PER_SECOND: f64 = 100.0;

/// Reads what `/proc` says; nothing where there is none.
pub(super) fn families(started_at: f64) -> Vec<Family> {
    let mut families = Vec::new();
    let mut put = |form, name: &'static str, dotted, help, amount: Option<Amount>| {
        if let Some(amount) = amount {
            let mut family = Family::new(form, (name, dotted), help);
            family.push(&[], amount);
            families.push(family);
        }
    };
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    put(
        Form::Counter,
        "process_cpu_seconds_total",
        "process.cpu.time",
        "Seconds of processor time that were used.",
        cpu_seconds(&stat).map(Amount::Number),
    );
    put(
        Form::Gauge,
        "process_resident_memory_bytes",
        "process.memory.usage",
        "Memory in use, in bytes.",
        kilobytes(&status, "VmRSS:").map(Amount::Count),
    );
    put(
        Form::Gauge,
        "process_virtual_memory_bytes",
        "process.memory.virtual",
        "Memory that was reserved, in bytes.",
        kilobytes(&status, "VmSize:").map(Amount::Count),
    );
    let open = fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64);
    put(
        Form::Gauge,
        "process_open_fds",
        "process.open_file_descriptor.count",
        "Files and connections that are open.",
        // One of them is the folder that was read.
        open.map(|count| Amount::Count(count.saturating_sub(1))),
    );
    put(
        Form::Gauge,
        "process_max_fds",
        "process.max_file_descriptor.count",
        "Files and connections that may be open.",
        most_files(&limits).map(Amount::Count),
    );
    put(
        Form::Gauge,
        "process_start_time_seconds",
        "process.start_time",
        "When the program started, in seconds since 1970.",
        Some(Amount::Number(started_at)),
    );
    families
}

/// The times in user and kernel code are the 14th and 15th field; the second may hold spaces.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_PER_SECOND)
}

fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|count| count * 1_024)
}

fn most_files(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_a_name_with_spaces_and_brackets() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 9 0 1 2 3";
        assert_eq!(cpu_seconds(stat), Some(4.0));
        assert_eq!(kilobytes("Name:\tx\nVmRSS:\t  12 kB\n", "VmRSS:"), Some(12_288));
        assert_eq!(most_files("Max open files            1024   524288   files"), Some(1_024));
        assert_eq!((cpu_seconds(""), kilobytes("", "VmRSS:"), most_files("")), (None, None, None));
    }
}
