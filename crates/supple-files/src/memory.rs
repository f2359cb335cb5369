//! Is there memory for a scene? Asked before it is made, because a system without memory ends programs without a word.
use supple::scene::file::SceneFile;
use supple::scene::{Estimate, SceneError, memory};

/// Bytes of memory that this program can have at most, if the system tells.
pub fn limit() -> Option<u64> {
    if cfg!(target_pointer_width = "32") {
        // As much as such a program can address, less what is fragmented.
        return Some(3 << 30);
    }
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").as_deref().and_then(total);
    // What a container is allowed; `max` if all of the machine.
    let group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let group = group.iter().find_map(|path| read(path)?.trim().parse().ok());
    machine.into_iter().chain(group).min()
}

/// Memory and swap of a Linux machine, from `/proc/meminfo`.
fn total(text: &str) -> Option<u64> {
    let value = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    Some(value("MemTotal")? + value("SwapTotal").unwrap_or(0))
}

/// Refuses a scene whose built-in shapes need more than there is.
pub fn check(file: &SceneFile, limit: Option<u64>) -> Result<(), SceneError> {
    let Some(limit) = limit else { return Ok(()) };
    let sizes: Vec<(usize, Estimate)> =
        file.body.iter().enumerate().filter_map(|(i, b)| Some((i, Estimate::of_body(b)?))).collect();
    let all: f64 = sizes.iter().map(|(_, e)| e.bytes).sum();
    let Some((i, largest)) = sizes.into_iter().max_by(|a, b| a.1.bytes.total_cmp(&b.1.bytes)) else {
        return Ok(());
    };
    if all <= limit as f64 {
        return Ok(());
    }
    let others =
        if all > 1.01 * largest.bytes { format!(", all bodies {}", memory(all)) } else { String::new() };
    let message = format!("is too large: {largest}{others}; this machine has {}", memory(limit as f64));
    Err(SceneError {
        hint: Some("use fewer cells".into()),
        ..SceneError::at(format!("body[{i}].shape"), message)
    })
}

/// Refuses a mesh that needs more than there is.
pub fn check_mesh(nodes: usize, tets: usize, limit: Option<u64>) -> Result<(), String> {
    let size = Estimate::of_mesh(nodes, tets);
    match limit {
        Some(limit) if size.bytes > limit as f64 => {
            Err(format!("is too large: {size}; this machine has {}", memory(limit as f64)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_scene_is_refused_by_its_estimate() {
        let text = "version = 1\n[[body]]\nname = \"a\"\nshape = { kind = \"sphere\", radius = 1, cells = 8 }\n\
                    material = { kind = \"arap\", stiffness = 1 }\n[[body]]\nname = \"b\"\n\
                    shape = { kind = \"box\", size = [1, 1, 1], cells = [100, 100, 100], split = 6 }\n\
                    material = { kind = \"arap\", stiffness = 1 }\n";
        let file = supple::scene::parse::parse(text, &[]).unwrap();
        // 5.4 GB for 6 million tetrahedra, 10.4 GB for the factor of 1.03 million nodes in 101 layers.
        assert_eq!(check(&file, Some(16_000_000_000)), Ok(()));
        assert_eq!(check(&file, None), Ok(()));
        let e = check(&file, Some(4_000_000_000)).unwrap_err();
        assert_eq!(e.key.as_deref(), Some("body[1].shape"));
        assert_eq!(
            e.message,
            "is too large: about 1.0e6 nodes and 6.0e6 elements, which need at least 16 GB of memory; \
             this machine has 4.0 GB of memory"
        );
        assert!(check_mesh(1_000_000, 6_000_000, Some(4_000_000_000)).is_err());
        assert!(check_mesh(1_000, 6_000, Some(4_000_000_000)).is_ok());
    }

    #[test]
    fn the_system_is_understood() {
        let text = "MemTotal:       24639732 kB\nMemFree:  1 kB\nSwapTotal:       1024 kB\n";
        assert_eq!(total(text), Some((24_639_732 + 1024) * 1024));
        assert_eq!(total("nonsense"), None);
        if cfg!(target_os = "linux") {
            assert!(limit().is_some_and(|bytes| bytes > 100_000_000));
        }
    }
}
